package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator.StateSize;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.JobSink;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.view.DeltaConsolidator;
import io.tailwater.executor.view.ViewSpine;

import java.util.List;

/** One worker's share of a view. The worker changes it during a tick; the loop publishes between ticks; readers hold snapshots. */
final class ViewSink implements JobSink {
    private final ObjectName name;
    private final int worker;
    private final ViewSpine spine;
    private final Views views;
    private final Schema schema;
    private final MemoryAccount memory;

    ViewSink(ObjectName name, Schema schema, boolean appendOnly, int worker, MemoryAccount memory, Views views) {
        this.name = name;
        this.worker = worker;
        this.views = views;
        this.schema = schema;
        this.memory = memory;
        spine = new ViewSpine(schema, appendOnly, memory);
        views.add(name, this);
    }

    int worker() {
        return worker;
    }

    @Override
    public void onBatch(ColumnBatch batch) {
        spine.append(batch);
    }

    @Override
    public SinkOutcome onTickEnd(Tick tick, boolean muted) {
        spine.endTick();
        return SinkOutcome.NONE;
    }

    @Override
    public List<ColumnBatch> takeDelta() {
        return spine.takeDelta();
    }

    @Override
    public List<ColumnBatch> content() {
        return spine.content();
    }

    @Override
    public void snapshot(StateWriter out) {
        spine.writeChanges(out);
    }

    @Override
    public void restore(StateReader row) {
        spine.restore(row);
    }

    @Override
    public void restored() {
        spine.restored();
    }

    /** Lets readers see the tick. */
    void publish(long tick) {
        spine.publish(tick);
    }

    /** A fresh consolidator for rows of this view; the caller closes it. */
    DeltaConsolidator consolidator() {
        return new DeltaConsolidator(schema, memory);
    }

    ViewSpine.Snapshot snapshot() {
        return spine.snapshot();
    }

    @Override
    public StateSize stateSize() {
        return spine.stateSize();
    }

    @Override
    public void close() {
        views.remove(name, this);
        spine.close();
    }
}

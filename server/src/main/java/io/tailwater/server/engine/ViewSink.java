package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator.StateSize;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.JobSink;
import io.tailwater.executor.view.ViewSnapshot;
import io.tailwater.executor.view.ViewSpine;

import java.util.ArrayList;
import java.util.List;

/** One worker's share of a view. The worker changes it during a tick; the loop publishes between ticks; readers hold snapshots. */
final class ViewSink implements JobSink {
    private final ObjectName name;
    private final int worker;
    private final MemoryAccount memory;
    private final ViewSpine spine;
    private final Views views;
    private List<ColumnBatch> delta = List.of();

    ViewSink(ObjectName name, Schema schema, int worker, MemoryAccount memory, Views views) {
        this.name = name;
        this.worker = worker;
        this.memory = memory;
        this.views = views;
        spine = new ViewSpine(schema, memory);
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
        delta.forEach(ColumnBatch::close);
        delta = spine.endTick(tick.number());
        return SinkOutcome.NONE;
    }

    @Override
    public List<ColumnBatch> takeDelta() {
        return delta.stream().map(ColumnBatch::retain).toList();
    }

    @Override
    public List<ColumnBatch> content() {
        List<ColumnBatch> out = new ArrayList<>();
        try (ViewSnapshot snapshot = spine.snapshot()) {
            snapshot.read(memory, out::add);
        }
        return out;
    }

    /** Lets readers see the tick; its change if {@code wanted}, owned by the caller. */
    List<ColumnBatch> publish(long tick, boolean wanted) {
        spine.publish(tick);
        List<ColumnBatch> out = delta;
        delta = List.of();
        if (!wanted) {
            out.forEach(ColumnBatch::close);
            return List.of();
        }
        return out;
    }

    ViewSnapshot snapshot() {
        return spine.snapshot();
    }

    @Override
    public StateSize stateSize() {
        return spine.stateSize();
    }

    @Override
    public void close() {
        views.remove(name, this);
        delta.forEach(ColumnBatch::close);
        delta = List.of();
        spine.close();
    }
}

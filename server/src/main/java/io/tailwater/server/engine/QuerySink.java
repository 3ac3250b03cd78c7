package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.JobSink;

import java.util.function.Consumer;

/** The end of a query's plan: hands each batch on. */
record QuerySink(Consumer<ColumnBatch> out) implements JobSink {
    @Override
    public void onBatch(ColumnBatch batch) {
        if (batch.rows() == 0) {
            batch.close();
        } else {
            out.accept(batch);
        }
    }

    @Override
    public SinkOutcome onTickEnd(Tick tick, boolean muted) {
        return SinkOutcome.NONE;
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}

package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.executor.operator.Operator.StateSize;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;

import java.util.List;

/** Where one worker's share of a job's output ends. Owned by that worker. */
public interface JobSink extends AutoCloseable {
    /** A tick begins; see {@link #onTickEnd} for {@code muted}. */
    default void begin(boolean muted) {}

    /** Takes a batch of the current tick's change. Owns it. */
    void onBatch(ColumnBatch batch);

    /**
     * The tick's change is complete.
     *
     * @param muted the outcome of this tick has been committed in an earlier life: update own state, write nothing
     * @return what the commit record must say of this sink
     */
    SinkOutcome onTickEnd(Tick tick, boolean muted);

    /** The tick's COMMIT is logged: it will never run again. Not called of muted ticks. */
    default void committed(long tick) {}

    /** The tick's change as batches for jobs that read this sink as a view; each taker owns a reference. Empty unless the sink is a view. */
    default List<ColumnBatch> takeDelta() {
        return List.of();
    }

    /** The whole content before the current tick, for a job that starts to read this view; the taker owns the batches. */
    default List<ColumnBatch> content() {
        return List.of();
    }

    /** As {@link io.tailwater.executor.operator.Operator#trackChanges}. */
    default void trackChanges() {}

    /** As {@link io.tailwater.executor.operator.Operator#snapshot}. */
    default void snapshot(StateWriter out) {}

    /** As {@link io.tailwater.executor.operator.Operator#restore}. */
    default void restore(StateReader row) {
        throw new AssertionError("state of a sink that has none: " + this);
    }

    /** As {@link io.tailwater.executor.operator.Operator#restored}. */
    default void restored() {}

    default StateSize stateSize() {
        return StateSize.NONE;
    }

    @Override
    void close();
}

package io.tailwater.executor.operator;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;

/**
 * One worker's instance of a plan node. Linear operators pass batches on as they come; the others update state and emit their net change at the end
 * of the tick. Whatever the cut into batches and the order of rows within a tick, the sum of a tick's emissions is the same Z-set.
 *
 * <p>Owned by one worker thread.
 */
public interface Operator extends AutoCloseable {
    /**
     * Takes a batch on input {@code input} (0-based, in the order of the plan node's inputs). Owns the batch and closes it, also when it throws.
     *
     * @throws io.tailwater.common.error.StreamException if a row cannot be processed; the job fails
     */
    void onBatch(int input, ColumnBatch batch);

    /** All inputs have ended the tick: emit what is left of it. Called once a tick, after the last {@link #onBatch} and before the next. */
    void onTickEnd(Tick tick);

    /** Notes from now on what changes, because {@link #snapshot} will be called. Before the first batch and before {@link #restore}. */
    default void trackChanges() {}

    /**
     * Writes what has changed since the last call, and of the writer's full vnodes everything. Between ticks. What an operator is made with again, it need not write;
     * the default is that of an operator without state.
     */
    default void snapshot(StateWriter out) {}

    /** Takes over one row of a snapshot, in the order they were written. Before the first batch. */
    default void restore(StateReader row) {
        throw new AssertionError("state of an operator that has none: " + this);
    }

    /** All rows of the snapshot have been taken over. */
    default void restored() {}

    /** Rows and bytes held, for {@code sys.operators}. */
    default StateSize stateSize() {
        return StateSize.NONE;
    }

    /** The least event time of the rows that it holds back until the watermark has passed them, for DESCRIBE JOB; {@link Long#MAX_VALUE} if there are none. */
    default long heldFrom() {
        return Long.MAX_VALUE;
    }

    /** Frees all state. */
    @Override
    void close();

    /** How much an operator holds. */
    record StateSize(long rows, long bytes) {
        public static final StateSize NONE = new StateSize(0, 0);
    }
}

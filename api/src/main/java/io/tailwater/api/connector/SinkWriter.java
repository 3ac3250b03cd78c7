package io.tailwater.api.connector;

import io.tailwater.api.batch.ColumnBatch;

/**
 * Writes one worker's share of a job's output. Owned by that worker.
 *
 * <p>A tick's rows are written, then {@link #endTick} makes them reach the operating system and returns the position after them; the commit record
 * of the tick holds it. After a crash the writer is opened again at the last committed position and removes what lies behind it.
 */
public interface SinkWriter extends AutoCloseable {
    /** Borrows the batch. Weights of -1 mean that a row goes away; a sink that cannot say so refuses updating plans when it is opened. */
    void write(ColumnBatch batch);

    /** Flushes. Returns the position to resume at. */
    long endTick(long tick);

    /** The tick that ended was the last: the job's inputs have ended, and no row will follow. What is kept back may be shown. */
    default void complete() {}

    @Override
    void close();
}

package io.tailwater.api.connector;

import io.tailwater.api.batch.ColumnBatch;
import org.jspecify.annotations.Nullable;

/**
 * Writes one worker's share of a job's output. Owned by that worker.
 *
 * <p>The engine's order is: what tick t reads is logged; {@link #write}, {@link #endTick}(t); COMMIT(t) with the position that {@code endTick} returned is
 * logged; {@link #committed}(t); the tick is visible and the next begins. After a crash a tick without a COMMIT runs again with the same rows, and those up to the
 * last COMMIT write nothing. The writer is opened again at the position of the last COMMIT: it removes what lies behind, and does what {@code committed} had
 * to do if the crash came before that. So a sink has three ways to deliver each row once:
 *
 * <ul>
 *   <li>two phases: {@code endTick} prepares, {@code committed} shows. Nobody sees rows of a tick that may not come to be;
 *   <li>a position alone: {@code endTick} writes, opening cuts off what lies behind the position;
 *   <li>the target knows: {@code endTick} leaves the same whether it runs once or twice, by key or because the target keeps the tick's number.
 * </ul>
 */
public interface SinkWriter extends AutoCloseable {
    /** Borrows the batch. Weights of -1 mean that a row goes away; a sink that cannot say so refuses updating plans when it is opened. */
    void write(ColumnBatch batch);

    /** The tick's rows are complete. Makes them outlive this process. Returns the position to resume at. */
    long endTick(long tick);

    /** The COMMIT of this tick is logged: it will never run again. Not called of ticks without a position, nor after one that failed. */
    default void committed(long tick) {}

    /** The tick that was committed was the last: the job's inputs have ended, and no row will follow. What is kept back may be shown. */
    default void complete() {}

    /** Makes a call that waits for the target, now or later, give up with an error. The job ends or the server goes down. From any thread. */
    default void cancel() {}

    /** What a call that is under way waits for, in one phrase, or null. From any thread. */
    default @Nullable String waitsFor() {
        return null;
    }

    @Override
    void close();
}

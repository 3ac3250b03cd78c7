package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;

/** Rows of a running query, pulled by one thread; {@link #cancel} and {@link #close} may come from any. */
public interface ResultStream extends AutoCloseable {
    /**
     * The next step, waiting at most {@code timeoutNanos} for it.
     *
     * @throws io.tailwater.common.error.StreamException if the query failed or was cancelled (57014)
     */
    Next next(long timeoutNanos);

    /** Ends the query; a waiting {@link #next} fails with 57014 at once. */
    void cancel();

    /** Ends the query and frees what it holds. Idempotent. */
    @Override
    void close();

    /** One step of a result. */
    sealed interface Next {
        /**
         * Some rows; the receiver owns the batch. {@code tick} and {@code watermarkMicros} say how far the query had come.
         *
         * @param endsTick whether no more rows of this tick follow. A push query that is not append-only must say so: a row and the one that replaces it
         *     may be in different batches of a tick
         */
        record Rows(ColumnBatch batch, long tick, long watermarkMicros, boolean endsTick) implements Next {
            public Rows(ColumnBatch batch, long tick, long watermarkMicros) {
                this(batch, tick, watermarkMicros, true);
            }
        }

        /** Nothing new within the time given; the query is alive. */
        record Quiet(long tick, long watermarkMicros) implements Next {}

        /** No more rows. */
        record End() implements Next {}
    }
}

package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.RowBatch;
import org.jspecify.annotations.Nullable;

import java.sql.SQLException;

/** Where a result set's rows come from. {@link #next} belongs to the reading thread; {@link #cancel} may come from any. */
interface RowSource {
    /**
     * The next rows, or null after the last.
     *
     * @param timeoutNanos how long to wait for them, {@link Long#MAX_VALUE} for ever; past it the query ends with HYT00
     */
    @Nullable RowBatch next(long timeoutNanos) throws SQLException;

    /** Ends the query; a waiting {@link #next} fails with this state at once. Harmless when it is over. */
    void cancel(String sqlState, String reason);

    /** Ticks the query has got through; -1 if unknown. */
    default long tick() {
        return -1;
    }

    /** Microseconds since the epoch; {@link Long#MIN_VALUE} if unknown. */
    default long watermark() {
        return Long.MIN_VALUE;
    }
}

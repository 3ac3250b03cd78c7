package io.tailwater.api.connector;

import io.tailwater.common.time.Clock;

/**
 * Holds a reader back to so many rows a second. Time begins with the first question; what was not used is lost after a second, so that a pause
 * is not followed by a flood. Owned by one reader; not thread-safe.
 */
public final class RateLimit {
    public static final long MAX_ROWS_PER_SECOND = 1_000_000_000;

    private static final long SECOND = 1_000_000_000L;
    /** Asking more often makes ticks smaller, not rows more. */
    private static final long MIN_POLL_NANOS = 5_000_000;

    private final long rowsPerSecond;
    private final Clock clock;
    private boolean started;
    private long startNanos;
    private long startRows;

    /**
     * @param rowsPerSecond from 1 to {@link #MAX_ROWS_PER_SECOND}
     */
    public RateLimit(long rowsPerSecond, Clock clock) {
        if (rowsPerSecond < 1 || rowsPerSecond > MAX_ROWS_PER_SECOND) {
            throw new IllegalArgumentException("rows per second: " + rowsPerSecond);
        }
        this.rowsPerSecond = rowsPerSecond;
        this.clock = clock;
    }

    /** How many rows may follow the {@code rowsBefore} rows that were read before the position asked for. */
    public long allowed(long rowsBefore) {
        long now = clock.nanoTime();
        if (!started) {
            started = true;
            startNanos = now;
            startRows = rowsBefore;
        }
        long seconds = (now - startNanos) / SECOND;
        startNanos += seconds * SECOND;
        startRows += seconds * rowsPerSecond;
        // The first row comes at once.
        long allowed = startRows + 1 + (now - startNanos) * rowsPerSecond / SECOND - rowsBefore;
        if (allowed > rowsPerSecond) {
            startRows -= allowed - rowsPerSecond;
            allowed = rowsPerSecond;
        }
        return Math.max(0, allowed);
    }

    /** Nanoseconds until another row is due. */
    public long nextPollNanos() {
        return Math.max(MIN_POLL_NANOS, SECOND / rowsPerSecond);
    }
}

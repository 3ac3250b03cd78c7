package io.tailwater.api.connector;

import io.tailwater.api.batch.ColumnBatch;

import java.util.function.Consumer;

/**
 * Reads one split of a source by position. Positions are non-negative longs of the split's own kind (frame number, byte offset, event number), 0 is
 * the start. The same range always holds the same rows in the same order: replay after a crash reads it again.
 *
 * <p>Owned by one worker thread; side threads of its own must not be seen through this interface. No method waits for input.
 */
public interface SplitReader extends AutoCloseable {
    /** A reader without an event-time column reports this as both bounds. */
    long NO_TIME = Long.MIN_VALUE;

    /**
     * What can be bound from {@code from} on.
     *
     * @param to end of the range, exclusive; equal to {@code from} if nothing is there now
     * @param rows in it
     * @param minTime least event time in microseconds, or {@link #NO_TIME}
     * @param maxTime greatest event time, or {@link #NO_TIME}
     * @param finished no row will ever follow {@code to}
     * @param checksum of the range's content, or 0 where a range cannot change under us
     */
    record Ready(long to, long rows, long minTime, long maxTime, boolean finished, long checksum) {
        public static Ready nothing(long at, boolean finished) {
            return new Ready(at, 0, NO_TIME, NO_TIME, finished, 0);
        }
    }

    /**
     * A record that could not be made into a row.
     *
     * @param source where it is from, in the connector's words: a file's path
     * @param position of its first byte (or its number) in that source
     * @param reason in one sentence
     * @param raw its bytes, the first {@link #MOST_RAW} at most
     */
    record Malformed(String source, long position, String reason, byte[] raw) {
        public static final int MOST_RAW = 1 << 16;

        public Malformed {
            if (raw.length > MOST_RAW) {
                raw = java.util.Arrays.copyOf(raw, MOST_RAW);
            }
        }
    }

    /**
     * About {@code maxRows} rows from {@code from}, fewer if fewer are there. Binds nothing.
     *
     * @throws io.tailwater.common.error.StreamException if the input is bad and the options say that this is fatal
     */
    Ready ready(long from, long maxRows);

    /**
     * Delivers the rows of a range that {@link #ready} offered, now or in an earlier life of the process. The consumer owns each batch.
     *
     * @throws io.tailwater.common.error.StreamException also if the input is no longer what it was
     */
    void read(long from, long to, Consumer<ColumnBatch> out);

    /**
     * As {@link #read(long, long, Consumer)}, and tells of the malformed records of the range that the options have skipped: the same ones whenever the
     * range is read.
     */
    default void read(long from, long to, Consumer<ColumnBatch> out, Consumer<Malformed> bad) {
        read(from, to, out);
    }

    /** Malformed records skipped so far because the options say so. */
    default long skipped() {
        return 0;
    }

    /** Asks for a call when more may be ready. May come spuriously and from any thread. */
    default void onReady(Runnable wakeup) {}

    /** Nanoseconds until it makes sense to ask {@link #ready} again without a wake-up, or {@link Long#MAX_VALUE}. */
    default long nextPollNanos() {
        return 1_000_000;
    }

    @Override
    void close();
}

package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;

/**
 * The rows of the batch that is being filled: event number, epoch and random state of each. Columns are filled one after the other from these
 * arrays, in flat loops without branches on random numbers. Reused; owned by one reader.
 */
final class Window {
    static final int CAPACITY = ColumnBatch.TARGET_ROWS;

    private final EventKind kind;
    private final Split split;
    private final long seed;
    private final long rate;
    private final long[] number = new long[CAPACITY];
    private final long[] epoch = new long[CAPACITY];
    private final long[] state = new long[CAPACITY];
    private int rows;

    Window(NexmarkOptions options, Split split) {
        this.kind = options.kind();
        this.split = split;
        this.seed = options.seed();
        this.rate = options.rate();
    }

    /** Moves to the split's rows {@code first} to {@code first + count} of its kind. */
    void moveTo(long first, int count) {
        int perEpoch = kind.perEpoch();
        long localEpoch = first / perEpoch;
        int nth = (int) (first % perEpoch);
        int row = 0;
        while (row < count) {
            long globalEpoch = localEpoch * split.count() + split.index();
            long base = globalEpoch * EventKind.EPOCH + kind.offset() + nth;
            int end = Math.min(count, row + perEpoch - nth);
            for (int r = row; r < end; r++) {
                number[r] = base + (r - row);
                epoch[r] = globalEpoch;
            }
            row = end;
            nth = 0;
            localEpoch++;
        }
        rows = count;
    }

    /** Computes {@link #states}; only for columns that are random. */
    void seedStates() {
        for (int r = 0; r < rows; r++) {
            state[r] = Draws.state(seed, number[r]);
        }
    }

    int rows() {
        return rows;
    }

    /** Global event numbers. */
    long[] numbers() {
        return number;
    }

    long[] epochs() {
        return epoch;
    }

    /** What draws start from; columns may move them on. */
    long[] states() {
        return state;
    }

    /** Writes the events' times, microseconds. */
    void times(long out) {
        for (int r = 0; r < rows; r++) {
            Mem.putLong(out + 8L * r, Draws.timestampMillis(number[r], rate) * 1000);
        }
    }
}

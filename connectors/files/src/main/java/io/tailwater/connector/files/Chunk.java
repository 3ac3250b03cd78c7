package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.connector.SplitReader;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Consumer;

/** Consecutive rows of a file. Owns its batch. Immutable. */
final class Chunk implements AutoCloseable {
    private final long from;
    private final long to;
    private final @Nullable ColumnBatch batch;
    private final long @Nullable [] ends;
    private final List<SplitReader.Malformed> skipped;
    private final boolean last;
    private final long base;

    /**
     * Takes the batch.
     *
     * @param from position of the first record
     * @param to position after the last record, skipped ones included
     * @param batch the columns asked for, and the event time behind them if it is not one of them; null if there are no rows
     * @param ends position after each row, or null if row {@code i} ends at {@code from + i + 1}
     * @param skipped malformed records left out, in order
     * @param last nothing follows {@code to}
     */
    Chunk(
            long from,
            long to,
            @Nullable ColumnBatch batch,
            long @Nullable [] ends,
            List<SplitReader.Malformed> skipped,
            boolean last) {
        this(from, to, batch, ends, skipped, last, 0);
    }

    private Chunk(
            long from,
            long to,
            @Nullable ColumnBatch batch,
            long @Nullable [] ends,
            List<SplitReader.Malformed> skipped,
            boolean last,
            long base) {
        this.base = base;
        this.from = from;
        this.to = to;
        this.batch = batch;
        this.ends = ends;
        this.skipped = skipped;
        this.last = last;
    }

    long from() {
        return from;
    }

    long to() {
        return to;
    }

    @Nullable ColumnBatch batch() {
        return batch;
    }

    List<SplitReader.Malformed> skipped() {
        return skipped;
    }

    /** The same, which now owns the batch, at positions higher by {@code base}; with {@code end} instead of its end, if it is the last of its file. */
    Chunk movedBy(long base, long end, boolean isLast) {
        long[] moved = new long[rows()];
        for (int row = 0; row < moved.length; row++) {
            moved[row] = base + (ends == null ? from + row + 1 : ends[row]);
        }
        return new Chunk(base + from, last ? end : base + to, batch, moved, skipped, last && isLast, base);
    }

    /** Where a row ends. */
    long endOfRow(int row) {
        return ends == null ? from + row + 1 : ends[row];
    }

    /** Hands over the malformed records in {@code [start, end)}. */
    void tell(long start, long end, Consumer<SplitReader.Malformed> bad) {
        for (SplitReader.Malformed record : skipped) {
            long position = base + record.position();
            if (position >= start && position < end) {
                bad.accept(record);
            }
        }
    }

    boolean last() {
        return last;
    }

    int rows() {
        return batch == null ? 0 : batch.rows();
    }

    /** How many rows end at or before {@code position}. */
    int rowsUntil(long position) {
        if (position >= to) {
            return rows();
        }
        if (ends == null) {
            return (int) Math.max(0, position - from);
        }
        int found = java.util.Arrays.binarySearch(ends, 0, rows(), position);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /** Where the first {@code rows} rows end. */
    long endOf(int rows) {
        if (rows == rows()) {
            return to;
        }
        if (rows == 0) {
            return from;
        }
        return ends == null ? from + rows : ends[rows - 1];
    }

    /** The same chunk for another owner. */
    Chunk shared() {
        if (batch != null) {
            batch.retain();
        }
        return this;
    }

    @Override
    public void close() {
        if (batch != null) {
            batch.close();
        }
    }
}

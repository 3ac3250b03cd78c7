package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import org.jspecify.annotations.Nullable;

/** Consecutive rows of a file. Owns its batch. Immutable. */
final class Chunk implements AutoCloseable {
    private final long from;
    private final long to;
    private final @Nullable ColumnBatch batch;
    private final long @Nullable [] ends;
    private final int skipped;
    private final boolean last;

    /**
     * Takes the batch.
     *
     * @param from position of the first record
     * @param to position after the last record, skipped ones included
     * @param batch the columns asked for, and the event time behind them if it is not one of them; null if there are no rows
     * @param ends position after each row, or null if row {@code i} ends at {@code from + i + 1}
     * @param skipped malformed records left out
     * @param last nothing follows {@code to}
     */
    Chunk(long from, long to, @Nullable ColumnBatch batch, long @Nullable [] ends, int skipped, boolean last) {
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

    int skipped() {
        return skipped;
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

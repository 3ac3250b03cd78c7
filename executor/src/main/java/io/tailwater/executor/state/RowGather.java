package io.tailwater.executor.state;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;

/** Picks rows of a batch, column by column. Views keep pointing at the batch's bytes, so it is kept alive. */
public final class RowGather {
    private RowGather() {}

    /** A batch of rows {@code rows[0..n)} of another, with their weights if it has any. Borrows the batch; the caller owns the result. */
    public static ColumnBatch gather(ColumnBatch from, int[] rows, int n, MemoryAccount memory) {
        return gather(from, rows, n, from.weights() != 0, memory);
    }

    /** {@link #gather(ColumnBatch, int[], int, MemoryAccount)}, leaving the weights out. A row may be picked more than once. */
    public static ColumnBatch withoutWeights(ColumnBatch from, int[] rows, int n, MemoryAccount memory) {
        if (n > ColumnBatch.MAX_ROWS) {
            throw new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX,
                    "a batch of " + from.rows() + " rows repeats to " + n + ", more than " + ColumnBatch.MAX_ROWS);
        }
        return gather(from, rows, n, false, memory);
    }

    private static ColumnBatch gather(ColumnBatch from, int[] rows, int n, boolean weighted, MemoryAccount memory) {
        DataType[] types = new DataType[from.columns()];
        for (int c = 0; c < types.length; c++) {
            types[c] = from.type(c);
        }
        try (BatchBuilder out = new BatchBuilder(types, n, weighted, memory)) {
            for (int c = 0; c < types.length; c++) {
                gather(from, c, rows, n, out, c);
            }
            if (weighted) {
                for (int i = 0; i < n; i++) {
                    Mem.putLong(out.weights() + 8L * i, Mem.getLong(from.weights() + 8L * rows[i]));
                }
            }
            return out.finish(n);
        }
    }

    /** Values {@code rows[0..n)} of a column into the first rows of a builder's column. */
    public static void gather(ColumnBatch from, int column, int[] rows, int n, BatchBuilder out, int outColumn) {
        long data = from.data(column);
        long to = out.data(outColumn);
        switch (from.type(column).kind()) {
            case BOOLEAN -> {
                for (int i = 0; i < n; i++) {
                    if (Mem.getBit(data, rows[i])) {
                        Mem.setBit(to, i);
                    }
                }
            }
            case TINYINT -> {
                for (int i = 0; i < n; i++) {
                    Mem.putByte(to + i, Mem.getByte(data + rows[i]));
                }
            }
            case SMALLINT -> {
                for (int i = 0; i < n; i++) {
                    Mem.putShort(to + 2L * i, Mem.getShort(data + 2L * rows[i]));
                }
            }
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, REAL, NULL -> {
                for (int i = 0; i < n; i++) {
                    Mem.putInt(to + 4L * i, Mem.getInt(data + 4L * rows[i]));
                }
            }
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME, DOUBLE -> {
                for (int i = 0; i < n; i++) {
                    Mem.putLong(to + 8L * i, Mem.getLong(data + 8L * rows[i]));
                }
            }
            case DECIMAL, VARCHAR, VARBINARY -> {
                for (int i = 0; i < n; i++) {
                    StringView.copySlot(data + 16L * rows[i], to + 16L * i);
                }
                if (from.type(column).kind().isView()) {
                    out.keepAlive(from);
                }
            }
        }
        long validity = from.validity(column);
        if (validity != 0) {
            for (int i = 0; i < n; i++) {
                if (!Mem.getBit(validity, rows[i])) {
                    out.setNull(outColumn, i);
                }
            }
        }
    }
}

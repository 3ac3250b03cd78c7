package io.tailwater.executor.expr;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;

import java.util.Arrays;

/** {@link Hashing#hashKey} of each row of a batch, a column at a time: the loops below hold no branch on type. */
public final class KeyHash {
    private KeyHash() {}

    /**
     * Computes the key hash of each row. Borrows the batch.
     *
     * @param columns the key's columns, in order
     * @param out receives one hash a row; at least {@code batch.rows()} long
     */
    public static void hash(ColumnBatch batch, int[] columns, long[] out) {
        int rows = batch.rows();
        if (columns.length == 0) {
            Arrays.fill(out, 0, rows, Hashing.NULL_HASH);
            return;
        }
        for (int i = 0; i < columns.length; i++) {
            hashColumn(batch, columns[i], out, rows, i > 0);
        }
    }

    /** Puts each value's hash into {@code out}, or combines it with what is there. */
    private static void hashColumn(ColumnBatch batch, int column, long[] out, int rows, boolean combine) {
        long data = batch.data(column);
        long validity = batch.validity(column);
        switch (batch.type(column).kind()) {
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> longs(data, validity, out, rows, combine);
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> ints(data, validity, out, rows, combine);
            case VARCHAR, VARBINARY -> views(data, validity, out, rows, combine);
            case DECIMAL -> decimals(data, validity, out, rows, combine);
            case SMALLINT -> shorts(data, validity, out, rows, combine);
            case TINYINT -> bytes(data, validity, out, rows, combine);
            case BOOLEAN -> bits(data, validity, out, rows, combine);
            case REAL -> floats(data, validity, out, rows, combine);
            case DOUBLE -> doubles(data, validity, out, rows, combine);
        }
    }

    private static void put(long[] out, int row, long hash, long validity, boolean combine) {
        long valid = validity == 0 || Mem.getBit(validity, row) ? hash : Hashing.NULL_HASH;
        out[row] = combine ? Hashing.combine(out[row], valid) : valid;
    }

    private static void longs(long data, long validity, long[] out, int rows, boolean combine) {
        if (validity == 0 && !combine) {
            for (int row = 0; row < rows; row++) {
                out[row] = Hashing.hashLong(Mem.getLong(data + 8L * row));
            }
            return;
        }
        for (int row = 0; row < rows; row++) {
            put(out, row, Hashing.hashLong(Mem.getLong(data + 8L * row)), validity, combine);
        }
    }

    private static void ints(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            put(out, row, Hashing.hashLong(Mem.getInt(data + 4L * row)), validity, combine);
        }
    }

    private static void shorts(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            put(out, row, Hashing.hashLong(Mem.getShort(data + 2L * row)), validity, combine);
        }
    }

    private static void bytes(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            put(out, row, Hashing.hashLong(Mem.getByte(data + row)), validity, combine);
        }
    }

    private static void bits(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            put(out, row, Hashing.hashLong(Mem.getBit(data, row) ? 1 : 0), validity, combine);
        }
    }

    private static void floats(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            long bits = Double.doubleToLongBits(Mem.getFloat(data + 4L * row) + 0.0f);
            put(out, row, Hashing.hashLong(bits), validity, combine);
        }
    }

    private static void doubles(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            long bits = Double.doubleToLongBits(Mem.getDouble(data + 8L * row) + 0.0d);
            put(out, row, Hashing.hashLong(bits), validity, combine);
        }
    }

    private static void decimals(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            long low = Hashing.hashLong(Mem.getLong(data + 16L * row));
            long high = Hashing.hashLong(Mem.getLong(data + 16L * row + 8));
            put(out, row, Hashing.combine(low, high), validity, combine);
        }
    }

    private static void views(long data, long validity, long[] out, int rows, boolean combine) {
        for (int row = 0; row < rows; row++) {
            // What lies under a NULL need not point anywhere.
            if (validity != 0 && !Mem.getBit(validity, row)) {
                out[row] = combine ? Hashing.combine(out[row], Hashing.NULL_HASH) : Hashing.NULL_HASH;
                continue;
            }
            long slot = data + 16L * row;
            long hash = Hashing.hashBytes(StringView.bytes(slot), StringView.length(slot));
            out[row] = combine ? Hashing.combine(out[row], hash) : hash;
        }
    }
}

package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.AggregateCall;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** The batch being folded in, with what several accumulators want of it computed once. Owned by one operator; reused batch after batch. */
final class AggregateInput {
    private static final long[] NONE = {};

    private final long[][] longs;
    private final boolean[] loaded;
    private @Nullable ColumnBatch batch;
    private int rows;

    AggregateInput(int columns) {
        longs = new long[columns][];
        Arrays.fill(longs, NONE);
        loaded = new boolean[columns];
    }

    void reset(ColumnBatch next) {
        batch = next;
        rows = next.rows();
        Arrays.fill(loaded, false);
    }

    void clear() {
        batch = null;
    }

    ColumnBatch batch() {
        if (batch == null) {
            throw new AssertionError("no batch");
        }
        return batch;
    }

    int rows() {
        return rows;
    }

    /** The values of an integer-like column; those under a NULL are arbitrary. */
    long[] longs(int column) {
        if (!loaded[column]) {
            loaded[column] = true;
            if (longs[column].length < rows) {
                longs[column] = new long[Math.max(rows, ColumnBatch.TARGET_ROWS)];
            }
            load(batch(), column, rows, longs[column]);
        }
        return longs[column];
    }

    private static void load(ColumnBatch batch, int column, int rows, long[] to) {
        long data = batch.data(column);
        switch (batch.type(column).kind()) {
            case BOOLEAN -> {
                for (int i = 0; i < rows; i++) {
                    to[i] = Mem.getBit(data, i) ? 1 : 0;
                }
            }
            case TINYINT -> {
                for (int i = 0; i < rows; i++) {
                    to[i] = Mem.getByte(data + i);
                }
            }
            case SMALLINT -> {
                for (int i = 0; i < rows; i++) {
                    to[i] = Mem.getShort(data + 2L * i);
                }
            }
            case INTEGER, DATE, INTERVAL_YEAR_MONTH -> {
                for (int i = 0; i < rows; i++) {
                    to[i] = Mem.getInt(data + 4L * i);
                }
            }
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> {
                for (int i = 0; i < rows; i++) {
                    to[i] = Mem.getLong(data + 8L * i);
                }
            }
            case REAL, DOUBLE, DECIMAL, VARCHAR, VARBINARY, NULL ->
                throw new AssertionError("column " + column + " is " + batch.type(column));
        }
    }

    /**
     * What each row counts for a call: its weight, or 0 if the filter drops it or one of its first arguments is NULL.
     *
     * @param notNull how many arguments must not be NULL
     * @param scratch holds them; at least {@link #rows} long
     * @return null if each row counts +1
     */
    long @Nullable [] counts(AggregateCall call, int notNull, long[] scratch) {
        ColumnBatch in = batch();
        boolean plain = in.weights() == 0 && call.filter() < 0;
        for (int argument = 0; argument < notNull; argument++) {
            plain &= in.validity(call.arguments().get(argument)) == 0;
        }
        if (plain) {
            return null;
        }
        if (in.weights() == 0) {
            Arrays.fill(scratch, 0, rows, 1);
        } else {
            for (int i = 0; i < rows; i++) {
                scratch[i] = Mem.getLong(in.weights() + 8L * i);
            }
        }
        if (call.filter() >= 0) {
            dropUnfiltered(in, call.filter(), scratch);
        }
        for (int argument = 0; argument < notNull; argument++) {
            dropNulls(in.validity(call.arguments().get(argument)), scratch);
        }
        return scratch;
    }

    private void dropUnfiltered(ColumnBatch in, int filter, long[] counts) {
        long data = in.data(filter);
        for (int i = 0; i < rows; i++) {
            if (!Mem.getBit(data, i)) {
                counts[i] = 0;
            }
        }
        dropNulls(in.validity(filter), counts);
    }

    private void dropNulls(long validity, long[] counts) {
        if (validity != 0) {
            for (int i = 0; i < rows; i++) {
                if (!Mem.getBit(validity, i)) {
                    counts[i] = 0;
                }
            }
        }
    }
}

package io.tailwater.executor.operator;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.state.RowLayout;

import java.util.List;

/**
 * Collects changes as addresses of encoded rows and emits them a batch at a time. What is added must stay where it is until {@link #flush}. A row consists of
 * some {@link Part}s, then columns of 8 bytes that are given by value.
 *
 * <p>Owned by one operator; not thread-safe.
 */
public final class RowOutput {
    private static final int CHUNK = ColumnBatch.TARGET_ROWS;

    /** Some columns of a row that are encoded together. Immutable. */
    public static final class Part {
        private final RowLayout layout;
        private final int shift;
        private final int[] outColumns;

        /**
         * @param shift from an address that is added to the encoded row
         * @param outColumns per column of the layout
         */
        public Part(RowLayout layout, int shift, int[] outColumns) {
            this.layout = layout;
            this.shift = shift;
            this.outColumns = outColumns.clone();
        }

        private String describe(long address) {
            return layout.describe(address + shift);
        }
    }

    private final DataType[] types;
    private final Part[] parts;
    private final int firstLong;
    private final boolean weighted;
    private final MemoryAccount memory;
    private final Output output;
    private final long[][] addresses;
    private final long[][] longs;
    private final long[] weights = new long[CHUNK];
    private int rows;

    /**
     * @param firstLong the first of the columns, up to the last, that are given by value
     * @param weighted false for a relation from which nothing is taken back: a row of weight 2 is emitted twice
     */
    public RowOutput(
            DataType[] types, List<Part> parts, int firstLong, boolean weighted, MemoryAccount memory, Output output) {
        this.types = types;
        this.parts = parts.toArray(Part[]::new);
        this.firstLong = firstLong;
        this.weighted = weighted;
        this.memory = memory;
        this.output = output;
        addresses = new long[parts.size()][CHUNK];
        longs = new long[types.length - firstLong][CHUNK];
    }

    public void add(long row, long weight) {
        add(row, 0, 0, 0, weight);
    }

    /** A row of two parts. */
    public void add(long first, long second, long weight) {
        add(first, second, 0, 0, weight);
    }

    /** A row of up to two parts and up to two columns by value; what is more than there is is ignored. */
    public void add(long first, long second, long firstValue, long secondValue, long weight) {
        if (weighted) {
            put(first, second, firstValue, secondValue, weight);
            return;
        }
        if (weight < 0) {
            throw new AssertionError("a row was taken back that the planner said never would: "
                    + parts[parts.length - 1].describe(parts.length == 1 ? first : second));
        }
        for (long i = 0; i < weight; i++) {
            put(first, second, firstValue, secondValue, 1);
        }
    }

    private void put(long first, long second, long firstValue, long secondValue, long weight) {
        if (rows == CHUNK) {
            flush();
        }
        addresses[0][rows] = first;
        if (addresses.length > 1) {
            addresses[1][rows] = second;
        }
        if (longs.length > 0) {
            longs[0][rows] = firstValue;
            if (longs.length > 1) {
                longs[1][rows] = secondValue;
            }
        }
        weights[rows++] = weight;
    }

    /** Emits what is left. */
    public void flush() {
        int n = rows;
        rows = 0;
        if (n == 0) {
            return;
        }
        try (BatchBuilder out = new BatchBuilder(types, n, weighted, memory)) {
            for (int p = 0; p < parts.length; p++) {
                parts[p].layout.decode(addresses[p], parts[p].shift, n, out, parts[p].outColumns);
            }
            for (int c = 0; c < longs.length; c++) {
                put(longs[c], n, out.data(firstLong + c));
            }
            if (weighted) {
                put(weights, n, out.weights());
            }
            output.emit(out.finish(n));
        }
    }

    private static void put(long[] from, int n, long to) {
        for (int i = 0; i < n; i++) {
            Mem.putLong(to + 8L * i, from[i]);
        }
    }
}

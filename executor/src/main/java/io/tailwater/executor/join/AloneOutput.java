package io.tailwater.executor.join;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.state.RowGather;

import java.util.Arrays;

/** Rows of one side that a join emits by themselves, the other side's columns NULL or left out. Owned by one operator; not thread-safe. */
final class AloneOutput {
    private static final int CAPACITY = ColumnBatch.TARGET_ROWS;

    private final JoinColumns columns;
    private final int number;
    private final JoinSide side;
    private final boolean weighted;
    private final OperatorContext context;
    private final DataType[] types;
    /** Made for the first row: most joins never emit one. */
    private long[] entry = {};

    private long[] row = {};
    private long[] weight = {};
    private int n;

    /**
     * The output of side {@code number}.
     *
     * @param weighted false for an append-only result, whose rows are repeated instead
     */
    AloneOutput(JoinColumns columns, int number, JoinSide side, boolean weighted, OperatorContext context) {
        this.weighted = weighted;
        this.columns = columns;
        this.number = number;
        this.side = side;
        this.context = context;
        types = columns.leftOnly() ? Arrays.copyOf(columns.types(), columns.count(0)) : columns.types();
    }

    /** A tracked row of the side. */
    void add(long tracked, long change) {
        if (weighted) {
            put(tracked, change);
        } else if (change < 0) {
            throw new AssertionError("an append-only join takes back " + -change + " rows");
        } else {
            for (long i = 0; i < change; i++) {
                put(tracked, 1);
            }
        }
    }

    private void put(long tracked, long change) {
        if (entry.length == 0) {
            entry = new long[CAPACITY];
            row = new long[CAPACITY];
            weight = new long[CAPACITY];
        }
        row[n] = tracked;
        entry[n] = side.entry(tracked);
        weight[n++] = change;
        if (n == CAPACITY) {
            flush();
        }
    }

    void flush() {
        if (n == 0) {
            return;
        }
        int rows = n;
        n = 0;
        try (BatchBuilder out = new BatchBuilder(types, rows, weighted, context.memory())) {
            columns.decode(number, side, entry, row, rows, out);
            padWithNulls(out, rows);
            for (int i = 0; weighted && i < rows; i++) {
                Mem.putLong(out.weights() + 8L * i, weight[i]);
            }
            context.output().emit(out.finish(rows));
        }
    }

    /** Rows straight from the input. Borrows the batch. */
    void emit(ColumnBatch batch, int[] rows, int count) {
        try (BatchBuilder out = new BatchBuilder(types, count, weighted, context.memory())) {
            int base = columns.base(number);
            for (int c = 0; c < columns.count(number); c++) {
                RowGather.gather(batch, c, rows, count, out, base + c);
            }
            padWithNulls(out, count);
            for (int i = 0; weighted && i < count; i++) {
                Mem.putLong(out.weights() + 8L * i, batch.weight(rows[i]));
            }
            context.output().emit(out.finish(count));
        }
    }

    private void padWithNulls(BatchBuilder out, int rows) {
        if (columns.leftOnly()) {
            return;
        }
        int base = columns.base(1 - number);
        for (int c = base; c < base + columns.count(1 - number); c++) {
            for (int i = 0; i < rows; i++) {
                out.setNull(c, i);
            }
        }
    }
}

package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.expr.KeyHash;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;

import java.util.Arrays;

/**
 * {@link PlanNode.Consolidate}. Adds up the weights of equal rows in a table small enough for the cache, which is emitted and emptied when it is full and at
 * the end of the tick: nothing is kept beyond. Where that does not leave less than half of the rows, they pass untouched for a while, then it is tried again.
 */
public final class ConsolidateOperator implements Operator {
    private static final int CAPACITY = 1 << 14;
    private static final int SLOTS = 2 * CAPACITY;
    /** Rows to judge by. */
    private static final long SAMPLE_ROWS = 1 << 13;
    /** Rows that pass untouched before it is tried again. */
    private static final long PAUSE_ROWS = 1 << 20;

    private static final int WEIGHT = 0;
    private static final int HASH = 8;
    private static final int ROW = 16;

    private final OperatorContext context;
    private final DataType[] types;
    private final int[] columns;
    private final RowLayout layout;
    private final int stride;
    private final Scratch encoded;
    private final Scratch table;
    private final int[] slots = new int[SLOTS];
    private final long[] chunk = new long[ColumnBatch.TARGET_ROWS];
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private int entries;
    private long rowsIn;
    private long rowsOut;
    private long pause;

    private ConsolidateOperator(PlanNode.Consolidate node, OperatorContext context) {
        this.context = context;
        types = BatchBuilder.types(node.schema());
        columns = new int[types.length];
        Arrays.setAll(columns, c -> c);
        layout = new RowLayout(types);
        stride = ROW + layout.width();
        encoded = new Scratch(context.memory());
        table = new Scratch(context.memory());
    }

    public static ConsolidateOperator create(PlanNode.Consolidate node, OperatorContext context) {
        ConsolidateOperator operator = new ConsolidateOperator(node, context);
        if (operator.layout.views() > 0) {
            throw new AssertionError("rows with strings are not consolidated: " + node.schema());
        }
        return operator;
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        if (pause > 0) {
            pause -= batch.rows();
            context.output().emit(batch);
            return;
        }
        try (batch) {
            add(batch);
        }
    }

    private void add(ColumnBatch batch) {
        int n = batch.rows();
        if (hashes.length < n) {
            hashes = new long[n];
        }
        KeyHash.hash(batch, columns, hashes);
        int width = layout.width();
        long rows = encoded.atLeast((long) n * width + 8);
        layout.encode(batch, columns, n, rows, width);
        long base = table.atLeast((long) CAPACITY * stride);
        for (int i = 0; i < n; i++) {
            long entry = entry(base, rows + (long) i * width, hashes[i]);
            Mem.putLong(entry + WEIGHT, Mem.getLong(entry + WEIGHT) + batch.weight(i));
        }
        rowsIn += n;
    }

    /** The entry of a row, made with weight 0 if it is new. */
    private long entry(long base, long row, long hash) {
        int at = (int) (hash >>> 32) & SLOTS - 1;
        while (slots[at] != 0) {
            long entry = base + (long) (slots[at] - 1) * stride;
            if (Mem.getLong(entry + HASH) == hash && layout.equal(entry + ROW, row)) {
                return entry;
            }
            at = at + 1 & SLOTS - 1;
        }
        if (entries == CAPACITY) {
            flush();
            at = (int) (hash >>> 32) & SLOTS - 1;
        }
        long entry = base + (long) entries * stride;
        slots[at] = ++entries;
        Mem.putLong(entry + WEIGHT, 0);
        Mem.putLong(entry + HASH, hash);
        layout.copy(row, entry + ROW);
        return entry;
    }

    private void flush() {
        long base = table.atLeast((long) CAPACITY * stride);
        int n = 0;
        boolean weighted = false;
        for (int i = 0; i < entries; i++) {
            long entry = base + (long) i * stride;
            long weight = Mem.getLong(entry + WEIGHT);
            if (weight != 0) {
                chunk[n++] = entry;
                weighted |= weight != 1;
                if (n == chunk.length) {
                    emit(n, weighted);
                    n = 0;
                    weighted = false;
                }
            }
        }
        if (n > 0) {
            emit(n, weighted);
        }
        entries = 0;
        Arrays.fill(slots, 0);
    }

    private void emit(int n, boolean weighted) {
        rowsOut += n;
        try (BatchBuilder out = new BatchBuilder(types, n, weighted, context.memory())) {
            layout.decode(chunk, ROW, n, out, columns);
            for (int i = 0; weighted && i < n; i++) {
                Mem.putLong(out.weights() + 8L * i, Mem.getLong(chunk[i] + WEIGHT));
            }
            context.output().emit(out.finish(n));
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        if (entries > 0) {
            flush();
        }
        if (rowsIn >= SAMPLE_ROWS) {
            if (2 * rowsOut > rowsIn) {
                pause = PAUSE_ROWS;
            }
            rowsIn = 0;
            rowsOut = 0;
        }
    }

    @Override
    public void close() {
        encoded.close();
        table.close();
    }
}

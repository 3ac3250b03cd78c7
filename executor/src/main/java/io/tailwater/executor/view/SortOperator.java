package io.tailwater.executor.view;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.RowSort;

import java.util.Arrays;

/**
 * ORDER BY, OFFSET and LIMIT at the root of a bounded query: nets its input and emits it in order at the end of the tick, a row of weight 3 three
 * times, batches without weights. Rows that tie on the sort keys come in the order of all their columns, so the answer is always the same.
 */
public final class SortOperator implements Operator {
    /** Limits up to this one keep only the rows that matter. */
    private static final long PRUNE_LIMIT = 100_000;

    private static final int PRUNE_LEAST = 1 << 14;

    private final OperatorContext context;
    private final DataType[] types;
    private final int[] columns;
    private final long offset;
    private final long limit;
    private final int pruneAbove;
    private final RowLayout layout;
    private final RowOrder order;
    private final DeltaBuffer buffer;
    private final long[] chunk = new long[ColumnBatch.TARGET_ROWS];

    private SortOperator(PlanNode.Sort node, OperatorContext context) {
        this.context = context;
        types = BatchBuilder.types(node.schema());
        columns = new int[types.length];
        Arrays.setAll(columns, i -> i);
        offset = node.offset();
        limit = node.limit();
        layout = new RowLayout(types);
        order = new RowOrder(layout, node.keys());
        long kept = offset + limit;
        boolean prunes =
                limit >= 0 && kept <= PRUNE_LIMIT && node.input().traits().appendOnly();
        pruneAbove = prunes ? (int) Math.max(4 * kept, PRUNE_LEAST) : Integer.MAX_VALUE;
        buffer = new DeltaBuffer(layout, RowOrder.ascending(layout), context.memory());
    }

    public static SortOperator create(PlanNode.Sort node, OperatorContext context) {
        return new SortOperator(node, context);
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        try (batch) {
            buffer.add(batch);
        }
        if (buffer.count() > pruneAbove) {
            prune();
        }
    }

    /** Keeps the rows that can still be in the answer. Only if none is ever taken out: then what is behind the limit stays behind it. */
    private void prune() {
        SortedRun run = buffer.build();
        try {
            long[] entries = sorted(run);
            long wanted = offset + limit;
            for (int i = 0; i < entries.length && wanted > 0; i++) {
                long weight = Mem.getLong(entries[i] + SortedRun.WEIGHT);
                buffer.add(entries[i], weight);
                wanted -= weight;
            }
        } finally {
            run.release();
        }
    }

    private long[] sorted(SortedRun run) {
        long[] entries = new long[run.count()];
        Arrays.setAll(entries, run::entry);
        RowSort.sort(entries, entries.length, SortedRun.ROW, order);
        return entries;
    }

    @Override
    public void onTickEnd(Tick tick) {
        if (buffer.count() == 0) {
            return;
        }
        SortedRun run = buffer.build();
        try {
            emit(sorted(run));
        } finally {
            run.release();
        }
    }

    private void emit(long[] entries) {
        long skip = offset;
        long left = limit < 0 ? Long.MAX_VALUE : limit;
        int rows = 0;
        for (int i = 0; i < entries.length && left > 0; i++) {
            long weight = Mem.getLong(entries[i] + SortedRun.WEIGHT);
            if (weight < 0) {
                throw new StreamException(
                        ErrorCode.DATA_EXCEPTION,
                        "more rows were removed than had been added: %s has weight %d"
                                .formatted(layout.describe(entries[i] + SortedRun.ROW), weight));
            }
            long skipped = Math.min(skip, weight);
            skip -= skipped;
            for (long w = Math.min(weight - skipped, left); w > 0; w--) {
                left--;
                chunk[rows++] = entries[i];
                if (rows == chunk.length) {
                    emitChunk(rows);
                    rows = 0;
                }
            }
        }
        if (rows > 0) {
            emitChunk(rows);
        }
    }

    private void emitChunk(int rows) {
        try (BatchBuilder out = new BatchBuilder(types, rows, false, context.memory())) {
            layout.decode(chunk, SortedRun.ROW, rows, out, columns);
            context.output().emit(out.finish(rows));
        }
    }

    @Override
    public StateSize stateSize() {
        return new StateSize(buffer.count(), buffer.reservedBytes());
    }

    @Override
    public void close() {
        buffer.close();
    }
}

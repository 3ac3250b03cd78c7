package io.tailwater.executor.join;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.executor.expr.BatchPredicate;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.state.RowGather;
import org.jspecify.annotations.Nullable;

/**
 * Pairs a batch's rows with the other side's chains: candidates are collected, built into a batch of left ++ right columns, filtered by the residual
 * condition, counted as matches where a side needs that, and emitted. Owned by one operator; not thread-safe.
 */
final class PairOutput {
    private static final int CAPACITY = ColumnBatch.TARGET_ROWS;

    private final JoinColumns columns;
    private final JoinSide[] sides;
    private final boolean[] counting;
    private final boolean weighted;
    private final @Nullable BatchPredicate residual;
    private final boolean emits;
    private final OperatorContext context;
    private final int[] index = new int[CAPACITY];
    private final long[] entry = new long[CAPACITY];
    private final long[] other = new long[CAPACITY];
    private final long[] weight = new long[CAPACITY];
    private final int[] selection = new int[CAPACITY];

    /**
     * @param alone sides whose rows are also emitted by their match count
     * @param weighted whether the output has weights
     * @param emits whether pairs are results, not only matches
     */
    PairOutput(
            JoinColumns columns,
            JoinSide[] sides,
            boolean[] alone,
            boolean weighted,
            @Nullable BatchPredicate residual,
            boolean emits,
            OperatorContext context) {
        this.columns = columns;
        this.sides = sides;
        this.weighted = weighted;
        this.residual = residual;
        this.emits = emits;
        this.context = context;
        counting = new boolean[] {residual != null && alone[0], residual != null && alone[1]};
    }

    /** Pairs a batch of {@code input} that has just been inserted. */
    void probe(int input, ColumnBatch batch, long[] entries, long stamp) {
        JoinSide side = sides[1 - input];
        int head = side.headOffset();
        int rows = batch.rows();
        side.touchHeads(entries, rows);
        boolean keepZero = counting[0] || counting[1];
        int n = 0;
        for (int i = 0; i < rows; i++) {
            long own = batch.weight(i);
            for (long row = Mem.getLong(entries[i] + head); row != 0; row = side.next(row)) {
                long product = own * side.weight(row);
                if (product == 0 && !keepZero) {
                    continue;
                }
                index[n] = i;
                entry[n] = entries[i];
                other[n] = row;
                weight[n++] = product;
                if (n == CAPACITY) {
                    flush(input, batch, n, stamp);
                    n = 0;
                }
            }
        }
        if (n > 0) {
            flush(input, batch, n, stamp);
        }
    }

    private void flush(int input, ColumnBatch batch, int n, long stamp) {
        ColumnBatch candidates = build(input, batch, n);
        if (residual == null) {
            context.output().emit(candidates);
            return;
        }
        try (candidates) {
            int selected = residual.select(candidates, selection);
            count(input, batch, selected, stamp);
            if (!emits) {
                return;
            }
            int kept = 0;
            for (int i = 0; i < selected; i++) {
                if (weight[selection[i]] != 0) {
                    selection[kept++] = selection[i];
                }
            }
            if (kept == n) {
                context.output().emit(candidates.retain());
            } else if (kept > 0) {
                context.output().emit(RowGather.gather(candidates, selection, kept, context.memory()));
            }
        }
    }

    private ColumnBatch build(int input, ColumnBatch batch, int n) {
        try (BatchBuilder out = new BatchBuilder(columns.types(), n, weighted, context.memory())) {
            int base = columns.base(input);
            for (int c = 0; c < columns.count(input); c++) {
                RowGather.gather(batch, c, index, n, out, base + c);
            }
            columns.decode(1 - input, sides[1 - input], entry, other, n, out);
            if (weighted) {
                for (int i = 0; i < n; i++) {
                    Mem.putLong(out.weights() + 8L * i, weight[i]);
                }
            }
            return out.finish(n);
        }
    }

    /** A match counts for the row that has just come only if it is new: one that was there already had its matches counted. */
    private void count(int input, ColumnBatch batch, int selected, long stamp) {
        JoinSide own = sides[input];
        JoinSide others = sides[1 - input];
        for (int s = 0; s < selected; s++) {
            int i = selection[s];
            if (counting[input] && own.isNew(index[i])) {
                own.addMatches(own.row(index[i]), others.weight(other[i]));
            }
            if (counting[1 - input]) {
                others.addMatches(other[i], batch.weight(index[i]));
                others.touch(other[i], stamp);
            }
        }
    }
}

package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.executor.state.Arena;
import org.jspecify.annotations.Nullable;

/** One call at work: which rows count how often, then the accumulator. */
final class Fold implements AutoCloseable {
    private final AggregateCall call;
    private final int notNull;
    private final @Nullable DistinctValues distinct;
    private final Accumulator accumulator;
    private long[] counts = new long[ColumnBatch.TARGET_ROWS];

    Fold(AggregateCall call, int notNull, @Nullable DistinctValues distinct, Accumulator accumulator) {
        this.call = call;
        this.notNull = notNull;
        this.distinct = distinct;
        this.accumulator = accumulator;
    }

    void add(AggregateInput input, long[] groups) {
        if (counts.length < input.rows()) {
            counts = new long[input.rows()];
        }
        long @Nullable [] weights = input.counts(call, notNull, counts);
        if (distinct != null) {
            weights = distinct.transitions(input, groups, weights, counts);
        }
        accumulator.add(input, groups, weights);
    }

    void results(long[] groups, int n, long to) {
        if (distinct != null) {
            distinct.check(groups, n);
        }
        accumulator.results(groups, n, to);
    }

    void release(long group, Arena arena) {
        if (distinct != null) {
            distinct.release(group);
        }
        accumulator.release(group, arena);
    }

    @Override
    public void close() {
        if (distinct != null) {
            distinct.close();
        }
        accumulator.close();
    }
}

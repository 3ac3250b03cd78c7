package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.snapshot.TableSnapshot;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.OrderedState;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** One call at work: which rows count how often, then the accumulator. */
final class Fold implements AutoCloseable {
    private final AggregateCall call;
    private final int notNull;
    /** Of the accumulator's bytes within a group row. */
    private final int offset;

    private final @Nullable DistinctValues distinct;
    private final Accumulator accumulator;
    private long[] counts = new long[ColumnBatch.TARGET_ROWS];

    Fold(AggregateCall call, int notNull, int offset, @Nullable DistinctValues distinct, Accumulator accumulator) {
        this.call = call;
        this.notNull = notNull;
        this.offset = offset;
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

    /** What {@link #snapshot} leaves out. */
    List<TableSnapshot.Multiset> multisets() {
        List<TableSnapshot.Multiset> out = new ArrayList<>();
        if (distinct != null) {
            out.add(distinct.multiset());
        }
        OrderedState ordered = accumulator.multiset();
        if (ordered != null) {
            out.add(new TableSnapshot.Multiset(ordered, offset));
        }
        return out;
    }

    void snapshot(long group, StateWriter out) {
        accumulator.snapshot(group + offset, out);
    }

    /** Returns the bytes read. */
    int restore(long from, long group) {
        return accumulator.restore(from, group + offset);
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

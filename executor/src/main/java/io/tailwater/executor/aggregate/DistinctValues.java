package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.snapshot.TableSnapshot;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.Scratch;
import org.jspecify.annotations.Nullable;

/** The values a DISTINCT call has seen in each group and how often: a value counts +1 when it comes in and -1 when its last occurrence goes. */
final class DistinctValues implements AutoCloseable {
    static final int BYTES = OrderedState.ROOT_BYTES;

    private final int[] columns;
    private final RowLayout entry;
    private final OrderedState ordered;
    private final int offset;
    private final Scratch encoded;

    DistinctValues(AggregateCall call, Schema input, int offset, Arena arena, MemoryAccount memory) {
        this.offset = offset;
        columns = call.arguments().stream().mapToInt(i -> i).toArray();
        DataType[] types = call.arguments().stream().map(input::type).toArray(DataType[]::new);
        // A row with a NULL there counts 0 times and is skipped.
        for (int i = 0; i < FoldPlan.notNull(call); i++) {
            types[i] = types[i].notNull();
        }
        entry = RowLayout.droppingNulls(types);
        ordered = new OrderedState(entry, RowOrder.ascending(entry), arena);
        encoded = new Scratch(memory);
    }

    /** Replaces the counts of rows by those of distinct values. */
    long[] transitions(AggregateInput input, long[] groups, long @Nullable [] counts, long[] out) {
        int n = input.rows();
        long rows = encoded.atLeast((long) n * entry.width());
        entry.encode(input.batch(), columns, n, rows, entry.width());
        for (int i = 0; i < n; i++) {
            long count = counts == null ? 1 : counts[i];
            if (count == 0) {
                out[i] = 0;
                continue;
            }
            long old = ordered.addFor(groups[i], groups[i] + offset, rows + (long) i * entry.width(), count);
            out[i] = (old + count > 0 ? 1L : 0L) - (old > 0 ? 1L : 0L);
        }
        return out;
    }

    TableSnapshot.Multiset multiset() {
        return new TableSnapshot.Multiset(ordered, offset);
    }

    void check(long[] groups, int n) {
        for (int i = 0; i < n; i++) {
            ordered.check(groups[i] + offset);
        }
    }

    void release(long group) {
        ordered.clear(group + offset);
    }

    @Override
    public void close() {
        encoded.close();
    }
}

package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.SortKey;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.Scratch;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Functions of a group's values in order, any of which may be taken out again: MIN, MAX, STRING_AGG, FIRST_VALUE, LAST_VALUE, SINGLE_VALUE. The group
 * row has the root of an {@link OrderedState} whose entries are the call's arguments and ORDER BY columns.
 */
final class OrderedFold implements Accumulator {
    private final AggregateFunction function;
    private final int[] columns;
    private final RowLayout entry;
    private final OrderedState ordered;
    private final boolean distinct;
    /** Whether the second column is a separator. */
    private final boolean separated;

    private final int offset;
    private final ResultField field;
    private final Scratch encoded;
    private final Scratch text;

    OrderedFold(AggregateCall call, Schema input, int offset, ResultField field, Arena arena, MemoryAccount memory) {
        this.function = call.function();
        this.offset = offset;
        this.field = field;
        this.distinct = call.distinct();
        this.separated = call.arguments().size() > 1;
        List<Integer> entries = new ArrayList<>(call.arguments());
        List<SortKey> order = new ArrayList<>();
        for (SortKey key : call.order()) {
            int at = entries.indexOf(key.column());
            if (at < 0) {
                at = entries.size();
                entries.add(key.column());
            }
            order.add(new SortKey(at, key.descending(), key.nullsFirst()));
        }
        columns = entries.stream().mapToInt(i -> i).toArray();
        DataType[] types = entries.stream().map(input::type).toArray(DataType[]::new);
        // A row with a NULL there counts 0 times and is skipped.
        for (int i = 0; i < FoldPlan.notNull(call); i++) {
            types[i] = types[i].notNull();
        }
        entry = RowLayout.droppingNulls(types);
        ordered = new OrderedState(entry, new RowOrder(entry, order), arena);
        encoded = new Scratch(memory);
        text = new Scratch(memory);
    }

    @Override
    public int stateBytes() {
        return OrderedState.ROOT_BYTES;
    }

    @Override
    public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
        ColumnBatch batch = input.batch();
        int n = input.rows();
        long rows = encoded.atLeast((long) n * entry.width());
        entry.encode(batch, columns, n, rows, entry.width());
        for (int i = 0; i < n; i++) {
            long count = counts == null ? 1 : counts[i];
            if (count != 0) {
                ordered.addFor(groups[i], groups[i] + offset, rows + (long) i * entry.width(), count);
            }
        }
    }

    @Override
    public void results(long[] groups, int n, long to) {
        if (function == AggregateFunction.STRING_AGG) {
            concatenate(groups, n, to);
            return;
        }
        for (int i = 0; i < n; i++) {
            long root = groups[i] + offset;
            long row = to + (long) i * field.stride();
            ordered.check(root);
            long found = switch (function) {
                case MIN, FIRST_VALUE -> ordered.first(root);
                case MAX, LAST_VALUE -> ordered.last(root);
                default -> single(root);
            };
            if (found == 0 || entry.isNull(0, found)) {
                field.setNull(row);
            } else {
                Extremes.copyField(found + entry.offset(0), field, row);
            }
        }
    }

    private long single(long root) {
        long found = ordered.first(root);
        if (found != 0 && (ordered.entries(root) > 1 || ordered.weight(found) > 1)) {
            throw new StreamException(
                    ErrorCode.CARDINALITY_VIOLATION, "more than one row returned by a subquery used as an expression");
        }
        return found;
    }

    /** The texts lie in the scratch area until the caller has copied them: lengths first, so that the area does not move. */
    private void concatenate(long[] groups, int n, long to) {
        long total = 0;
        for (int i = 0; i < n; i++) {
            total += length(groups[i] + offset);
        }
        long at = text.atLeast(Math.max(total, 8));
        for (int i = 0; i < n; i++) {
            long row = to + (long) i * field.stride();
            long root = groups[i] + offset;
            if (ordered.entries(root) == 0) {
                field.setNull(row);
                continue;
            }
            long end = append(root, at);
            StringView.put(field.address(row), at, (int) (end - at));
            at = end;
        }
    }

    private long length(long root) {
        ordered.check(root);
        long length = 0;
        boolean first = true;
        for (OrderedState.Cursor c = ordered.cursor(root); c.valid(); c.next()) {
            long times = distinct ? 1 : c.weight();
            length += times * StringView.length(c.entry() + entry.offset(0));
            length += (times - (first ? 1 : 0)) * separatorLength(c.entry());
            first = false;
        }
        if (length > Integer.MAX_VALUE) {
            throw new StreamException(ErrorCode.STRING_TOO_LONG, "result of STRING_AGG is longer than 2 GB");
        }
        return length;
    }

    private int separatorLength(long value) {
        return separated && !entry.isNull(1, value) ? StringView.length(value + entry.offset(1)) : 0;
    }

    private long append(long root, long to) {
        long at = to;
        boolean first = true;
        for (OrderedState.Cursor c = ordered.cursor(root); c.valid(); c.next()) {
            long times = distinct ? 1 : c.weight();
            for (long t = 0; t < times; t++) {
                if (!first) {
                    int length = separatorLength(c.entry());
                    if (length > 0) {
                        Mem.copy(StringView.bytes(c.entry() + entry.offset(1)), at, length);
                    }
                    at += length;
                }
                first = false;
                long slot = c.entry() + entry.offset(0);
                Mem.copy(StringView.bytes(slot), at, StringView.length(slot));
                at += StringView.length(slot);
            }
        }
        return at;
    }

    @Override
    public OrderedState multiset() {
        return ordered;
    }

    @Override
    public void snapshot(long at, StateWriter out) {
        // The root is made anew, entry by entry.
    }

    @Override
    public int restore(long from, long at) {
        return 0;
    }

    @Override
    public void release(long group, Arena arena) {
        ordered.clear(group + offset);
    }

    @Override
    public void close() {
        encoded.close();
        text.close();
    }
}

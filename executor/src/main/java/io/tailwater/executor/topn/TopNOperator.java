package io.tailwater.executor.topn;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.snapshot.TableSnapshot;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOutput;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;
import io.tailwater.executor.time.GroupRetention;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The first rows of each group in an order. A group's row holds {root of its ordered multiset, what it had emitted before the tick touched it}; its weight is
 * the number of its rows. Before the first change of a tick the emitted rows are copied aside, and at tick end what is first now is compared with them.
 *
 * <p>Of an input that only adds rows no more than {@code offset + limit} rows of a group are held: one that sorts behind them can never come first.
 */
public final class TopNOperator implements Operator {
    private static final int ROOT = 0;
    private static final int BEFORE = OrderedState.ROOT_BYTES;
    private static final int VALUE_BYTES = BEFORE + 8;
    /** A block of emitted rows: how many entries, then {row, copies} of each. */
    private static final int ENTRIES = 8;

    private final long offset;
    private final long end;
    private final boolean appendOnly;
    private final TopNColumns columns;
    private final RowLayout rest;
    private final StateTable table;
    private final OrderedState ordered;
    private final TableSnapshot snapshot;
    private final int rootOffset;
    private final int beforeOffset;
    private final int entryBytes;
    private final AddressList removed;
    private final AddressList dirty;
    private final Scratch keys;
    private final Scratch rows;
    private final RowOutput output;
    private final TopNChange change;
    private final @Nullable GroupRetention retention;
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] found = new long[ColumnBatch.TARGET_ROWS];
    private long stamp;

    private TopNOperator(PlanNode.TopN node, OperatorContext context) {
        offset = node.offset();
        end = Math.min(offset, Long.MAX_VALUE - node.limit()) + node.limit();
        appendOnly = node.input().traits().appendOnly();
        columns = TopNColumns.of(node);
        rest = columns.rest();
        entryBytes = rest.width() + 8;
        table = new StateTable(columns.key(), VALUE_BYTES, context.memory());
        removed = new AddressList(context.memory());
        ordered = new OrderedState(rest, columns.order(), table.arena(), removed);
        rootOffset = table.valueOffset() + ROOT;
        snapshot = new TableSnapshot(table, List.of(new TableSnapshot.Multiset(ordered, rootOffset)), context.memory());
        beforeOffset = table.valueOffset() + BEFORE;
        dirty = new AddressList(context.memory());
        keys = new Scratch(context.memory());
        rows = new Scratch(context.memory());
        output = columns.output(node, context);
        change = new TopNChange(offset, end, node.rowNumber(), columns, ordered, output);
        retention = columns.retention(node, table, this::release, context.memory());
    }

    public static Operator create(PlanNode.TopN node, OperatorContext context) {
        return node.input().traits().appendOnly() && node.offset() == 0 && node.limit() == 1
                ? new FirstRowOperator(node, context)
                : new TopNOperator(node, context);
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        try (batch) {
            int n = batch.rows();
            if (n == 0) {
                return;
            }
            if (found.length < n) {
                found = new long[n];
                hashes = new long[n];
            }
            columns.findGroups(batch, keys, table, hashes, found);
            int width = rest.width();
            long from = rows.atLeast((long) n * width + 8);
            columns.encodeRest(batch, from);
            if (appendOnly) {
                if (batch.weights() != 0) {
                    throw new AssertionError("weights from an input that the planner said only adds rows");
                }
                for (int i = 0; i < n; i++) {
                    offer(found[i], from + (long) i * width);
                }
            } else {
                for (int i = 0; i < n; i++) {
                    change(found[i], from + (long) i * width, batch.weight(i));
                }
            }
        }
    }

    private void offer(long group, long row) {
        long root = group + rootOffset;
        boolean full = StateTable.weight(group) >= end;
        if (full && columns.order().compare(row, ordered.last(root)) >= 0) {
            return;
        }
        change(group, row, 1);
        if (full) {
            change(group, ordered.last(root), -1);
        }
    }

    private void change(long group, long row, long weight) {
        if (StateTable.stamp(group) != stamp) {
            table.touch(group, stamp);
            dirty.add(group);
            Mem.putLong(group + beforeOffset, copyEmitted(group + rootOffset));
        }
        StateTable.setWeight(group, StateTable.weight(group) + weight);
        ordered.addFor(group, group + rootOffset, row, weight);
    }

    /** A block with copies of what the group has emitted, or 0 if nothing. Their strings stay with the multiset, which keeps those of removed rows for the tick. */
    private long copyEmitted(long root) {
        int entries = 0;
        long position = 0;
        for (OrderedState.Cursor c = ordered.cursor(root); c.valid() && position < end; c.next()) {
            position += c.weight();
            entries += position > offset ? 1 : 0;
        }
        if (entries == 0) {
            return 0;
        }
        long bytes = ENTRIES + (long) entries * entryBytes;
        if (bytes > Integer.MAX_VALUE) {
            throw new StreamException(
                    ErrorCode.OUT_OF_MEMORY, "the first %d rows of a group take %d bytes".formatted(entries, bytes));
        }
        long block = table.arena().allocate((int) bytes);
        long to = block + ENTRIES;
        position = 0;
        for (OrderedState.Cursor c = ordered.cursor(root); c.valid() && position < end; c.next()) {
            long from = Math.max(position, offset);
            position += c.weight();
            long copies = Math.min(position, end) - from;
            if (copies > 0) {
                rest.copy(c.entry(), to);
                Mem.putLong(to + rest.width(), copies);
                to += entryBytes;
            }
        }
        Mem.putLong(block, entries);
        return block;
    }

    private void freeEmitted(long group) {
        long block = Mem.getLong(group + beforeOffset);
        if (block == 0) {
            return;
        }
        table.arena().free(block, ENTRIES + (int) Mem.getLong(block) * entryBytes);
        Mem.putLong(group + beforeOffset, 0);
    }

    @Override
    public void onTickEnd(Tick tick) {
        long n = dirty.size();
        for (long i = 0; i < n; i++) {
            long group = dirty.get(i);
            ordered.check(group + rootOffset);
            change.emit(group, Mem.getLong(group + beforeOffset), group + rootOffset);
        }
        output.flush();
        for (long i = 0; i < n; i++) {
            long group = dirty.get(i);
            freeEmitted(group);
            if (ordered.entries(group + rootOffset) == 0) {
                table.remove(group);
            }
        }
        ordered.freeRemoved();
        dirty.clear();
        stamp = tick.number() + 1;
        if (retention != null) {
            retention.onTickEnd(tick);
        }
    }

    private void release(long group) {
        ordered.clear(group + rootOffset);
    }

    @Override
    public void trackChanges() {
        snapshot.trackChanges();
    }

    @Override
    public void snapshot(StateWriter out) {
        snapshot.write(out, stamp - 1, group -> {});
    }

    @Override
    public void restore(StateReader in) {
        snapshot.read(in, this::release);
    }

    @Override
    public void restored() {
        ordered.freeRemoved();
    }

    @Override
    public StateSize stateSize() {
        return new StateSize(
                table.rows(),
                table.reservedBytes() + dirty.reservedBytes() + removed.reservedBytes() + snapshot.reservedBytes());
    }

    @Override
    public void close() {
        table.close();
        snapshot.close();
        dirty.close();
        removed.close();
        keys.close();
        rows.close();
        if (retention != null) {
            retention.close();
        }
    }
}

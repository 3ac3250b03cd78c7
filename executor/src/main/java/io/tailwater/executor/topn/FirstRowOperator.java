package io.tailwater.executor.topn;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.RowOutput;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.snapshot.TableSnapshot;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;
import io.tailwater.executor.time.GroupRetention;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Limit 1 over an input that only adds rows: deduplication, and the best of each group. A group's row holds {replaced, the first row so far}; while a tick
 * changes it, {@code replaced} is a block with the row that was emitted last. The group's weight is 1 once it has a row.
 */
final class FirstRowOperator implements Operator {
    private static final int REPLACED = 0;
    private static final int ROW = 8;

    private final TopNColumns columns;
    private final RowLayout rest;
    private final StateTable table;
    private final int valueOffset;
    private final TableSnapshot snapshot;
    private final AddressList dirty;
    private final Scratch keys;
    private final Scratch rows;
    private final RowOutput output;
    private final @Nullable GroupRetention retention;
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] found = new long[ColumnBatch.TARGET_ROWS];
    private long stamp;

    FirstRowOperator(PlanNode.TopN node, OperatorContext context) {
        columns = TopNColumns.of(node);
        rest = columns.rest();
        table = new StateTable(columns.key(), ROW + rest.width(), context.memory());
        valueOffset = table.valueOffset();
        snapshot = new TableSnapshot(table, List.of(), context.memory());
        dirty = new AddressList(context.memory());
        keys = new Scratch(context.memory());
        rows = new Scratch(context.memory());
        output = columns.output(node, context);
        retention = columns.retention(node, table, this::release, context.memory());
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        try (batch) {
            int n = batch.rows();
            if (n == 0) {
                return;
            }
            if (batch.weights() != 0) {
                throw new AssertionError("weights from an input that the planner said only adds rows");
            }
            if (found.length < n) {
                found = new long[n];
                hashes = new long[n];
            }
            columns.findGroups(batch, keys, table, hashes, found);
            int width = rest.width();
            long from = rows.atLeast((long) n * width + 8);
            columns.encodeRest(batch, from);
            for (int i = 0; i < n; i++) {
                offer(found[i], from + (long) i * width);
            }
        }
    }

    private void offer(long group, long candidate) {
        long current = group + valueOffset + ROW;
        boolean first = StateTable.weight(group) == 0;
        if (!first && columns.order().compare(candidate, current) >= 0) {
            return;
        }
        if (StateTable.stamp(group) != stamp) {
            table.touch(group, stamp);
            dirty.add(group);
            if (!first) {
                // The emitted row moves aside with the strings it owns.
                long block = table.arena().allocate(blockBytes());
                rest.copy(current, block);
                Mem.putLong(group + valueOffset + REPLACED, block);
            }
        } else if (!first) {
            rest.disown(current, table.arena());
        }
        rest.copy(candidate, current);
        rest.own(current, table.arena());
        StateTable.setWeight(group, 1);
    }

    private int blockBytes() {
        return Math.max(8, rest.width());
    }

    @Override
    public void onTickEnd(Tick tick) {
        long n = dirty.size();
        for (long i = 0; i < n; i++) {
            long group = dirty.get(i);
            long replaced = Mem.getLong(group + valueOffset + REPLACED);
            if (replaced != 0) {
                output.add(group, replaced, 1, 0, -1);
            }
            output.add(group, group + valueOffset + ROW, 1, 0, 1);
        }
        output.flush();
        for (long i = 0; i < n; i++) {
            long at = dirty.get(i) + valueOffset + REPLACED;
            long replaced = Mem.getLong(at);
            if (replaced != 0) {
                rest.disown(replaced, table.arena());
                table.arena().free(replaced, blockBytes());
                Mem.putLong(at, 0);
            }
        }
        dirty.clear();
        stamp = tick.number() + 1;
        if (retention != null) {
            retention.onTickEnd(tick);
        }
    }

    private void release(long group) {
        rest.disown(group + valueOffset + ROW, table.arena());
    }

    @Override
    public void trackChanges() {
        snapshot.trackChanges();
    }

    @Override
    public void snapshot(StateWriter out) {
        snapshot.write(out, stamp - 1, group -> out.put(rest, group + valueOffset + ROW));
    }

    @Override
    public void restore(StateReader in) {
        long group = snapshot.read(in, this::release);
        if (group != 0) {
            // Of a new group the row is zero, which owns nothing.
            release(group);
            rest.unflatten(in.value(), group + valueOffset + ROW);
            rest.own(group + valueOffset + ROW, table.arena());
        }
    }

    @Override
    public StateSize stateSize() {
        return new StateSize(table.rows(), table.reservedBytes() + dirty.reservedBytes());
    }

    @Override
    public void close() {
        table.close();
        snapshot.close();
        dirty.close();
        keys.close();
        rows.close();
        if (retention != null) {
            retention.close();
        }
    }
}

package io.tailwater.executor.set;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.expr.KeyHash;
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

import java.util.List;
import java.util.stream.IntStream;

/**
 * INTERSECT and EXCEPT over whole rows. A row of the {@link StateTable} is a row of either input: its weight is how often the left has it, its value {how
 * often the right has it, how often it has been emitted}. At tick end each touched row is emitted by as much as its count in the result has changed.
 */
public final class SetOperationOperator implements Operator {
    private static final int RIGHT = 0;
    private static final int EMITTED = 8;
    private static final int VALUE_BYTES = 16;

    private final PlanNode.SetKind kind;
    private final boolean all;
    private final int[] columns;
    private final RowLayout layout;
    private final StateTable table;
    private final int valueOffset;
    private final TableSnapshot snapshot;
    private final AddressList dirty;
    private final Scratch encoded;
    private final RowOutput output;
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] found = new long[ColumnBatch.TARGET_ROWS];
    private long stamp;

    private SetOperationOperator(PlanNode.SetOperation node, OperatorContext context) {
        kind = node.kind();
        all = node.all();
        DataType[] out = BatchBuilder.types(node.schema());
        columns = IntStream.range(0, out.length).toArray();
        layout = layout(node);
        table = new StateTable(layout, VALUE_BYTES, context.memory());
        valueOffset = table.valueOffset();
        snapshot = new TableSnapshot(table, List.of(), context.memory());
        dirty = new AddressList(context.memory());
        encoded = new Scratch(context.memory());
        output = new RowOutput(
                out,
                List.of(new RowOutput.Part(layout, StateTable.KEY, columns)),
                out.length,
                !node.traits().appendOnly(),
                context.memory(),
                context.output());
    }

    /** How the rows of both inputs are held. */
    public static RowLayout layout(PlanNode.SetOperation node) {
        DataType[] out = BatchBuilder.types(node.schema());
        DataType[] types = new DataType[out.length];
        for (int c = 0; c < types.length; c++) {
            // A NULL of one input is never in the result if the other's column is NOT NULL, but it is held all the
            // same.
            types[c] = out[c].withNullable(node.left().schema().type(c).nullable()
                    || node.right().schema().type(c).nullable());
        }
        return new RowLayout(types);
    }

    public static SetOperationOperator create(PlanNode.SetOperation node, OperatorContext context) {
        return new SetOperationOperator(node, context);
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
            KeyHash.hash(batch, columns, hashes);
            long rows = encoded.atLeast((long) n * layout.width() + 8);
            layout.encode(batch, columns, n, rows, layout.width());
            table.findOrInsert(rows, layout.width(), hashes, n, found);
            for (int i = 0; i < n; i++) {
                long row = found[i];
                if (StateTable.stamp(row) != stamp) {
                    table.touch(row, stamp);
                    dirty.add(row);
                }
                long weight = batch.weight(i);
                if (input == 0) {
                    StateTable.setWeight(row, StateTable.weight(row) + weight);
                } else {
                    long right = row + valueOffset + RIGHT;
                    Mem.putLong(right, Mem.getLong(right) + weight);
                }
            }
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        long n = dirty.size();
        for (long i = 0; i < n; i++) {
            long row = dirty.get(i);
            long left = StateTable.weight(row);
            long right = Mem.getLong(row + valueOffset + RIGHT);
            if (left < 0 || right < 0) {
                throw negative(row, Math.min(left, right));
            }
            long emitted = Mem.getLong(row + valueOffset + EMITTED);
            long count = count(left, right);
            if (count != emitted) {
                Mem.putLong(row + valueOffset + EMITTED, count);
                output.add(row, count - emitted);
            }
        }
        output.flush();
        for (long i = 0; i < n; i++) {
            long row = dirty.get(i);
            if (StateTable.weight(row) == 0 && Mem.getLong(row + valueOffset + RIGHT) == 0) {
                table.remove(row);
            }
        }
        dirty.clear();
        stamp = tick.number() + 1;
    }

    private long count(long left, long right) {
        return switch (kind) {
            case INTERSECT -> all ? Math.min(left, right) : left > 0 && right > 0 ? 1 : 0;
            case EXCEPT -> all ? Math.max(left - right, 0) : left > 0 && right == 0 ? 1 : 0;
        };
    }

    private StreamException negative(long row, long weight) {
        return new StreamException(
                ErrorCode.DATA_EXCEPTION,
                "more rows were removed than had been added: %s has weight %d"
                        .formatted(layout.describe(row + StateTable.KEY), weight),
                -1,
                "The input retracts a row that it never inserted.",
                null);
    }

    @Override
    public void trackChanges() {
        snapshot.trackChanges();
    }

    @Override
    public void snapshot(StateWriter out) {
        snapshot.write(out, stamp - 1, row -> out.put(row + valueOffset, VALUE_BYTES));
    }

    @Override
    public void restore(StateReader in) {
        long row = snapshot.read(in, gone -> {});
        if (row != 0) {
            Mem.copy(in.value(), row + valueOffset, VALUE_BYTES);
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
        encoded.close();
    }
}

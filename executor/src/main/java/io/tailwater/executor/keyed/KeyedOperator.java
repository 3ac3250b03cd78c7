package io.tailwater.executor.keyed;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.expr.KeyHash;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.snapshot.TableSnapshot;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns upserts and deletes by key into changes. A key's row holds {present, pending, columns that are not in the key}; what comes in during a tick is
 * kept aside as {@code pending}, the last one wins, and at tick end the difference is emitted: minus the old row, plus the new.
 */
public final class KeyedOperator implements Operator {
    private static final int PRESENT = 0;
    private static final int PENDING = 8;
    private static final int ROW = 16;
    /** The pending change is a removal. */
    private static final long REMOVE = 1;

    private static final int CHUNK = ColumnBatch.TARGET_ROWS / 2;

    private final OperatorContext context;
    private final DataType[] types;
    private final int[] keyColumns;
    private final int[] restColumns;
    private final RowLayout key;
    private final RowLayout rest;
    private final StateTable table;
    private final int valueOffset;
    private final TableSnapshot snapshot;
    private final AddressList dirty;
    private final Scratch keys;
    private final Scratch rests;
    private final long[] outKeys = new long[2 * CHUNK];
    private final long[] outRests = new long[2 * CHUNK];
    private final long[] outWeights = new long[2 * CHUNK];
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] found = new long[ColumnBatch.TARGET_ROWS];
    private long stamp;

    private KeyedOperator(PlanNode.Keyed node, OperatorContext context) {
        this.context = context;
        Schema schema = node.schema();
        types = BatchBuilder.types(schema);
        keyColumns = node.key().stream().mapToInt(i -> i).toArray();
        List<Integer> others = new ArrayList<>();
        for (int c = 0; c < schema.size(); c++) {
            if (!node.key().contains(c)) {
                others.add(c);
            }
        }
        restColumns = others.stream().mapToInt(i -> i).toArray();
        key = new RowLayout(node.key().stream().map(c -> schema.type(c)).toArray(DataType[]::new));
        // A delete need not say what it deletes: its columns past the key may be NULL whatever the schema says.
        rest = new RowLayout(
                others.stream().map(c -> schema.type(c).withNullable(true)).toArray(DataType[]::new));
        table = new StateTable(key, ROW + rest.width(), context.memory());
        valueOffset = table.valueOffset();
        snapshot = new TableSnapshot(table, List.of(), context.memory());
        dirty = new AddressList(context.memory());
        keys = new Scratch(context.memory());
        rests = new Scratch(context.memory());
    }

    public static KeyedOperator create(PlanNode.Keyed node, OperatorContext context) {
        if (node.key().isEmpty()) {
            throw new AssertionError("a keyed table without a key");
        }
        return new KeyedOperator(node, context);
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
            KeyHash.hash(batch, keyColumns, hashes);
            long encodedKeys = keys.atLeast((long) n * key.width());
            key.encode(batch, keyColumns, n, encodedKeys, key.width());
            table.findOrInsert(encodedKeys, key.width(), hashes, n, found);
            long encodedRests = rests.atLeast((long) n * rest.width() + 8);
            rest.encode(batch, restColumns, n, encodedRests, rest.width());
            for (int i = 0; i < n; i++) {
                long row = found[i];
                if (StateTable.stamp(row) != stamp) {
                    table.touch(row, stamp);
                    dirty.add(row);
                }
                apply(row, batch.weight(i), encodedRests + (long) i * rest.width());
            }
        }
    }

    private void apply(long row, long weight, long encoded) {
        if (weight != 1 && weight != -1) {
            throw new StreamException(
                    ErrorCode.DATA_EXCEPTION,
                    "an upsert or delete of key %s has weight %d".formatted(key.describe(row + StateTable.KEY), weight),
                    -1,
                    "A keyed table takes one row at a time for each key.",
                    null);
        }
        long pending = Mem.getLong(row + valueOffset + PENDING);
        long block = pending > REMOVE ? pending : 0;
        if (block != 0) {
            rest.disown(block, table.arena());
        }
        if (weight < 0) {
            freeBlock(block);
            Mem.putLong(row + valueOffset + PENDING, REMOVE);
            return;
        }
        if (block == 0) {
            block = table.arena().allocate(blockBytes());
            Mem.putLong(row + valueOffset + PENDING, block);
        }
        rest.copy(encoded, block);
        rest.own(block, table.arena());
    }

    private int blockBytes() {
        return Math.max(8, rest.width());
    }

    private void freeBlock(long block) {
        if (block != 0) {
            table.arena().free(block, blockBytes());
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        long n = dirty.size();
        for (long from = 0; from < n; from += CHUNK) {
            finish(from, (int) Math.min(CHUNK, n - from));
        }
        dirty.clear();
        stamp = tick.number() + 1;
    }

    private void finish(long from, int n) {
        int out = 0;
        for (int i = 0; i < n; i++) {
            long row = dirty.get(from + i);
            long value = row + valueOffset;
            boolean was = Mem.getLong(value + PRESENT) != 0;
            long pending = Mem.getLong(value + PENDING);
            boolean is = pending != REMOVE;
            if (was && is && rest.equal(value + ROW, pending)) {
                continue;
            }
            if (was) {
                outKeys[out] = row + StateTable.KEY;
                outRests[out] = value + ROW;
                outWeights[out++] = -1;
            }
            if (is) {
                outKeys[out] = row + StateTable.KEY;
                outRests[out] = pending;
                outWeights[out++] = 1;
            }
        }
        if (out > 0) {
            emit(out);
        }
        for (int i = 0; i < n; i++) {
            settle(dirty.get(from + i));
        }
    }

    private void emit(int rows) {
        try (BatchBuilder out = new BatchBuilder(types, rows, true, context.memory())) {
            key.decode(outKeys, 0, rows, out, keyColumns);
            rest.decode(outRests, 0, rows, out, restColumns);
            for (int i = 0; i < rows; i++) {
                Mem.putLong(out.weights() + 8L * i, outWeights[i]);
            }
            context.output().emit(out.finish(rows));
        }
    }

    /** The pending change becomes the row. */
    private void settle(long row) {
        long value = row + valueOffset;
        if (Mem.getLong(value + PRESENT) != 0) {
            rest.disown(value + ROW, table.arena());
        }
        long pending = Mem.getLong(value + PENDING);
        if (pending == REMOVE) {
            table.remove(row);
            return;
        }
        // The block's strings change hands; only the block itself is given back.
        rest.copy(pending, value + ROW);
        freeBlock(pending);
        Mem.putLong(value + PRESENT, 1);
        Mem.putLong(value + PENDING, 0);
    }

    @Override
    public void trackChanges() {
        snapshot.trackChanges();
    }

    /** Between ticks a row is there and has nothing pending. */
    @Override
    public void snapshot(StateWriter out) {
        snapshot.write(out, stamp - 1, row -> out.put(rest, row + valueOffset + ROW));
    }

    @Override
    public void restore(StateReader in) {
        long row = snapshot.read(in, gone -> rest.disown(gone + valueOffset + ROW, table.arena()));
        if (row == 0) {
            return;
        }
        long value = row + valueOffset;
        if (Mem.getLong(value + PRESENT) != 0) {
            rest.disown(value + ROW, table.arena());
        }
        Mem.putLong(value + PRESENT, 1);
        rest.unflatten(in.value(), value + ROW);
        rest.own(value + ROW, table.arena());
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
        rests.close();
    }
}

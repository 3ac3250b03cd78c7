package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
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
import io.tailwater.executor.time.GroupRetention;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * GROUP BY. A group is a row of a {@link StateTable}: its key, the results that were last emitted, and the accumulators of its calls; its weight is
 * the number of its input rows.
 *
 * <p>Each batch is folded in call by call, every call a loop over the group addresses that one batched probe found. At the end of the tick each
 * touched group's results are computed and compared with those last emitted: minus the old row, plus the new, nothing if they are equal. Groups that event time
 * has passed are then dropped, and what has been emitted of them stays.
 */
public final class AggregateOperator implements Operator {
    /** Groups evaluated together at tick end; their rows fill one batch. */
    private static final int CHUNK = ColumnBatch.TARGET_ROWS / 2;
    /** Stamp flag: the results in the row have been emitted and not been taken back. */
    private static final long EMITTED = 1;

    private final OperatorContext context;
    private final int[] keyColumns;
    private final int[] outKeys;
    private final int[] outResults;
    private final DataType[] outTypes;
    private final RowLayout key;
    private final RowLayout result;
    private final int resultOffset;
    private final boolean global;
    private final boolean appendOnly;
    private final boolean directKey;
    private final StateTable table;
    private final Fold[] folds;
    private final AggregateInput input;
    private final TableSnapshot snapshot;
    private final AddressList dirty;
    private final Scratch keys;
    private final Scratch fresh;
    private final @Nullable GroupRetention retention;
    private final long[] chunk = new long[CHUNK];
    private final long[] outGroups = new long[2 * CHUNK];
    private final long[] outValues = new long[2 * CHUNK];
    private final long[] outWeights = new long[2 * CHUNK];
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] groups = new long[ColumnBatch.TARGET_ROWS];
    private long globalRow;
    private long stamp;

    private AggregateOperator(PlanNode.Aggregate node, OperatorContext context) {
        this.context = context;
        keyColumns = node.groupKeys().stream().mapToInt(i -> i).toArray();
        global = keyColumns.length == 0;
        appendOnly = node.traits().appendOnly();
        outTypes = BatchBuilder.types(node.schema());
        DataType[] keyTypes = new DataType[keyColumns.length];
        outKeys = new int[keyColumns.length];
        for (int i = 0; i < keyColumns.length; i++) {
            keyTypes[i] = node.input().schema().type(keyColumns[i]);
            outKeys[i] = i;
        }
        key = new RowLayout(keyTypes);
        directKey = keyTypes.length == 1
                && key.width() == 8
                && keyTypes[0].kind().width() == 8
                && !keyTypes[0].kind().isFloating();
        DataType[] resultTypes = new DataType[node.calls().size()];
        outResults = new int[resultTypes.length];
        for (int i = 0; i < resultTypes.length; i++) {
            resultTypes[i] = node.calls().get(i).type().withNullable(true);
            outResults[i] = keyColumns.length + i;
        }
        result = new RowLayout(resultTypes);
        FoldPlan plan = FoldPlan.of(node, result, StateTable.KEY + key.width() + result.width());
        table = new StateTable(key, result.width() + plan.stateBytes(), context.memory());
        resultOffset = table.valueOffset();
        folds = plan.build(table.arena(), context.memory());
        snapshot = new TableSnapshot(
                table,
                Arrays.stream(folds).flatMap(fold -> fold.multisets().stream()).toList(),
                context.memory());
        input = new AggregateInput(node.input().schema().size());
        dirty = new AddressList(context.memory());
        keys = new Scratch(context.memory());
        fresh = new Scratch(context.memory());
        PlanNode.Retention kept = node.retention();
        if (kept != null && kept.column() >= keyColumns.length) {
            throw new AssertionError("groups end with column " + kept.column() + ", which is not of their key");
        }
        retention =
                kept == null ? null : new GroupRetention(kept, table, kept.column(), this::release, context.memory());
    }

    public static AggregateOperator create(PlanNode.Aggregate node, OperatorContext context) {
        return new AggregateOperator(node, context);
    }

    /** The one row of a GROUP BY of nothing is there from the first tick on, unless it came from a snapshot. */
    private void insertGlobalRow() {
        hashes[0] = Hashing.NULL_HASH;
        table.findOrInsert(0, 0, hashes, 1, groups);
        globalRow = groups[0];
        touch(globalRow);
    }

    @Override
    public void onBatch(int port, ColumnBatch batch) {
        try (batch) {
            int n = batch.rows();
            if (n == 0) {
                return;
            }
            if (groups.length < n) {
                groups = new long[n];
                hashes = new long[n];
            }
            findGroups(batch, n);
            weigh(batch, n);
            input.reset(batch);
            for (Fold fold : folds) {
                fold.add(input, groups);
            }
            input.clear();
        }
    }

    private void findGroups(ColumnBatch batch, int n) {
        if (global) {
            if (context.worker() != 0) {
                throw new AssertionError("input of a global aggregate on worker " + context.worker());
            }
            if (globalRow == 0) {
                insertGlobalRow();
            }
            Arrays.fill(groups, 0, n, globalRow);
            return;
        }
        KeyHash.hash(batch, keyColumns, hashes);
        if (directKey && batch.validity(keyColumns[0]) == 0) {
            table.findOrInsert(batch.data(keyColumns[0]), 8, hashes, n, groups);
        } else {
            long encoded = keys.atLeast((long) n * key.width());
            key.encode(batch, keyColumns, n, encoded, key.width());
            table.findOrInsert(encoded, key.width(), hashes, n, groups);
        }
    }

    private void touch(long group) {
        if (StateTable.stamp(group) != stamp) {
            table.touch(group, stamp);
            dirty.add(group);
        }
    }

    private void weigh(ColumnBatch batch, int n) {
        long weights = batch.weights();
        for (int i = 0; i < n; i++) {
            long group = groups[i];
            touch(group);
            StateTable.setWeight(group, StateTable.weight(group) + (weights == 0 ? 1 : Mem.getLong(weights + 8L * i)));
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        if (global && globalRow == 0 && context.worker() == 0) {
            insertGlobalRow();
        }
        long size = dirty.size();
        for (long from = 0; from < size; from += CHUNK) {
            int n = (int) Math.min(CHUNK, size - from);
            for (int i = 0; i < n; i++) {
                chunk[i] = dirty.get(from + i);
            }
            finish(n);
        }
        dirty.clear();
        stamp = tick.number() + 1;
        if (retention != null) {
            retention.onTickEnd(tick);
        }
    }

    /** Emits the change of the chunk's first {@code n} groups and makes it theirs. */
    private void finish(int n) {
        int stride = result.width();
        long now = fresh.atLeast((long) n * stride + 8);
        Mem.fill(now, (long) n * stride, (byte) 0);
        checkWeights(n);
        for (Fold fold : folds) {
            fold.results(chunk, n, now);
        }
        int out = 0;
        for (int i = 0; i < n; i++) {
            long group = chunk[i];
            boolean was = (StateTable.flags(group) & EMITTED) != 0;
            boolean is = global || StateTable.weight(group) > 0;
            long old = group + resultOffset;
            long next = now + (long) i * stride;
            if (was && is && result.equal(old, next)) {
                chunk[i] = 0;
                continue;
            }
            if (was) {
                outGroups[out] = group;
                outValues[out] = old;
                outWeights[out++] = -1;
            }
            if (is) {
                outGroups[out] = group;
                outValues[out] = next;
                outWeights[out++] = 1;
            }
        }
        if (out > 0) {
            emit(out);
        }
        for (int i = 0; i < n; i++) {
            if (chunk[i] != 0) {
                settle(chunk[i], now + (long) i * stride);
            }
        }
    }

    private void checkWeights(int n) {
        for (int i = 0; i < n; i++) {
            if (StateTable.weight(chunk[i]) < 0) {
                throw new StreamException(
                        ErrorCode.DATA_EXCEPTION,
                        "more rows were removed than had been added: group %s has %d rows"
                                .formatted(key.describe(chunk[i] + StateTable.KEY), StateTable.weight(chunk[i])),
                        -1,
                        "The input retracts a row that it never inserted.",
                        null);
            }
        }
    }

    private void emit(int rows) {
        try (BatchBuilder out = new BatchBuilder(outTypes, rows, !appendOnly, context.memory())) {
            key.decode(outGroups, StateTable.KEY, rows, out, outKeys);
            result.decode(outValues, 0, rows, out, outResults);
            for (int i = 0; i < rows; i++) {
                if (!appendOnly) {
                    Mem.putLong(out.weights() + 8L * i, outWeights[i]);
                } else if (outWeights[i] != 1) {
                    throw new AssertionError("a group changed that the planner said never would: "
                            + key.describe(outGroups[i] + StateTable.KEY));
                }
            }
            context.output().emit(out.finish(rows));
        }
    }

    /** What was computed is what was emitted last. A group without rows goes. */
    private void settle(long group, long next) {
        boolean was = (StateTable.flags(group) & EMITTED) != 0;
        long old = group + resultOffset;
        if (global || StateTable.weight(group) > 0) {
            if (result.views() > 0 && was) {
                result.disown(old, table.arena());
            }
            result.copy(next, old);
            result.own(old, table.arena());
            StateTable.setFlags(group, EMITTED);
        } else {
            release(group);
            table.remove(group);
        }
    }

    private void release(long group) {
        if ((StateTable.flags(group) & EMITTED) != 0) {
            result.disown(group + resultOffset, table.arena());
        }
        for (Fold fold : folds) {
            fold.release(group, table.arena());
        }
    }

    @Override
    public void trackChanges() {
        snapshot.trackChanges();
    }

    @Override
    public void snapshot(StateWriter out) {
        snapshot.write(out, stamp - 1, group -> {
            out.putLong(StateTable.flags(group));
            out.put(result, group + resultOffset);
            for (Fold fold : folds) {
                fold.snapshot(group, out);
            }
        });
    }

    @Override
    public void restore(StateReader in) {
        long group = snapshot.read(in, this::release);
        if (group == 0) {
            return;
        }
        if (global) {
            globalRow = group;
        }
        if ((StateTable.flags(group) & EMITTED) != 0) {
            result.disown(group + resultOffset, table.arena());
        }
        long from = in.value();
        StateTable.setFlags(group, Mem.getLong(from));
        from += 8;
        from += result.unflatten(from, group + resultOffset);
        result.own(group + resultOffset, table.arena());
        for (Fold fold : folds) {
            from += fold.restore(from, group);
        }
    }

    @Override
    public StateSize stateSize() {
        return new StateSize(table.rows(), table.reservedBytes() + snapshot.reservedBytes() + dirty.reservedBytes());
    }

    @Override
    public void close() {
        for (Fold fold : folds) {
            fold.close();
        }
        table.close();
        snapshot.close();
        dirty.close();
        keys.close();
        fresh.close();
        if (retention != null) {
            retention.close();
        }
    }
}

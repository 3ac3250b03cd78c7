package io.tailwater.executor.join;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.JoinKind;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.expr.BatchPredicate;
import io.tailwater.executor.expr.KeyHash;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.RowGather;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;
import org.jspecify.annotations.Nullable;

/**
 * All joins. One {@link StateTable} has an entry per join key with the heads of two chains of rows, one per input, and the total weight of each. A batch
 * finds its entries in one batched probe, adds its rows to its own chain, and pairs them with the other's.
 *
 * <p>Rows that an outer, semi or anti join emits alone are settled at tick end: a row's match count is its key's total on the other side or, with a
 * residual condition, a sum of its own.
 *
 * <pre>
 *   key entry: {.., key, head left, head right}, and {total left, total right} where match counts are needed
 *   row:       {.., entry, other columns, next, previous, matches, emitted}    or, append-only: {next, other columns}
 * </pre>
 */
public final class JoinOperator implements Operator {
    private static final int HEADS = 0;
    private static final int TOTALS = 16;
    private static final int HEAD_BYTES = 16;
    private static final int ENTRY_BYTES = 32;

    private final PlanNode.Join node;
    private final OperatorContext context;
    private final int[][] keyColumns;
    private final boolean[] appendOnly;
    private final boolean[] nullSafe;
    private final boolean[] alone;
    private final RowLayout key;
    private final StateTable entries;
    private final JoinSide[] sides;
    private final @Nullable BatchPredicate residual;
    private final PairOutput pairs;
    private final AloneOutput[] aloneOutputs;
    private final boolean emitsPairs;
    private final boolean totals;
    private final boolean directKey;
    private final AddressList dirtyEntries;
    private final Scratch keys;
    private final @Nullable NotIn notIn;
    private final int valueOffset;
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] found = new long[ColumnBatch.TARGET_ROWS];
    private long stamp;

    private JoinOperator(PlanNode.Join node, OperatorContext context, @Nullable BatchPredicate residual) {
        this.node = node;
        this.context = context;
        this.residual = residual;
        keyColumns = new int[][] {
            node.leftKeys().stream().mapToInt(i -> i).toArray(),
            node.rightKeys().stream().mapToInt(i -> i).toArray()
        };
        appendOnly = new boolean[] {
            node.left().traits().appendOnly(), node.right().traits().appendOnly()
        };
        JoinKind kind = node.kind();
        boolean left = kind != JoinKind.INNER && kind != JoinKind.RIGHT;
        boolean right = kind == JoinKind.RIGHT || kind == JoinKind.FULL;
        alone = new boolean[] {left, right};
        emitsPairs = kind != JoinKind.SEMI && kind != JoinKind.ANTI && kind != JoinKind.NULL_AWARE_ANTI;
        nullSafe = new boolean[keyColumns[0].length];
        for (int i = 0; i < nullSafe.length; i++) {
            nullSafe[i] = node.nullSafe().get(i) || kind == JoinKind.NULL_AWARE_ANTI;
        }
        key = keyLayout(node);
        directKey = key.columns() == 1
                && key.width() == 8
                && key.type(0).kind().width() == 8
                && !key.type(0).kind().isFloating();
        totals = residual == null && (left || right);
        entries = new StateTable(key, totals ? ENTRY_BYTES : HEAD_BYTES, context.memory());
        valueOffset = entries.valueOffset();
        Schema[] schemas = {node.left().schema(), node.right().schema()};
        sides = new JoinSide[2];
        for (int s = 0; s < 2; s++) {
            sides[s] = new JoinSide(
                    schemas[s],
                    keyColumns[s],
                    alone[s] || !appendOnly[s],
                    alone[s],
                    valueOffset + HEADS + 8 * s,
                    context);
        }
        boolean weighted = !node.traits().appendOnly() && (kind != JoinKind.INNER || !appendOnly[0] || !appendOnly[1]);
        JoinColumns columns = JoinColumns.of(node, keyColumns, sides, key);
        pairs = new PairOutput(columns, sides, alone, weighted, residual, emitsPairs, context);
        aloneOutputs = new AloneOutput[] {
            new AloneOutput(columns, 0, sides[0], weighted, context),
            new AloneOutput(columns, 1, sides[1], weighted, context)
        };
        notIn = kind == JoinKind.NULL_AWARE_ANTI ? new NotIn() : null;
        dirtyEntries = new AddressList(context.memory());
        keys = new Scratch(context.memory());
    }

    /**
     * The operator of a node.
     *
     * @param residual null if the node has no residual condition; the operator closes it
     */
    public static JoinOperator create(PlanNode.Join node, OperatorContext context, @Nullable BatchPredicate residual) {
        if ((node.residual() == null) != (residual == null)) {
            throw new AssertionError("residual " + node.residual() + " compiled to " + residual);
        }
        if (node.kind() == JoinKind.NULL_AWARE_ANTI && (node.leftKeys().size() != 1 || residual != null)) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "NOT IN of several columns or with a correlated sub-query is not supported",
                    -1,
                    "Write NOT EXISTS instead, and say what NULL should mean.",
                    null);
        }
        return new JoinOperator(node, context, residual);
    }

    /** Keys of both sides in one form: the wider integer, and NULL allowed if either side allows it and it is kept. */
    public static RowLayout keyLayout(PlanNode.Join node) {
        DataType[] types = new DataType[node.leftKeys().size()];
        for (int i = 0; i < types.length; i++) {
            DataType left = node.left().schema().type(node.leftKeys().get(i));
            DataType right = node.right().schema().type(node.rightKeys().get(i));
            DataType wide = left.kind().isInteger()
                            && right.kind().width() > left.kind().width()
                    ? right
                    : left;
            boolean integers = left.kind().isInteger() && right.kind().isInteger();
            if (!integers && (left.kind() != right.kind() || left.scale() != right.scale())) {
                throw new AssertionError("join key " + i + " of " + left + " and " + right);
            }
            boolean nulls = node.nullSafe().get(i) || node.kind() == JoinKind.NULL_AWARE_ANTI;
            types[i] = wide.withNullable(nulls && (left.nullable() || right.nullable()));
        }
        return new RowLayout(types);
    }

    @Override
    public void onBatch(int input, ColumnBatch arrived) {
        try (ColumnBatch batch = splitNullKeys(input, plain(input, arrived))) {
            if (batch.rows() > 0) {
                join(input, batch);
            }
        }
    }

    /** An append-only input may still bring weights above 1, from where equal rows were netted: those rows are repeated. Owns the batch. */
    private ColumnBatch plain(int input, ColumnBatch batch) {
        if (!appendOnly[input] || batch.weights() == 0) {
            return batch;
        }
        try (batch) {
            long total = 0;
            for (int i = 0; i < batch.rows(); i++) {
                if (batch.weight(i) < 0) {
                    throw new AssertionError("an append-only input retracts: " + batch);
                }
                total += batch.weight(i);
            }
            int[] rows = new int[Math.toIntExact(total)];
            int n = 0;
            for (int i = 0; i < batch.rows(); i++) {
                for (long w = batch.weight(i); w > 0; w--) {
                    rows[n++] = i;
                }
            }
            return RowGather.withoutWeights(batch, rows, n, context.memory());
        }
    }

    /** Takes out the rows that can match nothing; where such rows are results, they are emitted at once. Owns the batch. */
    private ColumnBatch splitNullKeys(int input, ColumnBatch batch) {
        boolean none = true;
        for (int k = 0; k < nullSafe.length; k++) {
            none &= nullSafe[k] || batch.validity(keyColumns[input][k]) == 0;
        }
        if (none) {
            return batch;
        }
        try (batch) {
            int[] matching = new int[batch.rows()];
            int[] never = new int[batch.rows()];
            int m = 0;
            int n = 0;
            for (int i = 0; i < batch.rows(); i++) {
                boolean isNull = false;
                for (int k = 0; k < nullSafe.length; k++) {
                    isNull |= !nullSafe[k] && batch.isNull(keyColumns[input][k], i);
                }
                if (isNull) {
                    never[n++] = i;
                } else {
                    matching[m++] = i;
                }
            }
            if (n > 0 && alone[input] && node.kind() != JoinKind.SEMI) {
                aloneOutputs[input].emit(batch, never, n);
            }
            return n == 0 ? batch.retain() : RowGather.gather(batch, matching, m, context.memory());
        }
    }

    private void join(int input, ColumnBatch batch) {
        int n = batch.rows();
        if (found.length < n) {
            found = new long[n];
            hashes = new long[n];
        }
        KeyHash.hash(batch, keyColumns[input], hashes);
        int[] columns = keyColumns[input];
        if (directKey && batch.type(columns[0]).kind().width() == 8) {
            entries.findOrInsert(batch.data(columns[0]), 8, hashes, n, found);
        } else {
            long encoded = keys.atLeast((long) n * key.width() + 8);
            key.encode(batch, columns, n, encoded, key.width());
            entries.findOrInsert(encoded, key.width(), hashes, n, found);
        }
        touchEntries(n);
        if (totals) {
            for (int i = 0; i < n; i++) {
                long total = found[i] + valueOffset + TOTALS + 8L * input;
                Mem.putLong(total, Mem.getLong(total) + batch.weight(i));
            }
        }
        if (notIn != null && input == 1) {
            notIn.arrived(batch);
        }
        sides[input].insert(batch, found, hashes, stamp);
        if (emitsPairs || residual != null) {
            pairs.probe(input, batch, found, stamp);
        }
    }

    private void touchEntries(int n) {
        boolean listed = removesEntries();
        for (int i = 0; i < n; i++) {
            long entry = found[i];
            if (StateTable.stamp(entry) != stamp) {
                StateTable.setStamp(entry, stamp);
                if (listed) {
                    dirtyEntries.add(entry);
                }
            }
        }
    }

    /** Only tracked rows go, and keys with the last of theirs. */
    private boolean removesEntries() {
        return sides[0].tracked() || sides[1].tracked();
    }

    private long total(long entry, int side) {
        return Mem.getLong(entry + valueOffset + TOTALS + 8L * side);
    }

    @Override
    public void onTickEnd(Tick tick) {
        if (notIn != null) {
            notIn.settle();
        } else if (residual == null) {
            for (int s = 0; s < 2; s++) {
                if (alone[s]) {
                    touchCrossed(s);
                }
            }
        }
        for (int s = 0; s < 2; s++) {
            if (alone[s]) {
                settle(s);
            }
            sides[s].sweep(key);
        }
        long n = dirtyEntries.size();
        for (long i = 0; i < n; i++) {
            long entry = dirtyEntries.get(i);
            if (Mem.getLong(entry + sides[0].headOffset()) == 0 && Mem.getLong(entry + sides[1].headOffset()) == 0) {
                entries.remove(entry);
            }
        }
        dirtyEntries.clear();
        stamp = tick.number() + 1;
    }

    /** Rows of a key whose total on the other side became, or ceased to be, zero must be looked at. Flag {@code 1 << side}: it was not zero. */
    private void touchCrossed(int side) {
        long bit = 1L << side;
        long n = dirtyEntries.size();
        for (long i = 0; i < n; i++) {
            long entry = dirtyEntries.get(i);
            long flags = StateTable.flags(entry);
            boolean now = total(entry, 1 - side) > 0;
            if (now != ((flags & bit) != 0)) {
                StateTable.setFlags(entry, flags ^ bit);
                sides[side].touchChain(entry, stamp);
            }
        }
    }

    /** Emits the change of what the side's touched rows contribute alone. */
    private void settle(int s) {
        JoinSide side = sides[s];
        long n = side.dirty().size();
        for (long i = 0; i < n; i++) {
            long row = side.dirty().get(i);
            long want = wanted(s, row);
            long change = want - side.emitted(row);
            if (change != 0) {
                aloneOutputs[s].add(row, change);
                side.setEmitted(row, want);
            }
        }
        aloneOutputs[s].flush();
    }

    /** The weight with which a row of a side is a result by itself. */
    private long wanted(int s, long row) {
        JoinSide side = sides[s];
        boolean wanted;
        if (notIn != null) {
            wanted = notIn.wanted(side.entry(row));
        } else {
            long matches = residual == null ? total(side.entry(row), 1 - s) : side.matches(row);
            wanted = (matches > 0) == (node.kind() == JoinKind.SEMI);
        }
        return wanted ? side.weight(row) : 0;
    }

    @Override
    public void trackChanges() {
        sides[0].trackChanges();
        sides[1].trackChanges();
        if (removesEntries()) {
            // Rows that are gone refer to keys, which must stay to be written.
            entries.trackChanges();
        }
    }

    /** The rows of both sides, each with its key: all else follows from them. */
    @Override
    public void snapshot(StateWriter out) {
        sides[0].write(out, 0, entries, stamp - 1);
        sides[1].write(out, 1, entries, stamp - 1);
        if (removesEntries()) {
            entries.takeChanges(VnodeRange.NONE, stamp - 1, entry -> {}, entry -> {});
        }
    }

    @Override
    public void restore(StateReader row) {
        long encoded = keys.atLeast(key.width() + 8L);
        long flat = row.key() + key.unflatten(row.key(), encoded);
        hashes[0] = row.hash();
        if (row.removed()) {
            entries.find(encoded, key.width(), hashes, 1, found);
            if (found[0] != 0) {
                sides[row.part()].restoreGone(row, flat, found[0]);
            }
        } else {
            entries.findOrInsert(encoded, key.width(), hashes, 1, found);
            StateTable.setStamp(found[0], StateTable.RESTORED);
            sides[row.part()].restore(row, flat, found[0]);
        }
    }

    @Override
    public void restored() {
        entries.forEach(entry -> {
            boolean empty = true;
            for (int s = 0; s < 2; s++) {
                long first = Mem.getLong(entry + sides[s].headOffset());
                empty &= first == 0;
                if (totals) {
                    addUp(entry, s, first);
                }
            }
            if (empty) {
                dirtyEntries.add(entry);
            }
        });
        for (long i = 0; i < dirtyEntries.size(); i++) {
            entries.removeRestored(dirtyEntries.get(i));
        }
        dirtyEntries.clear();
        if (notIn != null) {
            notIn.restored();
        }
        for (int s = 0; s < 2; s++) {
            if (alone[s]) {
                int number = s;
                sides[s].forEach(row -> sides[number].setEmitted(row, wanted(number, row)));
            }
        }
    }

    /** Restores a key's total of a side, and the other side's flag that goes with it. */
    private void addUp(long entry, int side, long first) {
        long total = 0;
        for (long row = first; row != 0; row = sides[side].next(row)) {
            total += sides[side].weight(row);
        }
        Mem.putLong(entry + valueOffset + TOTALS + 8L * side, total);
        if (total > 0 && alone[1 - side]) {
            StateTable.setFlags(entry, StateTable.flags(entry) | 1L << (1 - side));
        }
    }

    @Override
    public StateSize stateSize() {
        return new StateSize(
                sides[0].size() + sides[1].size(),
                entries.reservedBytes()
                        + sides[0].reservedBytes()
                        + sides[1].reservedBytes()
                        + dirtyEntries.reservedBytes());
    }

    @Override
    public void close() {
        sides[0].close();
        sides[1].close();
        entries.close();
        dirtyEntries.close();
        keys.close();
        if (residual != null) {
            residual.close();
        }
    }

    /**
     * SQL's NOT IN: with no row on the right everything is a result; else not a NULL on the left, nothing if a NULL is on the right, else what has no
     * match. The right side is whole on this worker.
     */
    private final class NotIn {
        private boolean wasEmpty = true;
        private boolean hadNull;
        private long rightRows;
        private long rightNulls;

        void arrived(ColumnBatch batch) {
            for (int i = 0; i < batch.rows(); i++) {
                rightRows += batch.weight(i);
                if (batch.isNull(keyColumns[1][0], i)) {
                    rightNulls += batch.weight(i);
                }
            }
        }

        void settle() {
            boolean isEmpty = rightRows <= 0;
            boolean hasNull = rightNulls > 0;
            if (isEmpty != wasEmpty || hasNull != hadNull) {
                wasEmpty = isEmpty;
                hadNull = hasNull;
                sides[0].touchAll(stamp);
            }
            touchCrossed(0);
        }

        /** From the totals. */
        void restored() {
            entries.forEach(entry -> {
                rightRows += total(entry, 1);
                if (key.isNull(0, entry + StateTable.KEY)) {
                    rightNulls += total(entry, 1);
                }
            });
            wasEmpty = rightRows <= 0;
            hadNull = rightNulls > 0;
        }

        boolean wanted(long entry) {
            if (wasEmpty) {
                return true;
            }
            return !hadNull && !key.isNull(0, entry + StateTable.KEY) && total(entry, 1) <= 0;
        }
    }
}

package io.tailwater.executor.join;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.StateTable;

import java.util.Arrays;

/**
 * Where the columns of both inputs are: in key entries, in chained rows, and in batches of left ++ right columns. Per side, index 0 is left.
 * Immutable.
 */
final class JoinColumns {
    private final DataType[] types;
    private final boolean leftOnly;
    private final int[] bases;
    private final int[] counts;
    private final int[][] keyColumns;
    private final int[][] rowColumns;
    private final RowLayout key;

    private JoinColumns(
            DataType[] types,
            boolean leftOnly,
            int[] bases,
            int[] counts,
            int[][] keyColumns,
            int[][] rowColumns,
            RowLayout key) {
        this.types = types;
        this.leftOnly = leftOnly;
        this.bases = bases;
        this.counts = counts;
        this.keyColumns = keyColumns;
        this.rowColumns = rowColumns;
        this.key = key;
    }

    /** Types of left ++ right columns. */
    DataType[] types() {
        return types;
    }

    /** Whether the join's result has the left columns only. */
    boolean leftOnly() {
        return leftOnly;
    }

    /** A side's first column in left ++ right. */
    int base(int side) {
        return bases[side];
    }

    /** A side's number of columns. */
    int count(int side) {
        return counts[side];
    }

    static JoinColumns of(PlanNode.Join node, int[][] keyColumns, JoinSide[] sides, RowLayout key) {
        DataType[] left = BatchBuilder.types(node.left().schema());
        DataType[] right = BatchBuilder.types(node.right().schema());
        DataType[] types = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, types, left.length, right.length);
        boolean leftOnly = switch (node.kind()) {
            case SEMI, ANTI, NULL_AWARE_ANTI -> true;
            case INNER, LEFT, RIGHT, FULL -> false;
        };
        if (node.schema().size() != (leftOnly ? left.length : types.length)) {
            throw new AssertionError("a " + node.kind() + " join of " + types.length + " columns: " + node.schema());
        }
        int[] bases = {0, left.length};
        int[][] rowColumns = new int[2][];
        for (int s = 0; s < 2; s++) {
            int base = bases[s];
            rowColumns[s] = Arrays.stream(sides[s].columns())
                    .map(c -> c < 0 ? -1 : base + c)
                    .toArray();
        }
        return new JoinColumns(
                types, leftOnly, bases, new int[] {left.length, right.length}, keyColumns, rowColumns, key);
    }

    /** Fills the columns of left ++ right that a side's rows have in a builder: those of the key from the entries, the others from the rows. */
    void decode(int side, JoinSide from, long[] entries, long[] rows, int n, BatchBuilder out) {
        for (int k = 0; k < keyColumns[side].length; k++) {
            key.decodeColumn(k, entries, StateTable.KEY, n, out, bases[side] + keyColumns[side][k]);
        }
        from.layout().decode(rows, from.rowOffset(), n, out, rowColumns[side]);
    }
}

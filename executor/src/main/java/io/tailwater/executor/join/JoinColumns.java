package io.tailwater.executor.join;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.state.RowLayout;

import java.util.Arrays;

/**
 * Where the columns of both inputs are: in key entries, in chained rows, and in batches of left ++ right columns. Per side, index 0 is left.
 *
 * @param types of left ++ right columns
 * @param leftOnly whether the join's result has the left columns only
 * @param bases a side's first column in left ++ right
 * @param counts a side's number of columns
 * @param keyColumns a side's key columns, in its own numbering
 * @param rowColumns for each field of a side's row layout its column in left ++ right, or -1
 */
record JoinColumns(
        DataType[] types,
        boolean leftOnly,
        int[] bases,
        int[] counts,
        int[][] keyColumns,
        int[][] rowColumns,
        RowLayout key) {
    static JoinColumns of(PlanNode.Join node, int[][] keyColumns, JoinSide[] sides, RowLayout key) {
        DataType[] left = BatchBuilder.types(node.left().schema());
        DataType[] right = BatchBuilder.types(node.right().schema());
        DataType[] types = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, types, left.length, right.length);
        boolean leftOnly =
                switch (node.kind()) {
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
            rowColumns[s] = Arrays.stream(sides[s].columns()).map(c -> c < 0 ? -1 : base + c).toArray();
        }
        return new JoinColumns(
                types, leftOnly, bases, new int[] {left.length, right.length}, keyColumns, rowColumns, key);
    }

    /** Columns of left ++ right that a side's rows fill in a builder: those of the key from the entries, the others from the rows. */
    void decode(int side, JoinSide from, long[] entries, long[] rows, int n, BatchBuilder out) {
        for (int k = 0; k < keyColumns[side].length; k++) {
            key.decodeColumn(
                    k, entries, io.tailwater.executor.state.StateTable.KEY, n, out, bases[side] + keyColumns[side][k]);
        }
        from.layout().decode(rows, from.rowOffset(), n, out, rowColumns[side]);
    }
}

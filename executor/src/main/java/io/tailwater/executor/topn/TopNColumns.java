package io.tailwater.executor.topn;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.expr.KeyHash;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.RowOutput;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;
import io.tailwater.executor.time.GroupRetention;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** How a top-n's row is cut: the group's key, stored once, and the rest, by which rows are told apart and ordered. Immutable. */
final class TopNColumns {
    private final int[] keyColumns;
    private final int[] restColumns;
    private final RowLayout key;
    private final RowLayout rest;
    private final RowOrder order;
    /** Whether a batch's key column, if without NULLs, is the encoded keys. */
    private final boolean direct;

    private TopNColumns(List<Integer> keyColumns, List<Integer> restColumns, Schema schema, List<SortKey> keys) {
        this.keyColumns = keyColumns.stream().mapToInt(i -> i).toArray();
        this.restColumns = restColumns.stream().mapToInt(i -> i).toArray();
        key = layout(schema, keyColumns);
        rest = layout(schema, restColumns);
        order = new RowOrder(rest, keys);
        direct = key.columns() == 1
                && key.width() == 8
                && key.type(0).kind().width() == 8
                && !key.type(0).kind().isFloating();
    }

    static TopNColumns of(PlanNode.TopN node) {
        Schema schema = node.input().schema();
        List<Integer> others = new ArrayList<>();
        for (int c = 0; c < schema.size(); c++) {
            if (!node.partitionKeys().contains(c)) {
                others.add(c);
            }
        }
        List<SortKey> order = new ArrayList<>();
        for (SortKey sort : node.keys()) {
            // Within a group its key does not order anything.
            if (others.contains(sort.column())) {
                order.add(new SortKey(others.indexOf(sort.column()), sort.descending(), sort.nullsFirst()));
            }
        }
        return new TopNColumns(node.partitionKeys(), others, schema, order);
    }

    private static RowLayout layout(Schema schema, List<Integer> columns) {
        return new RowLayout(columns.stream().map(schema::type).toArray(DataType[]::new));
    }

    RowLayout key() {
        return key;
    }

    RowLayout rest() {
        return rest;
    }

    RowOrder order() {
        return order;
    }

    /** Encodes what is not the key of a batch's rows, {@link RowLayout#width} apart. */
    void encodeRest(ColumnBatch batch, long to) {
        rest.encode(batch, restColumns, batch.rows(), to, rest.width());
    }

    /** Changes as (row of the group, encoded rest, number). */
    RowOutput output(PlanNode.TopN node, OperatorContext context) {
        return new RowOutput(
                BatchBuilder.types(node.schema()),
                List.of(new RowOutput.Part(key, StateTable.KEY, keyColumns), new RowOutput.Part(rest, 0, restColumns)),
                keyColumns.length + restColumns.length,
                !node.traits().appendOnly(),
                context.memory(),
                context.output());
    }

    /** Drops groups below a bound; null if none is to be dropped. */
    @Nullable GroupRetention retention(
            PlanNode.TopN node, StateTable table, StateTable.RowVisitor release, MemoryAccount memory) {
        PlanNode.Retention retention = node.retention();
        if (retention == null) {
            return null;
        }
        int column = node.partitionKeys().indexOf(retention.column());
        if (column < 0) {
            throw new AssertionError("groups end with column " + retention.column() + ", which is not of their key");
        }
        return new GroupRetention(retention, table, column, release, memory);
    }

    /** The groups of a batch's rows, found or made. */
    void findGroups(ColumnBatch batch, Scratch keys, StateTable table, long[] hashes, long[] found) {
        int n = batch.rows();
        KeyHash.hash(batch, keyColumns, hashes);
        if (direct && batch.validity(keyColumns[0]) == 0) {
            table.findOrInsert(batch.data(keyColumns[0]), 8, hashes, n, found);
        } else {
            long encoded = keys.atLeast((long) n * key.width() + 8);
            key.encode(batch, keyColumns, n, encoded, key.width());
            table.findOrInsert(encoded, key.width(), hashes, n, found);
        }
    }
}

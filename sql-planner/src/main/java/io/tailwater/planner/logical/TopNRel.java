package io.tailwater.planner.logical;

import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;

import java.util.List;

/** The first rows of each group: the input's columns, then the row's number in its group, counted from 1 before {@code offset}. Immutable. */
public final class TopNRel extends SingleRel {
    private final List<Integer> partitionKeys;
    private final RelCollation collation;
    private final long offset;
    private final long limit;

    TopNRel(RelNode input, List<Integer> partitionKeys, RelCollation collation, long offset, long limit) {
        super(input.getCluster(), input.getTraitSet(), input);
        this.partitionKeys = List.copyOf(partitionKeys);
        this.collation = collation;
        this.offset = offset;
        this.limit = limit;
    }

    public List<Integer> partitionKeys() {
        return partitionKeys;
    }

    public RelCollation collation() {
        return collation;
    }

    public long offset() {
        return offset;
    }

    public long limit() {
        return limit;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new TopNRel(inputs.get(0), partitionKeys, collation, offset, limit);
    }

    @Override
    protected RelDataType deriveRowType() {
        RelOptCluster cluster = getCluster();
        RelDataTypeFactory.Builder builder = cluster.getTypeFactory().builder();
        builder.addAll(getInput().getRowType().getFieldList());
        builder.add("row_number", cluster.getTypeFactory().createSqlType(SqlTypeName.BIGINT));
        return builder.build();
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("partition", partitionKeys)
                .item("order", collation)
                .item("offset", offset)
                .item("limit", limit);
    }
}

package io.tailwater.planner.logical;

import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;

import java.util.List;

/** SESSION over an input: its columns, then window_start and window_end. Times in microseconds. Immutable. */
public final class SessionRel extends SingleRel {
    private final List<Integer> partitionKeys;
    private final int timeColumn;
    private final long gapMicros;
    private final RelDataType boundType;

    SessionRel(RelNode input, List<Integer> partitionKeys, int timeColumn, long gapMicros, RelDataType boundType) {
        super(input.getCluster(), input.getTraitSet(), input);
        this.partitionKeys = List.copyOf(partitionKeys);
        this.timeColumn = timeColumn;
        this.gapMicros = gapMicros;
        this.boundType = boundType;
    }

    public List<Integer> partitionKeys() {
        return partitionKeys;
    }

    public int timeColumn() {
        return timeColumn;
    }

    public long gapMicros() {
        return gapMicros;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new SessionRel(inputs.get(0), partitionKeys, timeColumn, gapMicros, boundType);
    }

    @Override
    protected RelDataType deriveRowType() {
        RelDataTypeFactory.Builder builder = getCluster().getTypeFactory().builder();
        builder.addAll(getInput().getRowType().getFieldList());
        builder.add("window_start", boundType);
        builder.add("window_end", boundType);
        return builder.build();
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("partition", partitionKeys)
                .item("time", timeColumn)
                .item("gap", gapMicros);
    }
}

package io.tailwater.planner.logical;

import io.tailwater.api.plan.PlanNode.WindowKind;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;

import java.util.List;

/** HOP or CUMULATE over an input: its columns, then window_start and window_end. Times in microseconds. Immutable. */
public final class WindowRel extends SingleRel {
    private final WindowKind kind;
    private final int timeColumn;
    private final long sizeMicros;
    private final long slideMicros;
    private final long offsetMicros;
    private final RelDataType boundType;

    WindowRel(
            RelNode input,
            WindowKind kind,
            int timeColumn,
            long sizeMicros,
            long slideMicros,
            long offsetMicros,
            RelDataType boundType) {
        super(input.getCluster(), input.getTraitSet(), input);
        this.kind = kind;
        this.timeColumn = timeColumn;
        this.sizeMicros = sizeMicros;
        this.slideMicros = slideMicros;
        this.offsetMicros = offsetMicros;
        this.boundType = boundType;
    }

    public WindowKind kind() {
        return kind;
    }

    public int timeColumn() {
        return timeColumn;
    }

    public long sizeMicros() {
        return sizeMicros;
    }

    public long slideMicros() {
        return slideMicros;
    }

    public long offsetMicros() {
        return offsetMicros;
    }

    /** The same window over another input, where the time column is at {@code column}. */
    WindowRel over(RelNode newInput, int column) {
        return new WindowRel(newInput, kind, column, sizeMicros, slideMicros, offsetMicros, boundType);
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return over(inputs.get(0), timeColumn);
    }

    @Override
    protected RelDataType deriveRowType() {
        RelOptCluster cluster = getCluster();
        RelDataTypeFactory.Builder builder = cluster.getTypeFactory().builder();
        builder.addAll(getInput().getRowType().getFieldList());
        builder.add("window_start", boundType);
        builder.add("window_end", boundType);
        return builder.build();
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer)
                .item("kind", kind)
                .item("time", timeColumn)
                .item("size", sizeMicros)
                .item("slide", slideMicros)
                .item("offset", offsetMicros);
    }
}

package io.tailwater.planner.physical;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.List;

/** Gives a node's columns other names; types stay. */
final class Renames {
    private Renames() {}

    static PlanNode rename(PlanNode node, Schema names) {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            columns.add(new Column(names.column(i).name(), node.schema().type(i)));
        }
        Schema schema = new Schema(columns);
        if (schema.equals(node.schema())) {
            return node;
        }
        if (node instanceof PlanNode.Scan n) {
            return new PlanNode.Scan(n.reader(), n.kind(), n.object(), n.columns(), schema, n.traits());
        }
        if (node instanceof PlanNode.Values n) {
            return new PlanNode.Values(n.rows(), schema, n.traits());
        }
        if (node instanceof PlanNode.Calc n) {
            return new PlanNode.Calc(n.input(), n.condition(), n.projections(), schema, n.traits());
        }
        if (node instanceof PlanNode.WindowAssign n) {
            return new PlanNode.WindowAssign(
                    n.input(),
                    n.kind(),
                    n.timeColumn(),
                    n.sizeMicros(),
                    n.slideMicros(),
                    n.offsetMicros(),
                    schema,
                    n.traits());
        }
        if (node instanceof PlanNode.Aggregate n) {
            return new PlanNode.Aggregate(n.input(), n.groupKeys(), n.calls(), schema, n.traits(), n.retention());
        }
        if (node instanceof PlanNode.Join n) {
            return new PlanNode.Join(
                    n.left(),
                    n.right(),
                    n.kind(),
                    n.leftKeys(),
                    n.rightKeys(),
                    n.nullSafe(),
                    n.residual(),
                    schema,
                    n.traits());
        }
        if (node instanceof PlanNode.Union n) {
            return new PlanNode.Union(n.inputs(), schema, n.traits());
        }
        if (node instanceof PlanNode.Exchange n) {
            return new PlanNode.Exchange(rename(n.input(), schema), n.distribution(), n.traits());
        }
        if (node instanceof PlanNode.Keyed n) {
            return new PlanNode.Keyed(rename(n.input(), schema), n.key(), n.traits());
        }
        if (node instanceof PlanNode.Sort n) {
            return new PlanNode.Sort(rename(n.input(), schema), n.keys(), n.offset(), n.limit(), n.traits());
        }
        if (node instanceof PlanNode.SetOperation n) {
            return new PlanNode.SetOperation(n.left(), n.right(), n.kind(), n.all(), schema, n.traits());
        }
        if (node instanceof PlanNode.SessionAssign n) {
            return new PlanNode.SessionAssign(
                    n.input(), n.partitionKeys(), n.timeColumn(), n.gapMicros(), schema, n.traits(), n.retention());
        }
        if (node instanceof PlanNode.TopN n) {
            return new PlanNode.TopN(
                    n.input(),
                    n.partitionKeys(),
                    n.keys(),
                    n.offset(),
                    n.limit(),
                    n.rowNumber(),
                    schema,
                    n.traits(),
                    n.retention());
        }
        if (node instanceof PlanNode.WindowClose n) {
            return new PlanNode.WindowClose(rename(n.input(), schema), n.timeColumn(), n.bounds(), n.traits());
        }
        throw new AssertionError(node);
    }
}

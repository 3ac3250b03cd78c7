package io.tailwater.planner.physical;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.Retention;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A node over other inputs that have the same columns. */
final class Inputs {
    private Inputs() {}

    static PlanNode replace(PlanNode node, List<PlanNode> inputs) {
        if (inputs.size() == 1) {
            return replace(node, inputs.get(0));
        }
        if (node instanceof PlanNode.Join n) {
            return new PlanNode.Join(
                    inputs.get(0),
                    inputs.get(1),
                    n.kind(),
                    n.leftKeys(),
                    n.rightKeys(),
                    n.nullSafe(),
                    n.residual(),
                    n.schema(),
                    n.traits());
        }
        if (node instanceof PlanNode.SetOperation n) {
            return new PlanNode.SetOperation(inputs.get(0), inputs.get(1), n.kind(), n.all(), n.schema(), n.traits());
        }
        if (node instanceof PlanNode.Union n) {
            return new PlanNode.Union(inputs, n.schema(), n.traits());
        }
        return node;
    }

    private static PlanNode replace(PlanNode node, PlanNode input) {
        if (node instanceof PlanNode.Calc n) {
            return new PlanNode.Calc(input, n.condition(), n.projections(), n.schema(), n.traits());
        }
        if (node instanceof PlanNode.WindowAssign n) {
            return new PlanNode.WindowAssign(
                    input,
                    n.kind(),
                    n.timeColumn(),
                    n.sizeMicros(),
                    n.slideMicros(),
                    n.offsetMicros(),
                    n.schema(),
                    n.traits());
        }
        if (node instanceof PlanNode.Consolidate n) {
            return new PlanNode.Consolidate(input, n.traits());
        }
        if (node instanceof PlanNode.Exchange n) {
            return new PlanNode.Exchange(input, n.distribution(), n.traits());
        }
        if (node instanceof PlanNode.Aggregate n) {
            return new PlanNode.Aggregate(input, n.groupKeys(), n.calls(), n.schema(), n.traits(), n.retention());
        }
        if (node instanceof PlanNode.SessionAssign n) {
            return new PlanNode.SessionAssign(
                    input, n.partitionKeys(), n.timeColumn(), n.gapMicros(), n.schema(), n.traits(), n.retention());
        }
        if (node instanceof PlanNode.TopN n) {
            return new PlanNode.TopN(
                    input,
                    n.partitionKeys(),
                    n.keys(),
                    n.offset(),
                    n.limit(),
                    n.rowNumber(),
                    n.schema(),
                    n.traits(),
                    n.retention());
        }
        if (node instanceof PlanNode.Union n) {
            return new PlanNode.Union(List.of(input), n.schema(), n.traits());
        }
        if (node instanceof PlanNode.Keyed n) {
            return new PlanNode.Keyed(input, n.key(), n.traits());
        }
        if (node instanceof PlanNode.Sort n) {
            return new PlanNode.Sort(input, n.keys(), n.offset(), n.limit(), n.traits());
        }
        if (node instanceof PlanNode.WindowClose n) {
            return new PlanNode.WindowClose(input, n.timeColumn(), n.bounds(), n.traits());
        }
        if (node instanceof PlanNode.LateFilter n) {
            return new PlanNode.LateFilter(
                    input, n.timeColumn(), n.arrivalColumn(), n.reader(), n.slackMicros(), n.traits());
        }
        throw new AssertionError(node);
    }

    /** How long a node's state lives; null for ever. */
    static @Nullable Retention retention(PlanNode node) {
        if (node instanceof PlanNode.Aggregate n) {
            return n.retention();
        }
        if (node instanceof PlanNode.SessionAssign n) {
            return n.retention();
        }
        return node instanceof PlanNode.TopN n ? n.retention() : null;
    }
}

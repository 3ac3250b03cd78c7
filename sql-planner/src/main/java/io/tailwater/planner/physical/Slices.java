package io.tailwater.planner.physical;

import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Counts rows by slide before HOP multiplies them. All windows of a row follow from the slide it falls in, so where the time itself is not read above, equal
 * rows of a slide become one row with their number as its weight, and only those few are put into each window.
 *
 * <pre>
 * Aggregate(COUNT(*) by (k, window_start), Exchange(Calc(k, window_start, HOP(k, t))))  becomes
 * Aggregate(COUNT(*) by (k, window_start), Exchange(Calc(k, window_start, HOP(Consolidate(Calc(k, TUMBLE_START(t, slide)))))))
 * </pre>
 */
final class Slices {
    private Slices() {}

    static PlanNode apply(PlanNode node) {
        PlanNode below = withInputs(node, Slices::apply);
        return below instanceof PlanNode.Aggregate aggregate && countsRows(aggregate)
                ? withInputs(aggregate, Slices::belowCount)
                : below;
    }

    private static boolean countsRows(PlanNode.Aggregate aggregate) {
        return aggregate.calls().stream().allMatch(Slices::countsRows);
    }

    private static boolean countsRows(AggregateCall call) {
        return call.function() == AggregateFunction.COUNT
                && call.arguments().isEmpty()
                && call.filter() < 0
                && !call.distinct();
    }

    private static PlanNode belowCount(PlanNode node) {
        if (node instanceof PlanNode.Exchange) {
            return withInputs(node, Slices::belowCount);
        }
        if (node instanceof PlanNode.Calc calc && calc.input() instanceof PlanNode.WindowAssign window) {
            BitSet read = new BitSet();
            Exprs.inputs(calc.condition(), read);
            calc.projections().forEach(p -> Exprs.inputs(p, read));
            return read.get(window.timeColumn()) ? node : withInputs(calc, w -> sliced(window));
        }
        return node;
    }

    private static PlanNode sliced(PlanNode.WindowAssign window) {
        PlanNode input = window.input();
        boolean fits = window.kind() == PlanNode.WindowKind.HOP
                && window.slideMicros() > 0
                && window.sizeMicros() % window.slideMicros() == 0
                && input.schema().columns().stream()
                        .noneMatch(c -> c.type().kind().isView());
        if (!fits) {
            return window;
        }
        List<Expr> projections = new ArrayList<>(Exprs.identity(input.schema()));
        int time = window.timeColumn();
        DataType type = input.schema().type(time);
        projections.set(
                time,
                Expr.call(
                        Function.TUMBLE_START,
                        type,
                        projections.get(time),
                        interval(window.slideMicros()),
                        interval(window.offsetMicros())));
        Traits t = input.traits();
        Traits traits = new Traits(
                t.distribution() instanceof Distribution.Hash hash
                                && hash.columns().contains(time)
                        ? new Distribution.Any()
                        : t.distribution(),
                t.appendOnly(),
                List.of(),
                List.of());
        PlanNode slices = new PlanNode.Calc(input, null, projections, input.schema(), traits);
        return withInputs(window, in -> new PlanNode.Consolidate(slices, traits));
    }

    private static Expr interval(long micros) {
        return new Expr.Literal(String.valueOf(micros), new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, false));
    }

    private static PlanNode withInputs(PlanNode node, UnaryOperator<PlanNode> change) {
        List<PlanNode> inputs = node.inputs().stream().map(change).toList();
        return inputs.equals(node.inputs()) ? node : Inputs.replace(node, inputs);
    }
}

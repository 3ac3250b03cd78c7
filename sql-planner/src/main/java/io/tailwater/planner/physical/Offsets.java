package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.List;
import java.util.OptionalLong;

/**
 * Columns that are always a constant time apart, as a window's end is from its start. Grouping or joining by both is grouping or joining by one: narrower
 * keys, the same result.
 */
final class Offsets {
    private Offsets() {}

    /** Microseconds c such that column {@code to} is column {@code from} plus c in every row, if that is known. */
    static OptionalLong between(PlanNode node, int from, int to) {
        if (from == to) {
            return OptionalLong.empty();
        }
        if (node instanceof PlanNode.Calc calc) {
            return between(
                    calc, calc.projections().get(from), calc.projections().get(to));
        }
        if (node instanceof PlanNode.Exchange exchange) {
            return between(exchange.input(), from, to);
        }
        if (node instanceof PlanNode.Aggregate aggregate) {
            List<Integer> keys = aggregate.groupKeys();
            return from < keys.size() && to < keys.size()
                    ? between(aggregate.input(), keys.get(from), keys.get(to))
                    : OptionalLong.empty();
        }
        if (node instanceof PlanNode.WindowAssign window) {
            int start = window.schema().size() - 2;
            if (from == start && to == start + 1) {
                return window.kind() == PlanNode.WindowKind.HOP
                        ? OptionalLong.of(window.sizeMicros())
                        : OptionalLong.empty();
            }
            return from < start && to < start ? between(window.input(), from, to) : OptionalLong.empty();
        }
        if (node instanceof PlanNode.TopN || node instanceof PlanNode.SessionAssign) {
            PlanNode input = node.inputs().get(0);
            int width = input.schema().size();
            return from < width && to < width ? between(input, from, to) : OptionalLong.empty();
        }
        if (node instanceof PlanNode.Join join) {
            int left = join.left().schema().size();
            if (from < left && to < left) {
                return between(join.left(), from, to);
            }
            return from >= left && to >= left ? between(join.right(), from - left, to - left) : OptionalLong.empty();
        }
        return OptionalLong.empty();
    }

    private static OptionalLong between(PlanNode.Calc calc, Expr from, Expr to) {
        if (from instanceof Expr.Input a && to instanceof Expr.Input b) {
            return between(calc.input(), a.index(), b.index());
        }
        boolean sum = to instanceof Expr.Call call
                && call.function() == Function.PLUS
                && call.operands().get(0).equals(from)
                && call.operands().get(1) instanceof Expr.Literal literal
                && literal.value() != null
                && literal.type().kind() == TypeKind.INTERVAL_DAY_TIME;
        return sum
                ? OptionalLong.of(Long.parseLong(
                        ((Expr.Literal) ((Expr.Call) to).operands().get(1)).value()))
                : OptionalLong.empty();
    }

    /** {@code column} plus so many microseconds. */
    static Expr plus(Expr column, long micros, DataType type) {
        DataType interval = new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, false);
        return Expr.call(Function.PLUS, type, column, new Expr.Literal(Long.toString(micros), interval));
    }
}

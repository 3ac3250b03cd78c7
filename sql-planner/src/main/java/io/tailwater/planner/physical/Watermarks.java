package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.Traits.Watermarked;
import io.tailwater.common.type.TypeKind;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How event-time bounds pass through expressions. */
final class Watermarks {
    private Watermarks() {}

    /** Bounds of a projection's columns. */
    static List<Watermarked> project(List<Watermarked> input, List<Expr> projections) {
        List<Watermarked> out = new ArrayList<>();
        for (int i = 0; i < projections.size(); i++) {
            int column = i;
            bound(projections.get(i), input)
                    .ifPresent(b -> out.add(new Watermarked(column, b.reader(), b.lagMicros())));
        }
        return out;
    }

    private static Optional<Watermarked> bound(Expr expr, List<Watermarked> input) {
        if (expr instanceof Expr.Input column) {
            return input.stream().filter(w -> w.column() == column.index()).findFirst();
        }
        if (!(expr instanceof Expr.Call call)) {
            return Optional.empty();
        }
        Function function = call.function();
        if (function == Function.TUMBLE_START) {
            return bound(call.operands().get(0), input)
                    .map(b -> lag(b, constant(call.operands().get(1))));
        }
        boolean shifted = (function == Function.PLUS || function == Function.MINUS)
                && call.operands().get(1) instanceof Expr.Literal literal
                && literal.value() != null
                && literal.type().kind() == TypeKind.INTERVAL_DAY_TIME;
        if (!shifted) {
            return Optional.empty();
        }
        Expr first = call.operands().get(0);
        long by = constant(call.operands().get(1));
        // A window's end lies after the time itself: start + size is a tighter bound than the start's plus size.
        if (function == Function.PLUS
                && first instanceof Expr.Call start
                && start.function() == Function.TUMBLE_START
                && constant(start.operands().get(1)) == by) {
            return bound(start.operands().get(0), input);
        }
        return bound(first, input).map(b -> lag(b, function == Function.PLUS ? -by : by));
    }

    private static Watermarked lag(Watermarked bound, long micros) {
        return new Watermarked(bound.column(), bound.reader(), bound.lagMicros() + micros);
    }

    private static long constant(Expr expr) {
        return Long.parseLong(((Expr.Literal) expr).value());
    }
}

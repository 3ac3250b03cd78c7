package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.Traits.Watermarked;
import io.tailwater.common.type.TypeKind;

import java.util.ArrayList;
import java.util.List;

/** How event-time bounds pass through expressions, and through nodes with two inputs. */
final class Watermarks {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;

    private Watermarks() {}

    /** Bounds of a projection's columns. */
    static List<Watermarked> project(List<Watermarked> input, List<Expr> projections) {
        List<Watermarked> out = new ArrayList<>();
        for (int i = 0; i < projections.size(); i++) {
            for (Watermarked b : bounds(projections.get(i), input)) {
                out.add(new Watermarked(i, b.reader(), b.lagMicros()));
            }
        }
        return out;
    }

    /**
     * Bounds of columns that are equal in both inputs wherever they matter: rows of the result change when one side's do, so both sides must be bounded, and
     * the lesser bound holds.
     *
     * @param right column {@code right[i]} is equal to column {@code left[i]}; the result bears the left numbers
     */
    static List<Watermarked> both(
            List<Watermarked> leftBounds, List<Watermarked> rightBounds, List<Integer> left, List<Integer> right) {
        List<Watermarked> out = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            List<Watermarked> l = of(leftBounds, left.get(i), left.get(i));
            List<Watermarked> r = of(rightBounds, right.get(i), left.get(i));
            if (!l.isEmpty() && !r.isEmpty()) {
                out.addAll(l);
                out.addAll(r);
            }
        }
        return out.stream().distinct().toList();
    }

    /** The bounds of {@code column}, as bounds of {@code as}. */
    private static List<Watermarked> of(List<Watermarked> bounds, int column, int as) {
        return bounds.stream()
                .filter(w -> w.column() == column)
                .map(w -> new Watermarked(as, w.reader(), w.lagMicros()))
                .toList();
    }

    private static List<Watermarked> bounds(Expr expr, List<Watermarked> input) {
        if (expr instanceof Expr.Input column) {
            return input.stream().filter(w -> w.column() == column.index()).toList();
        }
        if (!(expr instanceof Expr.Call call)) {
            return List.of();
        }
        return switch (call.function()) {
            // The window of a time starts less than its size before it.
            case TUMBLE_START ->
                lag(
                        bounds(call.operands().get(0), input),
                        constant(call.operands().get(1)) - 1);
            case FLOOR_TO -> {
                long unit = unit(call.operands().get(1));
                yield unit == 0 ? List.of() : lag(bounds(call.operands().get(0), input), unit - 1);
            }
            case PLUS, MINUS -> shifted(call, input);
            default -> List.of();
        };
    }

    private static List<Watermarked> shifted(Expr.Call call, List<Watermarked> input) {
        boolean constant = call.operands().get(1) instanceof Expr.Literal literal
                && literal.value() != null
                && literal.type().kind() == TypeKind.INTERVAL_DAY_TIME;
        if (!constant) {
            return List.of();
        }
        long by = constant(call.operands().get(1));
        return lag(bounds(call.operands().get(0), input), call.function() == Function.PLUS ? -by : by);
    }

    private static List<Watermarked> lag(List<Watermarked> bounds, long micros) {
        return bounds.stream()
                .map(b -> new Watermarked(b.column(), b.reader(), b.lagMicros() + micros))
                .toList();
    }

    private static long constant(Expr expr) {
        return Long.parseLong(((Expr.Literal) expr).value());
    }

    /** Microseconds of a unit that is never longer, 0 for one that is not known. */
    private static long unit(Expr unit) {
        String name = unit instanceof Expr.Literal literal && literal.value() != null ? literal.value() : "";
        return switch (name) {
            case "MILLISECOND" -> 1_000;
            case "SECOND" -> MICROS_PER_SECOND;
            case "MINUTE" -> 60 * MICROS_PER_SECOND;
            case "HOUR" -> 3_600 * MICROS_PER_SECOND;
            case "DAY" -> MICROS_PER_DAY;
            case "WEEK" -> 7 * MICROS_PER_DAY;
            case "MONTH" -> 31 * MICROS_PER_DAY;
            default -> 0;
        };
    }
}

package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.UnaryOperator;

/** Rewrites of expressions. */
public final class Exprs {
    private Exprs() {}

    /** All columns of a schema. */
    public static List<Expr> identity(Schema schema) {
        List<Expr> out = new ArrayList<>();
        for (int i = 0; i < schema.size(); i++) {
            out.add(new Expr.Input(i, schema.type(i)));
        }
        return out;
    }

    /** The expression with each input replaced. */
    public static Expr map(Expr expr, UnaryOperator<Expr> inputs) {
        if (expr instanceof Expr.Input) {
            return inputs.apply(expr);
        }
        if (expr instanceof Expr.Call call) {
            List<Expr> operands = new ArrayList<>();
            for (Expr operand : call.operands()) {
                operands.add(map(operand, inputs));
            }
            return new Expr.Call(call.function(), operands, call.type());
        }
        return expr;
    }

    /** {@code expr} over a projection's output, rewritten over its input. */
    public static Expr substitute(Expr expr, List<Expr> projections) {
        return map(expr, input -> projections.get(((Expr.Input) input).index()));
    }

    /** {@code expr} with column {@code i} now at {@code positions[i]}. */
    public static Expr renumber(Expr expr, int[] positions) {
        return map(expr, input -> new Expr.Input(positions[((Expr.Input) input).index()], input.type()));
    }

    public static void inputs(@Nullable Expr expr, BitSet out) {
        if (expr instanceof Expr.Input input) {
            out.set(input.index());
        } else if (expr instanceof Expr.Call call) {
            call.operands().forEach(operand -> inputs(operand, out));
        }
    }

    /** Nodes of the expression. */
    public static long size(Expr expr) {
        long n = 1;
        if (expr instanceof Expr.Call call) {
            for (Expr operand : call.operands()) {
                n += size(operand);
            }
        }
        return n;
    }

    public static boolean uses(Expr expr, Function function) {
        return expr instanceof Expr.Call call
                && (call.function() == function || call.operands().stream().anyMatch(o -> uses(o, function)));
    }

    /** Conjunction; null stands for true. */
    public static @Nullable Expr and(@Nullable Expr first, @Nullable Expr second) {
        if (first == null) {
            return second;
        }
        if (second == null) {
            return first;
        }
        List<Expr> operands = new ArrayList<>(conjuncts(first));
        operands.addAll(conjuncts(second));
        return conjunction(operands);
    }

    /** The operands of an AND, or the expression itself. */
    static List<Expr> conjuncts(Expr expr) {
        return expr instanceof Expr.Call call && call.function() == Function.AND ? call.operands() : List.of(expr);
    }

    /** All of these; null, which stands for true, if there are none. */
    static @Nullable Expr conjunction(List<Expr> operands) {
        if (operands.size() <= 1) {
            return operands.isEmpty() ? null : operands.get(0);
        }
        boolean nullable = operands.stream().anyMatch(o -> o.type().nullable());
        return new Expr.Call(Function.AND, operands, DataType.BOOLEAN.withNullable(nullable));
    }
}

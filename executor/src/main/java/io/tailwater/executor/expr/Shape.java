package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Questions about expressions that are answered before any code is written, and their normal form. */
final class Shape {
    /** Operands of AND, OR, CASE and the like beyond this many are nested, so that no method grows without bound. */
    private static final int FAN_OUT = 16;
    /** Parts of an expression of more nodes than this are computed in methods of their own. */
    static final int OUTLINE_NODES = 60;

    private Shape() {}

    /**
     * The same expression without casts that change nothing but the declared type, and with long operand lists nested. The type of the whole is
     * kept by the caller.
     */
    static Expr normal(Expr expr) {
        if (!(expr instanceof Expr.Call call)) {
            return expr;
        }
        List<Expr> operands = new ArrayList<>(call.operands().size());
        for (Expr operand : call.operands()) {
            operands.add(normal(operand));
        }
        Function function = call.function();
        if ((function == Function.CAST || function == Function.TRY_CAST)
                && changesNothing(operands.get(0).type(), call.type())) {
            return operands.get(0);
        }
        return nested(function, operands, call.type());
    }

    private static Expr nested(Function function, List<Expr> operands, DataType type) {
        boolean caseOf = function == Function.CASE;
        boolean tailNests = function == Function.COALESCE;
        boolean associative = function == Function.AND
                || function == Function.OR
                || function == Function.CONCAT
                || function == Function.GREATEST
                || function == Function.LEAST;
        int limit = caseOf ? 2 * FAN_OUT : FAN_OUT;
        if (operands.size() <= limit + 1 || !(caseOf || tailNests || associative)) {
            return new Expr.Call(function, operands, type);
        }
        if (associative) {
            List<Expr> groups = new ArrayList<>();
            for (int at = 0; at < operands.size(); at += FAN_OUT) {
                List<Expr> group = operands.subList(at, Math.min(operands.size(), at + FAN_OUT));
                groups.add(group.size() == 1 ? group.get(0) : new Expr.Call(function, group, type));
            }
            return nested(function, groups, type);
        }
        List<Expr> head = new ArrayList<>(operands.subList(0, limit));
        head.add(nested(function, operands.subList(limit, operands.size()), type));
        return new Expr.Call(function, head, type);
    }

    /** Whether each value of {@code from} is, bit for bit, the same value of {@code to}. */
    static boolean changesNothing(DataType from, DataType to) {
        if (from.kind() != to.kind()) {
            return false;
        }
        return switch (to.kind()) {
            case DECIMAL -> from.scale() == to.scale() && from.precision() <= to.precision();
            case VARCHAR, VARBINARY, TIME, TIMESTAMP, TIMESTAMP_LTZ -> from.precision() <= to.precision();
            default -> true;
        };
    }

    /**
     * Decides which parts of an expression are computed in methods of their own, the largest first, so that no method computes many more than {@link
     * #OUTLINE_NODES} nodes.
     *
     * @param outlined receives those parts, by identity
     * @return the nodes that are left in place
     */
    static int partition(Expr expr, Set<Expr> outlined) {
        if (!(expr instanceof Expr.Call call)) {
            return 1;
        }
        // Two halves, or a conversion of them: the code of one node is longer.
        int nodes = call.type().kind() == TypeKind.DECIMAL ? 3 : 1;
        List<Part> parts = new ArrayList<>();
        for (Expr operand : call.operands()) {
            Part part = new Part(operand, partition(operand, outlined));
            nodes += part.nodes();
            parts.add(part);
        }
        parts.sort(Comparator.comparingInt(Part::nodes).reversed());
        for (Part part : parts) {
            if (nodes <= OUTLINE_NODES || part.nodes() <= 2) {
                break;
            }
            if (outlined.add(part.expr())) {
                nodes -= part.nodes() - 2;
            }
        }
        return nodes;
    }

    private record Part(Expr expr, int nodes) {}

    /** Whether a text expression always yields the address of a string view that exists already. */
    static boolean isSlot(Expr expr) {
        if (expr instanceof Expr.Call call) {
            return switch (call.function()) {
                case CASE -> {
                    boolean all = true;
                    List<Expr> operands = call.operands();
                    for (int i = 1; i < operands.size(); i += 2) {
                        all &= isSlot(operands.get(i));
                    }
                    yield all && isSlot(operands.get(operands.size() - 1));
                }
                case COALESCE -> call.operands().stream().allMatch(Shape::isSlot);
                default -> false;
            };
        }
        return true;
    }

    /** The form in which {@link ExprCompiler} delivers an expression of several branches, or an outlined one. */
    static Val.Form form(Expr expr) {
        return expr.type().kind().isView() && isSlot(expr) ? Val.Form.SLOT : Val.form(expr.type());
    }
}

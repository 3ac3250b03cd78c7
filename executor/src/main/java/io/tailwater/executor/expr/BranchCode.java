package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.List;

/** What evaluates some operands only: AND and OR, conditions of which only TRUE matters, CASE and COALESCE. */
final class BranchCode {
    private final ExprCompiler compiler;
    private final MethodWriter out;

    BranchCode(ExprCompiler compiler, MethodWriter out) {
        this.compiler = compiler;
        this.out = out;
    }

    /** A Java expression that holds if all operands are TRUE. Cheap ones are computed together; after that the first that is not TRUE ends it. */
    String allTrue(List<Expr> operands) {
        String eager = "";
        int at = 0;
        for (; at < operands.size() && isCheap(operands.get(at)); at++) {
            eager += (eager.isEmpty() ? "" : " & ") + ExprCompiler.isTrue(compiler.compile(operands.get(at)));
        }
        if (at == operands.size()) {
            return out.flag(eager);
        }
        String passes = out.fresh("x");
        out.line("boolean " + passes + " = " + (eager.isEmpty() ? "true" : eager) + ";");
        int depth = 0;
        for (; at < operands.size(); at++, depth++) {
            out.open("if (" + passes + ")");
            out.line(passes + " = " + compiler.condition(operands.get(at)) + ";");
        }
        for (; depth > 0; depth--) {
            out.close();
        }
        return passes;
    }

    /** A Java expression that holds if an operand is TRUE; the first that is ends it. */
    String anyTrue(List<Expr> operands) {
        String passes = out.fresh("x");
        out.line("boolean " + passes + " = " + compiler.condition(operands.get(0)) + ";");
        for (Expr operand : operands.subList(1, operands.size())) {
            out.open("if (!" + passes + ")");
            out.line(passes + " = " + compiler.condition(operand) + ";");
            out.close();
        }
        return passes;
    }

    /** A comparison of two columns or constants of a primitive type: cheaper to compute than to branch round. */
    private static boolean isCheap(Expr expr) {
        if (!(expr instanceof Expr.Call call)) {
            return false;
        }
        return switch (call.function()) {
            case EQ, NE, LT, LE, GT, GE ->
                call.operands().stream().allMatch(BranchCode::isPrimitiveLeaf)
                        && call.operands().get(0).type().kind()
                                == call.operands().get(1).type().kind();
            case IS_NULL, IS_NOT_NULL -> call.operands().get(0) instanceof Expr.Input;
            default -> false;
        };
    }

    private static boolean isPrimitiveLeaf(Expr expr) {
        TypeKind kind = expr.type().kind();
        return !(expr instanceof Expr.Call) && !kind.isView() && kind != TypeKind.DECIMAL;
    }

    /** Kleene's AND and OR, left to right, ending at the first operand that decides. */
    Val logic(Expr.Call call) {
        boolean and = call.function() == Function.AND;
        Val head = compiler.compile(ExprCompiler.operand(call, 0));
        String value = out.fresh("x");
        String isNull = out.fresh("n");
        out.line("boolean " + value + " = " + head.first() + ";");
        out.line("boolean " + isNull + " = " + head.isNull() + ";");
        for (Expr operand : call.operands().subList(1, call.operands().size())) {
            out.open("if (" + isNull + " | " + (and ? "" : "!") + value + ")");
            Val next = compiler.compile(operand);
            String decides =
                    next.alwaysNull() ? "false" : "!" + next.isNull() + " & " + (and ? "!" : "") + next.first();
            out.line("if (" + decides + ") { " + value + " = " + !and + "; " + isNull + " = false; }");
            out.line("else if (" + next.isNull() + ") { " + isNull + " = true; }");
            out.close();
        }
        return Val.primitive(call.type(), isNull, value);
    }

    /** A constant with the name of the column that a value is for. */
    Val caseOf(Expr.Call call) {
        Branches branches = new Branches(call);
        List<Expr> operands = call.operands();
        int depth = 0;
        for (int at = 0; at + 1 < operands.size(); at += 2, depth++) {
            out.open("if (" + compiler.condition(operands.get(at)) + ")");
            branches.assign(operands.get(at + 1));
            out.otherwise();
        }
        if (operands.size() % 2 == 1) {
            branches.assign(operands.get(operands.size() - 1));
        }
        for (; depth > 0; depth--) {
            out.close();
        }
        return branches.result();
    }

    Val coalesce(Expr.Call call) {
        Branches branches = new Branches(call);
        int depth = 0;
        for (Expr operand : call.operands()) {
            if (depth > 0) {
                out.open("if (" + branches.isNull + ")");
            }
            branches.assign(operand);
            depth++;
        }
        for (; depth > 1; depth--) {
            out.close();
        }
        return branches.result();
    }

    /** The variables that each branch of a CASE or COALESCE assigns. Until one does, they hold NULL. */
    private final class Branches {
        private final DataType type;
        private final Val.Form form;
        private final String first = out.fresh("x");
        private final String second = out.fresh("y");
        private final String isNull = out.fresh("n");
        private boolean scratch;

        Branches(Expr.Call call) {
            type = call.type();
            form = Shape.form(call);
            String javaType = form == Val.Form.PRIMITIVE ? Val.javaType(type.kind()) : "long";
            out.line(javaType + " " + first + " = " + Val.zero(javaType, form) + ";");
            if (form == Val.Form.WIDE || form == Val.Form.SPAN) {
                out.line((form == Val.Form.WIDE ? "long " : "int ") + second + " = 0;");
            }
            out.line("boolean " + isNull + " = true;");
        }

        void assign(Expr expr) {
            Val value = compiler.inForm(compiler.compile(expr), type, form);
            scratch |= value.scratch();
            out.line(isNull + " = " + value.isNull() + ";");
            if (!value.alwaysNull()) {
                out.line(first + " = " + value.first() + ";");
                if (form == Val.Form.WIDE) {
                    out.line(second + " = " + value.high() + ";");
                } else if (form == Val.Form.SPAN) {
                    out.line(second + " = " + value.second() + ";");
                }
            }
        }

        Val result() {
            boolean two = form == Val.Form.WIDE || form == Val.Form.SPAN;
            return Val.of(type, form, isNull, first, two ? second : "").withScratch(scratch);
        }
    }
}

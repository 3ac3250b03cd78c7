package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.List;

/**
 * Comparisons. Text compares by bytes, on the views' inline prefixes first where both operands are views. NaN equals itself and is greater than
 * every other number.
 */
final class CompareCode {
    private final ExprCompiler compiler;
    private final MethodWriter out;
    private final CastCode cast;

    CompareCode(ExprCompiler compiler, MethodWriter out, CastCode cast) {
        this.compiler = compiler;
        this.out = out;
        this.cast = cast;
    }

    Val compile(Expr.Call call) {
        if (call.function() == Function.GREATEST || call.function() == Function.LEAST) {
            return extreme(call);
        }
        Val a = compiler.compile(ExprCompiler.operand(call, 0));
        Val b = compiler.compile(ExprCompiler.operand(call, 1));
        return switch (call.function()) {
            case IS_DISTINCT_FROM -> distinct(call.type(), a, b, true);
            case IS_NOT_DISTINCT_FROM -> distinct(call.type(), a, b, false);
            default -> compare(call.type(), call.function(), a, b);
        };
    }

    private Val compare(DataType type, Function function, Val left, Val right) {
        if (left.alwaysNull() || right.alwaysNull()) {
            return Val.nullOf(type);
        }
        Val a = brought(left, right);
        Val b = brought(right, left);
        if (a.kind() == TypeKind.DECIMAL) {
            return decimals(type, function, a, b);
        }
        List<Val> operands = List.of(a, b);
        if (a.kind().isView()) {
            return compiler.strict(type, operands, textCode(function, a, b));
        }
        String x = a.first();
        String y = b.first();
        if (a.kind().isFloating()) {
            String code = switch (function) {
                case EQ -> "Numbers.same(" + x + ", " + y + ")";
                case NE -> "!Numbers.same(" + x + ", " + y + ")";
                case LT -> "Numbers.less(" + x + ", " + y + ")";
                case LE -> "Numbers.lessOrEqual(" + x + ", " + y + ")";
                case GT -> "Numbers.less(" + y + ", " + x + ")";
                default -> "Numbers.lessOrEqual(" + y + ", " + x + ")";
            };
            return compiler.total(type, operands, code);
        }
        if (a.kind() == TypeKind.BOOLEAN && function != Function.EQ && function != Function.NE) {
            return compiler.total(type, operands, "(" + x + " ? 1 : 0) " + operator(function) + " (" + y + " ? 1 : 0)");
        }
        return compiler.total(type, operands, x + " " + operator(function) + " " + y);
    }

    private static String operator(Function function) {
        return switch (function) {
            case EQ -> "==";
            case NE -> "!=";
            case LT -> "<";
            case LE -> "<=";
            case GT -> ">";
            case GE -> ">=";
            default -> throw new AssertionError(function);
        };
    }

    private String textCode(Function function, Val a, Val b) {
        boolean slots = a.form() == Val.Form.SLOT && b.form() == Val.Form.SLOT;
        boolean equality = function == Function.EQ || function == Function.NE;
        if (slots) {
            String pair = "(" + a.first() + ", " + b.first() + ")";
            return equality
                    ? (function == Function.NE ? "!" : "") + "StringView.equal" + pair
                    : "Texts.compareSlots" + pair + " " + operator(function) + " 0";
        }
        Val x = compiler.span(a);
        Val y = compiler.span(b);
        String all = "(" + x.first() + ", " + x.second() + ", " + y.first() + ", " + y.second() + ")";
        return equality
                ? (function == Function.NE ? "!" : "") + "Texts.equal" + all
                : "Mem.compare" + all + " " + operator(function) + " 0";
    }

    private Val decimals(DataType type, Function function, Val left, Val right) {
        int scale = Math.max(left.type().scale(), right.type().scale());
        int leftDigits = left.digits() + scale - left.type().scale();
        int rightDigits = right.digits() + scale - right.type().scale();
        List<Val> operands = List.of(left, right);
        String sign = operator(function);
        if (leftDigits > 38 || rightDigits > 38) {
            return compiler.strict(
                    type,
                    operands,
                    "Decimals.compareScaled(" + left.low() + ", " + left.high() + ", "
                            + left.type().scale() + ", " + right.low() + ", " + right.high() + ", "
                            + right.type().scale() + ") " + sign + " 0");
        }
        Val a = cast.scaleUp(left, scale);
        Val b = cast.scaleUp(right, scale);
        if (a.form() == Val.Form.PRIMITIVE && b.form() == Val.Form.PRIMITIVE) {
            return compiler.total(type, operands, a.low() + " " + sign + " " + b.low());
        }
        String pair = a.low() + ", " + a.high() + ", " + b.low() + ", " + b.high();
        return compiler.total(type, operands, "Decimals.compare(" + pair + ") " + sign + " 0");
    }

    /** The operand, converted if the other one is of a wider type. */
    private Val brought(Val value, Val other) {
        if (value.kind() == other.kind()) {
            return value;
        }
        boolean exact = isExact(value.kind()) && isExact(other.kind());
        if (exact && (value.kind() == TypeKind.DECIMAL || other.kind() == TypeKind.DECIMAL)) {
            // Scales are brought together when the comparison is written.
            return cast.toDecimal(value);
        }
        DataType wider = wider(value.type(), other.type());
        return Shape.changesNothing(value.type(), wider) ? value : cast.cast(value, wider, false);
    }

    private static DataType wider(DataType a, DataType b) {
        if (a.kind().isNumeric() && b.kind().isNumeric()) {
            return a.kind().isFloating() || b.kind().isFloating() ? DataType.DOUBLE : DataType.BIGINT;
        }
        if (a.kind().isView() && b.kind().isView()) {
            return a;
        }
        if (rank(a.kind()) > 0 && rank(b.kind()) > 0) {
            return rank(a.kind()) >= rank(b.kind()) ? a : b;
        }
        throw ExprCompiler.unsupported(
                new Expr.Literal(a.sql() + " compared with " + b.sql(), DataType.VARCHAR),
                "Cast one to the other's type.");
    }

    private static boolean isExact(TypeKind kind) {
        return kind.isInteger() || kind == TypeKind.DECIMAL;
    }

    private static int rank(TypeKind kind) {
        return switch (kind) {
            case DATE -> 1;
            case TIMESTAMP -> 2;
            case TIMESTAMP_LTZ -> 3;
            default -> 0;
        };
    }

    private Val distinct(DataType type, Val a, Val b, boolean wanted) {
        if (a.alwaysNull() || b.alwaysNull()) {
            String bothNull = a.isNull() + " & " + b.isNull();
            return Val.primitive(type, "false", out.variable("boolean", wanted ? "!(" + bothNull + ")" : bothNull));
        }
        Val equal = compare(type, Function.EQ, a, b);
        String code = equal.neverNull()
                ? equal.first()
                : "(" + a.isNull() + " & " + b.isNull() + ") | (!" + equal.isNull() + " & " + equal.first() + ")";
        return Val.primitive(type, "false", out.variable("boolean", wanted ? "!(" + code + ")" : code));
    }

    private Val extreme(Expr.Call call) {
        Function keepsFirst = call.function() == Function.GREATEST ? Function.GE : Function.LE;
        Val best = operand(call, 0);
        for (int i = 1; i < call.operands().size(); i++) {
            Val next = operand(call, i);
            if (best.alwaysNull() || next.alwaysNull()) {
                return Val.nullOf(call.type());
            }
            Val keep = compare(DataType.BOOLEAN, keepsFirst, best, next);
            best = choose(keep, best, next, call.type());
        }
        return best;
    }

    private Val operand(Expr.Call call, int index) {
        return compiler.inForm(compiler.compile(ExprCompiler.operand(call, index)), call.type(), Val.form(call.type()));
    }

    private Val choose(Val keep, Val a, Val b, DataType type) {
        String test = keep.first();
        String first = out.variable(a.javaType(), test + " ? " + a.first() + " : " + b.first());
        String second = switch (a.form()) {
            case WIDE -> out.variable("long", test + " ? " + a.high() + " : " + b.high());
            case SPAN -> out.variable("int", test + " ? " + a.second() + " : " + b.second());
            case PRIMITIVE, SLOT -> "";
        };
        return Val.of(type, a.form(), keep.isNull(), first, second).withScratch(a.scratch() || b.scratch());
    }
}

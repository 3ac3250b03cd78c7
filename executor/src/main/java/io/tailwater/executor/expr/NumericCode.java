package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.List;

/** Arithmetic and numeric functions: on 64-bit integers, on doubles, or on decimals by {@link DecimalCode}, then brought to the call's type. */
final class NumericCode {
    private final ExprCompiler compiler;
    private final CastCode cast;
    private final DecimalCode decimals;

    NumericCode(ExprCompiler compiler, MethodWriter out, CastCode cast) {
        this.compiler = compiler;
        this.cast = cast;
        decimals = new DecimalCode(compiler, out, cast);
    }

    Val compile(Expr.Call call) {
        List<Val> operands = call.operands().stream().map(compiler::compile).toList();
        if (operands.stream().anyMatch(Val::alwaysNull)) {
            return Val.nullOf(call.type());
        }
        TypeKind result = call.type().kind();
        boolean floating = result.isFloating()
                || operands.get(0).kind().isFloating()
                || (operands.size() == 2
                        && isBinary(call.function())
                        && operands.get(1).kind().isFloating());
        return switch (call.function()) {
            case POWER, SQRT, EXP, LN, LOG10 -> cast.cast(transcendental(call, operands), call.type(), false);
            default -> {
                if (floating) {
                    yield floating(call, operands);
                }
                boolean decimal = result == TypeKind.DECIMAL
                        || operands.stream().anyMatch(value -> value.kind() == TypeKind.DECIMAL);
                yield decimal ? decimals.compile(call, operands) : integers(call, operands);
            }
        };
    }

    private static boolean isBinary(Function function) {
        return switch (function) {
            case PLUS, MINUS, TIMES, DIVIDE, MOD, POWER -> true;
            default -> false;
        };
    }

    private Val transcendental(Expr.Call call, List<Val> operands) {
        List<Val> doubles =
                operands.stream().map(v -> cast.cast(v, DataType.DOUBLE, false)).toList();
        String x = doubles.get(0).first();
        String code = switch (call.function()) {
            case POWER -> "Numbers.power(" + x + ", " + doubles.get(1).first() + ")";
            case SQRT -> "Numbers.squareRoot(" + x + ")";
            case EXP -> "Numbers.exp(" + x + ")";
            case LN -> "Numbers.ln(" + x + ")";
            default -> "Numbers.log10(" + x + ")";
        };
        return compiler.strict(DataType.DOUBLE, doubles, code);
    }

    // ---- floating point

    private Val floating(Expr.Call call, List<Val> operands) {
        boolean single = call.type().kind() == TypeKind.REAL;
        DataType domain = single ? DataType.REAL : DataType.DOUBLE;
        Val a = cast.cast(operands.get(0), domain, false);
        Function function = call.function();
        if (function == Function.ROUND || function == Function.TRUNCATE) {
            return cast.cast(roundDouble(function, a, operands), call.type(), false);
        }
        if (isBinary(function)) {
            Val b = cast.cast(operands.get(1), domain, false);
            String name = switch (function) {
                case PLUS -> "add";
                case MINUS -> "subtract";
                case TIMES -> "multiply";
                case DIVIDE -> "divide";
                default -> "remainder";
            };
            Val value = compiler.strict(
                    domain, List.of(a, b), "Numbers." + name + "(" + a.first() + ", " + b.first() + ")");
            return cast.cast(value, call.type(), false);
        }
        String x = a.first();
        String narrow = single ? "(float) " : "";
        String code = switch (function) {
            case NEGATE -> "0 - " + x;
            case ABS -> "Math.abs(" + x + ")";
            case SIGN -> narrow + "(Math.signum(" + x + ") + 0)";
            case FLOOR -> narrow + "(Math.floor(" + x + ") + 0)";
            case CEIL -> narrow + "(Math.ceil(" + x + ") + 0)";
            default -> throw ExprCompiler.unsupported(call, null);
        };
        return cast.cast(compiler.total(domain, List.of(a), code), call.type(), false);
    }

    private Val roundDouble(Function function, Val value, List<Val> operands) {
        Val x = cast.cast(value, DataType.DOUBLE, false);
        Val digits = operands.size() > 1 ? cast.cast(operands.get(1), DataType.INTEGER, false) : zero();
        return compiler.strict(
                DataType.DOUBLE,
                List.of(x, digits),
                "Numbers.round(" + x.first() + ", " + digits.first() + ", " + (function == Function.TRUNCATE) + ")");
    }

    private static Val zero() {
        return Val.primitive(DataType.INTEGER, "false", "0");
    }

    // ---- integers

    private Val integers(Expr.Call call, List<Val> operands) {
        Val a = operands.get(0);
        String x = "(long) " + a.first();
        Function function = call.function();
        DataType type = call.type();
        List<Val> used = operands;
        boolean narrow = type.kind() != TypeKind.BIGINT && operands.stream().allMatch(v -> v.kind() != TypeKind.BIGINT);
        String code;
        boolean total = false;
        if (isBinary(function)) {
            String y = "(long) " + operands.get(1).first();
            long constant = divisor(call);
            if ((function == Function.DIVIDE || function == Function.MOD) && constant > 0) {
                // A constant divisor in the text lets the compiler multiply instead.
                code = x + (function == Function.DIVIDE ? " / " : " % ") + constant + "L";
                total = true;
                used = List.of(a);
            } else {
                // Two 32-bit operands cannot overflow 64 bits, except that division may fail.
                code = switch (function) {
                    case PLUS -> narrow ? x + " + " + y : "Numbers.add(" + x + ", " + y + ")";
                    case MINUS -> narrow ? x + " - " + y : "Numbers.subtract(" + x + ", " + y + ")";
                    case TIMES -> narrow ? "(" + x + ") * (" + y + ")" : "Numbers.multiply(" + x + ", " + y + ")";
                    case DIVIDE -> "Numbers.divide(" + x + ", " + y + ")";
                    default -> "Numbers.remainder(" + x + ", " + y + ")";
                };
            }
        } else {
            code = switch (function) {
                case NEGATE -> "Numbers.negate(" + x + ")";
                case ABS -> "Numbers.absolute(" + x + ")";
                case SIGN -> "(long) Long.signum(" + x + ")";
                case FLOOR, CEIL -> x;
                case ROUND, TRUNCATE ->
                    operands.size() == 1
                            ? x
                            : "Numbers.round(" + x + ", "
                                    + cast.cast(operands.get(1), DataType.INTEGER, false)
                                            .first() + ", "
                                    + (function == Function.TRUNCATE) + ")";
                default -> throw ExprCompiler.unsupported(call, null);
            };
        }
        Val wide = total ? compiler.total(DataType.BIGINT, used, code) : compiler.strict(DataType.BIGINT, used, code);
        return cast.cast(wide, type, false);
    }

    /** The value of a positive integer literal as second operand, else 0. */
    private static long divisor(Expr.Call call) {
        return call.operands().get(1) instanceof Expr.Literal literal
                        && literal.value() != null
                        && literal.type().kind().isInteger()
                ? Math.max(0, Literals.integer(literal.value()))
                : 0;
    }
}

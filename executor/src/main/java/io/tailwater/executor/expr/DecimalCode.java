package io.tailwater.executor.expr;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.List;

/**
 * Arithmetic on decimals. What is known of the operands' digits decides how much code a call needs: values of up to 18 digits live in one long and
 * need no checks where the result's digits cannot overflow; the rest are pairs of longs.
 */
final class DecimalCode {
    private static final int MAX_DIGITS = 38;

    private final ExprCompiler compiler;
    private final MethodWriter out;
    private final CastCode cast;

    DecimalCode(ExprCompiler compiler, MethodWriter out, CastCode cast) {
        this.compiler = compiler;
        this.out = out;
        this.cast = cast;
    }

    Val compile(Expr.Call call, List<Val> operands) {
        Val a = cast.toDecimal(operands.get(0));
        DataType type = call.type();
        return switch (call.function()) {
            case PLUS -> cast.cast(sum(a, cast.toDecimal(operands.get(1)), true), type, false);
            case MINUS -> cast.cast(sum(a, cast.toDecimal(operands.get(1)), false), type, false);
            case TIMES -> product(a, cast.toDecimal(operands.get(1)), type);
            case DIVIDE -> quotient(a, cast.toDecimal(operands.get(1)), type);
            case MOD -> cast.cast(remainder(a, cast.toDecimal(operands.get(1))), type, false);
            case NEGATE -> cast.cast(negated(a), type, false);
            case ABS -> cast.cast(absolute(a), type, false);
            case SIGN ->
                cast.cast(
                        compiler.total(
                                DataType.INTEGER, List.of(a), "Decimals.sign(" + a.low() + ", " + a.high() + ")"),
                        type,
                        false);
            case FLOOR, CEIL -> cast.cast(whole(a, call.function() == Function.CEIL), type, false);
            case ROUND, TRUNCATE -> rounded(call, a, operands);
            default -> throw ExprCompiler.unsupported(call, null);
        };
    }

    private static DataType type(int digits, int scale) {
        return DataType.decimal(Math.min(MAX_DIGITS, Math.max(digits, Math.max(scale, 1))), scale);
    }

    private Val sum(Val left, Val right, boolean plus) {
        int scale = Math.max(left.type().scale(), right.type().scale());
        Val a = cast.scaleUp(left, scale);
        Val b = cast.scaleUp(right, scale);
        int digits = Math.max(a.digits(), b.digits()) + 1;
        DataType type = type(digits, scale);
        List<Val> operands = List.of(a, b);
        if (digits <= 18) {
            return compiler.total(type, operands, a.low() + (plus ? " + " : " - ") + b.low());
        }
        String code = (plus ? "Decimals.add(" : "Decimals.subtract(") + a.low() + ", " + a.high() + ", " + b.low()
                + ", " + b.high() + ", r)";
        return compiler.strict(type, Val.Form.WIDE, operands, code, false).withDigits(digits);
    }

    private Val product(Val a, Val b, DataType type) {
        int scale = a.type().scale() + b.type().scale();
        int digits = a.digits() + b.digits();
        List<Val> operands = List.of(a, b);
        String pair = a.low() + ", " + a.high() + ", " + b.low() + ", " + b.high();
        if (scale > MAX_DIGITS || (digits > MAX_DIGITS && scale > type.scale())) {
            // The exact product may need more digits than a decimal has: round it as it is made.
            int drop = Math.max(0, scale - type.scale());
            int kept = scale - drop;
            Val value = compiler.strict(
                            type(MAX_DIGITS, kept),
                            Val.Form.WIDE,
                            operands,
                            "Decimals.multiplyRescaled(" + pair + ", " + drop + ", r)",
                            false)
                    .withDigits(MAX_DIGITS + 1);
            return cast.cast(value, type, false);
        }
        DataType exact = type(digits, scale);
        if (digits <= 18) {
            return cast.cast(compiler.total(exact, operands, a.low() + " * " + b.low()), type, false);
        }
        if (a.form() == Val.Form.PRIMITIVE && b.form() == Val.Form.PRIMITIVE) {
            Val low = compiler.total(DataType.BIGINT, operands, a.low() + " * " + b.low());
            String high = out.variable("long", "Math.multiplyHigh(" + a.low() + ", " + b.low() + ")");
            Val value = Val.of(exact, Val.Form.WIDE, low.isNull(), low.first(), high)
                    .withDigits(digits);
            return cast.cast(value, type, false);
        }
        Val value = compiler.strict(exact, Val.Form.WIDE, operands, "Decimals.multiply(" + pair + ", r)", false)
                .withDigits(digits);
        return cast.cast(value, type, false);
    }

    private Val quotient(Val a, Val b, DataType type) {
        int scale = type.kind() == TypeKind.DECIMAL ? type.scale() : 0;
        int shift = scale - a.type().scale() + b.type().scale();
        Val value = compiler.strict(
                        type(MAX_DIGITS, scale),
                        Val.Form.WIDE,
                        List.of(a, b),
                        "Decimals.divide(" + a.low() + ", " + a.high() + ", " + b.low() + ", " + b.high() + ", " + shift
                                + ", r)",
                        false)
                .withDigits(MAX_DIGITS + 1);
        return cast.cast(value, type, false);
    }

    private Val remainder(Val left, Val right) {
        int scale = Math.max(left.type().scale(), right.type().scale());
        int leftUp = scale - left.type().scale();
        int rightUp = scale - right.type().scale();
        // No greater in magnitude than either operand.
        int digits = Math.min(MAX_DIGITS, Math.min(left.digits() + leftUp, right.digits() + rightUp));
        if (left.digits() + leftUp > MAX_DIGITS || right.digits() + rightUp > MAX_DIGITS) {
            String code = "Decimals.remainderScaled(" + left.low() + ", " + left.high() + ", " + leftUp + ", "
                    + right.low() + ", " + right.high() + ", " + rightUp + ", r)";
            return compiler.strict(type(digits, scale), Val.Form.WIDE, List.of(left, right), code, false);
        }
        Val a = cast.scaleUp(left, scale);
        Val b = cast.scaleUp(right, scale);
        if (a.form() == Val.Form.PRIMITIVE && b.form() == Val.Form.PRIMITIVE) {
            return compiler.strict(
                            type(digits, scale),
                            Val.Form.PRIMITIVE,
                            List.of(a, b),
                            "Numbers.remainder(" + a.low() + ", " + b.low() + ")",
                            false)
                    .withDigits(digits);
        }
        String code = "Decimals.remainder(" + a.low() + ", " + a.high() + ", " + b.low() + ", " + b.high() + ", r)";
        return compiler.strict(type(digits, scale), Val.Form.WIDE, List.of(a, b), code, false)
                .withDigits(digits);
    }

    private Val negated(Val a) {
        if (a.form() == Val.Form.PRIMITIVE && a.digits() <= 18) {
            return compiler.total(type(a.digits(), a.type().scale()), List.of(a), "-" + a.low());
        }
        return compiler.strict(
                        a.type(),
                        Val.Form.WIDE,
                        List.of(a),
                        "Decimals.negate(" + a.low() + ", " + a.high() + ", r)",
                        false)
                .withDigits(a.digits());
    }

    private Val absolute(Val a) {
        if (a.form() == Val.Form.PRIMITIVE && a.digits() <= 18) {
            return compiler.total(type(a.digits(), a.type().scale()), List.of(a), "Math.abs(" + a.low() + ")");
        }
        return compiler.strict(
                        a.type(),
                        Val.Form.WIDE,
                        List.of(a),
                        "Decimals.absolute(" + a.low() + ", " + a.high() + ", r)",
                        false)
                .withDigits(a.digits());
    }

    private Val whole(Val a, boolean up) {
        int scale = a.type().scale();
        if (scale == 0) {
            return a;
        }
        int digits = Math.max(1, a.digits() - scale + 1);
        return compiler.strict(
                        type(digits, 0),
                        Val.Form.WIDE,
                        List.of(a),
                        "Decimals.floorByPower(" + a.low() + ", " + a.high() + ", " + scale + ", " + up + ", r)",
                        false)
                .withDigits(digits);
    }

    /** ROUND and TRUNCATE: digits are dropped, then zeros put back to the operand's scale, then the result's scale taken. */
    private Val rounded(Expr.Call call, Val a, List<Val> operands) {
        Val digits = operands.size() > 1
                ? cast.cast(operands.get(1), DataType.INTEGER, false)
                : Val.primitive(DataType.INTEGER, "false", "0");
        String code = "Decimals.round(" + a.low() + ", " + a.high() + ", "
                + a.type().scale() + ", " + digits.first() + ", " + (call.function() == Function.TRUNCATE) + ", r)";
        int bound = Math.min(MAX_DIGITS + 1, a.digits() + 1);
        Val value = compiler.strict(type(bound, a.type().scale()), Val.Form.WIDE, List.of(a, digits), code, false)
                .withDigits(bound);
        return cast.cast(value, call.type(), false);
    }
}

package io.tailwater.executor.expr;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.util.List;

/**
 * Conversions. Decimals round half away from zero and floating point half to even, as in PostgreSQL; timestamps lose digits toward minus infinity;
 * text longer than its type is cut, any other value that its text type cannot hold is 22001.
 */
final class CastCode {
    private static final int MAX_DIGITS = 38;

    private final ExprCompiler compiler;
    private final MethodWriter out;

    CastCode(ExprCompiler compiler, MethodWriter out) {
        this.compiler = compiler;
        this.out = out;
    }

    /** @param lenient whether what does not convert becomes NULL */
    Val cast(Val value, DataType to, boolean lenient) {
        if (value.alwaysNull()) {
            return Val.nullOf(to);
        }
        boolean fits = to.kind() != TypeKind.DECIMAL || value.digits() <= to.precision();
        if (fits && Shape.changesNothing(value.type(), to)) {
            return value.withType(to);
        }
        if (lenient) {
            return tryCast(value, to);
        }
        return switch (to.kind()) {
            case BOOLEAN -> toBoolean(value, to);
            case TINYINT, SMALLINT, INTEGER, BIGINT -> narrowed(toLong(value, to), to);
            case REAL, DOUBLE -> toFloating(value, to);
            case DECIMAL -> toDecimal(value, to);
            case VARCHAR -> toText(value, to);
            case VARBINARY -> toBytes(value, to);
            case DATE -> toDate(value, to);
            case TIME -> toTime(value, to);
            case TIMESTAMP -> toTimestamp(value, to);
            case TIMESTAMP_LTZ -> toInstant(value, to);
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH -> throw unsupported(value, to);
            case NULL -> Val.nullOf(to);
        };
    }

    private static StreamException unsupported(Val value, DataType to) {
        return new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                "cannot cast type " + value.type().sql() + " to " + to.sql(),
                -1,
                "Cast by way of VARCHAR if its text is what you mean.",
                null);
    }

    private Val tryCast(Val value, DataType to) {
        Val.Form form = Val.form(to);
        Val none = Val.nullOf(to);
        String first = out.fresh("x");
        String isNull = out.fresh("n");
        out.line(none.javaType() + " " + first + " = " + none.first() + ";");
        String second = "";
        if (!none.second().isEmpty()) {
            second = out.fresh("y");
            out.line((form == Val.Form.WIDE ? "long " : "int ") + second + " = 0;");
        }
        out.line("boolean " + isNull + " = true;");
        out.open("if (!" + value.isNull() + ")");
        out.line("try {");
        Val result = compiler.inForm(cast(value.withNull("false"), to, false), to, form);
        out.line(first + " = " + result.first() + ";");
        if (!second.isEmpty()) {
            out.line(second + " = " + (form == Val.Form.WIDE ? result.high() : result.second()) + ";");
        }
        out.line(isNull + " = " + result.isNull() + ";");
        out.line("} catch (StreamException e) { DataErrors.ignore(e); " + isNull + " = true; }");
        out.close();
        return Val.of(to, form, isNull, first, second).withScratch(result.scratch());
    }

    // ---- numbers

    private Val toBoolean(Val value, DataType to) {
        if (value.kind().isInteger()) {
            return compiler.total(to, List.of(value), value.first() + " != 0");
        }
        if (value.kind() == TypeKind.VARCHAR) {
            return compiler.strict(to, List.of(value), "TextParse.toBoolean(" + bytes(value) + ")");
        }
        throw unsupported(value, to);
    }

    private String bytes(Val value) {
        Val span = compiler.span(value);
        return span.first() + ", " + span.second();
    }

    /** A 64-bit integer; {@code to} is for messages. */
    private Val toLong(Val value, DataType to) {
        DataType type = DataType.BIGINT;
        List<Val> operand = List.of(value);
        return switch (value.kind()) {
            case BOOLEAN -> compiler.total(type, operand, "(" + value.first() + " ? 1L : 0L)");
            case TINYINT, SMALLINT, INTEGER, BIGINT -> value;
            case REAL, DOUBLE -> compiler.strict(type, operand, "Numbers.toLong(" + value.first() + ")");
            case DECIMAL -> decimalToLong(value);
            case VARCHAR ->
                compiler.strict(type, operand, "TextParse.toLong(" + bytes(value) + ", \"" + to.kind() + "\")");
            default -> throw unsupported(value, to);
        };
    }

    private Val decimalToLong(Val value) {
        int scale = value.type().scale();
        if (value.form() == Val.Form.PRIMITIVE) {
            if (scale == 0) {
                return Val.primitive(DataType.BIGINT, value.isNull(), value.first());
            }
            if (scale <= 18) {
                return compiler.total(
                        DataType.BIGINT,
                        List.of(value),
                        "Decimals.divideRounded(" + value.first() + ", " + Decimals.power(scale) + "L)");
            }
        }
        return compiler.strict(
                DataType.BIGINT,
                List.of(value),
                "Decimals.toLong(" + value.low() + ", " + value.high() + ", " + scale + ", r)");
    }

    private Val narrowed(Val value, DataType to) {
        int from = value.kind().width();
        int width = to.kind().width();
        if (width >= from) {
            return to.kind() == TypeKind.BIGINT && from < 8
                    ? compiler.total(to, List.of(value), "(long) " + value.first())
                    : value.withType(to);
        }
        String name = switch (to.kind()) {
            case TINYINT -> "toByte";
            case SMALLINT -> "toShort";
            default -> "toInt";
        };
        return compiler.strict(to, List.of(value), "Numbers." + name + "(" + value.first() + ")");
    }

    private Val toFloating(Val value, DataType to) {
        boolean single = to.kind() == TypeKind.REAL;
        List<Val> operand = List.of(value);
        return switch (value.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                compiler.total(to, operand, (single ? "(float) " : "(double) ") + value.first());
            case REAL -> compiler.total(to, operand, "(double) " + value.first());
            case DOUBLE -> compiler.strict(to, operand, "Numbers.toFloat(" + value.first() + ")");
            case DECIMAL -> {
                String code = "Decimals.toDouble(" + value.low() + ", " + value.high() + ", "
                        + value.type().scale() + ")";
                yield compiler.strict(to, operand, single ? "Numbers.toFloat(" + code + ")" : code);
            }
            case VARCHAR ->
                compiler.strict(
                        to, operand, (single ? "TextParse.toFloat(" : "TextParse.toDouble(") + bytes(value) + ")");
            default -> throw unsupported(value, to);
        };
    }

    // ---- decimals

    /** A number as a decimal of its own scale; integers in one long. */
    Val toDecimal(Val value) {
        int digits = switch (value.kind()) {
            case TINYINT -> 3;
            case SMALLINT -> 5;
            case INTEGER -> 10;
            case BIGINT -> 19;
            case DECIMAL -> 0;
            default -> throw unsupported(value, DataType.decimal(MAX_DIGITS, 0));
        };
        if (digits == 0) {
            return value;
        }
        String code = digits == 19 ? value.first() : "((long) " + value.first() + ")";
        return Val.primitive(DataType.decimal(digits, 0), value.isNull(), code);
    }

    private Val toDecimal(Val value, DataType to) {
        List<Val> operand = List.of(value);
        return switch (value.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL -> rescaled(toDecimal(value), to);
            case REAL, DOUBLE -> {
                String name = value.kind() == TypeKind.REAL ? "fromFloat" : "fromDouble";
                yield unchecked(operand, "Decimals." + name + "(" + value.first() + ", " + to.scale() + ", r)", to);
            }
            case VARCHAR -> unchecked(operand, "TextParse.toDecimal(" + bytes(value) + ", " + to.scale() + ", r)", to);
            default -> throw unsupported(value, to);
        };
    }

    /** A wide value of the right scale by {@code code}, then the check of its digits. */
    private Val unchecked(List<Val> operand, String code, DataType to) {
        DataType wide = DataType.decimal(MAX_DIGITS, to.scale());
        return rescaled(
                compiler.strict(wide, Val.Form.WIDE, operand, code, false).withDigits(MAX_DIGITS + 1), to);
    }

    /** The same number at a scale no smaller, without a limit on its digits but 128 bits. */
    Val scaleUp(Val value, int scale) {
        int up = scale - value.type().scale();
        if (up == 0) {
            return value;
        }
        int digits = value.digits() + up;
        DataType type = DataType.decimal(Math.min(MAX_DIGITS, Math.max(digits, scale)), scale);
        List<Val> operand = List.of(value);
        if (digits <= 18) {
            return compiler.total(type, operand, value.low() + " * " + Decimals.power(up) + "L")
                    .withDigits(digits);
        }
        if (value.form() == Val.Form.PRIMITIVE && up <= 18) {
            String power = Decimals.power(up) + "L";
            Val low = compiler.total(DataType.BIGINT, operand, value.low() + " * " + power);
            String high = out.variable("long", "Math.multiplyHigh(" + value.low() + ", " + power + ")");
            return Val.of(type, Val.Form.WIDE, low.isNull(), low.first(), high).withDigits(digits);
        }
        String code = "Decimals.scaleUp(" + value.low() + ", " + value.high() + ", " + up + ", r)";
        return compiler.strict(type, Val.Form.WIDE, operand, code, false).withDigits(digits);
    }

    private Val scaleDown(Val value, int scale) {
        int down = value.type().scale() - scale;
        // Rounding up may add a digit to what is left.
        int digits = Math.max(1, value.digits() - down + 1);
        DataType type = DataType.decimal(Math.min(MAX_DIGITS, Math.max(digits, scale)), scale);
        if (value.form() == Val.Form.PRIMITIVE && down <= 18) {
            return compiler.total(
                            type,
                            List.of(value),
                            "Decimals.divideRounded(" + value.low() + ", " + Decimals.power(down) + "L)")
                    .withDigits(digits)
                    .withForm(Val.Form.PRIMITIVE);
        }
        String code = "Decimals.divideByPower(" + value.low() + ", " + value.high() + ", " + down + ", r)";
        return compiler.strict(type, Val.Form.WIDE, List.of(value), code, false).withDigits(digits);
    }

    /** The number at the type's scale, with its digits checked if more are possible than the type has. */
    private Val rescaled(Val value, DataType to) {
        int from = value.type().scale();
        Val scaled = from == to.scale()
                ? value
                : from < to.scale() ? scaleUp(value, to.scale()) : scaleDown(value, to.scale());
        if (scaled.digits() > to.precision()) {
            String isNull = scaled.isNull();
            String check = scaled.form() == Val.Form.PRIMITIVE
                    ? "Decimals.check(" + scaled.low() + ", " + to.precision() + ");"
                    : "Decimals.check(" + scaled.low() + ", " + scaled.high() + ", " + to.precision() + ");";
            compiler.unlessNull(isNull, () -> out.line(check));
        }
        int digits = Math.min(scaled.digits(), to.precision());
        boolean small = digits <= 18 && scaled.form() == Val.Form.WIDE;
        Val narrow = small ? Val.primitive(to, scaled.isNull(), scaled.low()) : scaled.withType(to);
        return narrow.withDigits(digits);
    }

    // ---- text

    private Val toText(Val value, DataType to) {
        TypeKind kind = value.kind();
        if (kind == TypeKind.VARCHAR) {
            return compiler.strict(
                            to,
                            Val.Form.SPAN,
                            List.of(value),
                            "Texts.left(" + bytes(value) + ", " + to.precision() + ", r)",
                            false)
                    .withScratch(value.scratch());
        }
        if (kind == TypeKind.VARBINARY) {
            String code = "Texts.checkUtf8(" + bytes(value) + ", r)";
            return limited(value, code, to).withScratch(value.scratch());
        }
        String x = value.first();
        int precision = value.type().precision();
        String code = switch (kind) {
            case BOOLEAN -> "TextFormat.ofBoolean(" + x + ", r)";
            case TINYINT, SMALLINT, INTEGER, BIGINT -> "TextFormat.ofLong(" + x + ", r)";
            case DECIMAL ->
                "TextFormat.ofDecimal(" + value.low() + ", " + value.high() + ", "
                        + value.type().scale() + ", r)";
            case REAL -> "TextFormat.ofFloat(" + x + ", r)";
            case DOUBLE -> "TextFormat.ofDouble(" + x + ", r)";
            case DATE -> "TextFormat.ofDate(" + x + ", r)";
            case TIME -> "TextFormat.ofTime(" + x + ", " + precision + ", r)";
            case TIMESTAMP -> "TextFormat.ofTimestamp(" + x + ", " + precision + ", r)";
            case TIMESTAMP_LTZ -> "TextFormat.ofTimestamp(r.zone.toLocal(" + x + "), " + precision + ", r)";
            case INTERVAL_DAY_TIME -> "TextFormat.ofDayTime(" + x + ", r)";
            case INTERVAL_YEAR_MONTH -> "TextFormat.ofMonths(" + x + ", r)";
            case VARCHAR, VARBINARY, NULL -> throw new AssertionError(value);
        };
        out.usesScratch();
        return limited(value, code, to).withScratch(true);
    }

    private Val limited(Val value, String code, DataType to) {
        String checked = to.precision() == DataType.UNBOUNDED
                ? code
                : "Texts.checkLength(" + code + ", " + to.precision() + ", r)";
        return compiler.strict(to, Val.Form.SPAN, List.of(value), checked, false);
    }

    /** {@code column} is code for the column's name. */
    Val requireLength(Val value, DataType to, String column) {
        String method = to.kind() == TypeKind.VARCHAR ? "Texts.requireLength(" : "Texts.requireBytes(";
        String code = method + bytes(value) + ", " + to.precision() + ", " + column + ", r)";
        return compiler.strict(to, Val.Form.SPAN, List.of(value), code, false).withScratch(value.scratch());
    }

    private Val toBytes(Val value, DataType to) {
        if (!value.kind().isView()) {
            throw unsupported(value, to);
        }
        if (to.precision() == DataType.UNBOUNDED) {
            return value.withType(to);
        }
        String code = "Texts.leftBytes(" + bytes(value) + ", " + to.precision() + ", r)";
        return compiler.strict(to, Val.Form.SPAN, List.of(value), code, false).withScratch(value.scratch());
    }

    // ---- datetimes

    private Val toDate(Val value, DataType to) {
        String x = value.first();
        String code = switch (value.kind()) {
            case VARCHAR -> "TextParse.toDate(" + bytes(value) + ")";
            case TIMESTAMP -> "Datetimes.toDate(" + x + ")";
            case TIMESTAMP_LTZ -> "Datetimes.toDate(r.zone.toLocal(" + x + "))";
            default -> throw unsupported(value, to);
        };
        return compiler.strict(to, List.of(value), code);
    }

    private Val toTime(Val value, DataType to) {
        String x = value.first();
        String code = switch (value.kind()) {
            case VARCHAR -> "TextParse.toTime(" + bytes(value) + ")";
            case TIME -> x;
            case TIMESTAMP -> "Datetimes.toTime(" + x + ")";
            case TIMESTAMP_LTZ -> "Datetimes.toTime(r.zone.toLocal(" + x + "))";
            default -> throw unsupported(value, to);
        };
        return compiler.strict(to, List.of(value), shortened(code, value, to));
    }

    private Val toTimestamp(Val value, DataType to) {
        String x = value.first();
        String code = switch (value.kind()) {
            case VARCHAR -> "TextParse.toTimestamp(" + bytes(value) + ")";
            case DATE -> "Datetimes.fromDate(" + x + ")";
            case TIMESTAMP -> x;
            case TIMESTAMP_LTZ -> "r.zone.toLocal(" + x + ")";
            default -> throw unsupported(value, to);
        };
        return compiler.strict(to, List.of(value), shortened(code, value, to));
    }

    private Val toInstant(Val value, DataType to) {
        String x = value.first();
        String code = switch (value.kind()) {
            case VARCHAR -> "TextParse.toInstant(" + bytes(value) + ", r.zone)";
            case DATE -> "r.zone.toInstant(Datetimes.fromDate(" + x + "))";
            case TIMESTAMP -> "r.zone.toInstant(" + x + ")";
            case TIMESTAMP_LTZ -> x;
            default -> throw unsupported(value, to);
        };
        return compiler.strict(to, List.of(value), shortened(code, value, to));
    }

    /** Drops the fractional digits that the type does not have. */
    private static String shortened(String code, Val value, DataType to) {
        boolean whole = value.kind() == TypeKind.DATE;
        boolean shorter = value.kind() == TypeKind.VARCHAR || value.type().precision() > to.precision();
        if (whole || !shorter || to.precision() >= 6) {
            return code;
        }
        return "Datetimes.floor(" + code + ", " + Decimals.power(6 - to.precision()) + "L)";
    }
}

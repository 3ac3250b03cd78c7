package io.tailwater.executor.expr;

import io.tailwater.common.type.DataType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Literals in canonical text as constants of generated code. */
final class Literals {
    private Literals() {}

    static Val compile(String value, DataType type, MethodWriter out) {
        return switch (type.kind()) {
            case BOOLEAN -> Val.primitive(type, "false", Boolean.toString(Boolean.parseBoolean(value)));
            case TINYINT, SMALLINT, INTEGER, DATE, INTERVAL_YEAR_MONTH ->
                Val.primitive(type, "false", out.constant("int", new BigDecimal(value).intValueExact()));
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME ->
                Val.primitive(type, "false", out.constant("long", new BigDecimal(value).longValueExact()));
            case REAL -> Val.primitive(type, "false", out.constant("float", Float.parseFloat(value) + 0));
            case DOUBLE -> Val.primitive(type, "false", out.constant("double", Double.parseDouble(value) + 0));
            case DECIMAL -> decimal(new BigDecimal(value), type, out);
            case VARCHAR -> text(value.getBytes(StandardCharsets.UTF_8), type, out);
            case VARBINARY -> text(HexFormat.of().parseHex(value), type, out);
            case NULL -> Val.nullOf(type);
        };
    }

    private static Val text(byte[] bytes, DataType type, MethodWriter out) {
        return Val.of(type, Val.Form.SLOT, "false", out.constant("long", new KernelWriter.Text(bytes)), "");
    }

    private static Val decimal(BigDecimal value, DataType type, MethodWriter out) {
        BigInteger unscaled = value.setScale(type.scale()).unscaledValue();
        String low = out.constant("long", unscaled.longValue());
        if (unscaled.bitLength() <= 63) {
            return Val.primitive(type, "false", low).withDigits(Math.min(type.precision(), 19));
        }
        String high = out.constant("long", unscaled.shiftRight(64).longValue());
        return Val.of(type, Val.Form.WIDE, "false", low, high);
    }

    /** The integer that a literal says, for code that treats a constant operand specially. */
    static long integer(String value) {
        return new BigDecimal(value).longValueExact();
    }
}

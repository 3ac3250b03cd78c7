package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import io.tailwater.planner.validate.Types;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;

import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.Objects;

/** Calcite's constants, checked or as parsed, in the canonical text of {@link Expr.Literal}. */
public final class Literals {
    private Literals() {}

    static Expr.Literal translate(RexLiteral literal, ZoneId zone) {
        DataType type = Types.fromCalcite(literal.getType());
        return literal.isNull()
                ? new Expr.Literal(null, type.withNullable(true))
                : new Expr.Literal(text(literal, type, zone), type.notNull());
    }

    private static String text(RexLiteral literal, DataType type, ZoneId zone) {
        return switch (type.kind()) {
            case BOOLEAN -> value(literal, Boolean.class).toString();
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                value(literal, BigDecimal.class).toBigInteger().toString();
            case DECIMAL ->
                value(literal, BigDecimal.class)
                        .setScale(type.scale(), java.math.RoundingMode.HALF_UP)
                        .toPlainString();
            case REAL -> Float.toString(value(literal, Double.class).floatValue());
            case DOUBLE -> Double.toString(value(literal, Double.class));
            case VARCHAR -> value(literal, NlsString.class).getValue();
            case VARBINARY -> value(literal, ByteString.class).toString(16);
            case DATE -> Integer.toString(value(literal, DateString.class).getDaysSinceEpoch());
            case TIME ->
                Long.toString(DateTimes.parse(value(literal, TimeString.class).toString(), type.kind(), zone));
            case TIMESTAMP, TIMESTAMP_LTZ ->
                Long.toString(
                        DateTimes.parse(value(literal, TimestampString.class).toString(), type.kind(), zone));
            case INTERVAL_DAY_TIME ->
                value(literal, BigDecimal.class)
                        .movePointRight(3)
                        .toBigInteger()
                        .toString();
            case INTERVAL_YEAR_MONTH ->
                value(literal, BigDecimal.class).toBigInteger().toString();
            case NULL -> throw new AssertionError("a NULL with a value");
        };
    }

    /** Whether {@link #plain} knows this constant of a parsed statement. */
    public static boolean isPlain(SqlLiteral literal) {
        return switch (literal.getTypeName()) {
            case NULL, BOOLEAN, CHAR, DECIMAL, DOUBLE -> true;
            default -> false;
        };
    }

    /** A constant as it was written: integers are INTEGER or BIGINT if they fit, numbers with a point DECIMAL, with an exponent DOUBLE. */
    public static Expr.Literal plain(SqlLiteral literal) {
        return switch (literal.getTypeName()) {
            case NULL -> new Expr.Literal(null, new DataType(TypeKind.NULL, 0, 0, true));
            case BOOLEAN -> new Expr.Literal(literal.booleanValue() ? "true" : "false", DataType.BOOLEAN.notNull());
            case CHAR -> {
                String text = literal.getValueAs(NlsString.class).getValue();
                yield new Expr.Literal(text, DataType.VARCHAR.notNull());
            }
            case DOUBLE -> {
                double number = literal.getValueAs(BigDecimal.class).doubleValue();
                yield new Expr.Literal(Double.toString(number), DataType.DOUBLE.notNull());
            }
            case DECIMAL -> number(literal.getValueAs(BigDecimal.class));
            default -> throw new AssertionError(literal);
        };
    }

    private static Expr.Literal number(BigDecimal value) {
        if (value.scale() <= 0 && value.precision() - value.scale() <= 18) {
            long whole = value.longValueExact();
            boolean small = whole == (int) whole;
            return new Expr.Literal(Long.toString(whole), (small ? DataType.INTEGER : DataType.BIGINT).notNull());
        }
        BigDecimal plain = value.scale() < 0 ? value.setScale(0) : value;
        int precision = Math.max(plain.precision(), plain.scale());
        if (precision > 38) {
            throw new StreamException(
                    ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
                    "number " + value.toPlainString() + " has more than 38 digits");
        }
        return new Expr.Literal(
                plain.toPlainString(),
                DataType.decimal(precision, plain.scale()).notNull());
    }

    private static <T> T value(RexLiteral literal, Class<T> type) {
        return Objects.requireNonNull(literal.getValueAs(type));
    }
}

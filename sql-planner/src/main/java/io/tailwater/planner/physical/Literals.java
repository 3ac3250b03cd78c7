package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.common.type.DataType;
import io.tailwater.planner.validate.Types;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.util.DateString;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;

import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.Objects;

/** Calcite's constants in the canonical text of {@link Expr.Literal}. */
final class Literals {
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

    private static <T> T value(RexLiteral literal, Class<T> type) {
        return Objects.requireNonNull(literal.getValueAs(type));
    }
}

package io.tailwater.planner.physical;

import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.HexFormat;
import java.util.List;

/**
 * Values for {@code ?}, in the form of {@code api.batch.Values}; null while a statement is only prepared, when each is NULL.
 */
public final class Parameters {
    private final @Nullable List<@Nullable Object> values;
    private final Casts casts;
    private final ZoneId zone;

    public Parameters(@Nullable List<@Nullable Object> values, ZoneId zone) {
        this.values = values;
        this.zone = zone;
        this.casts = new Casts(zone);
    }

    boolean preparing() {
        return values == null;
    }

    ZoneId zone() {
        return zone;
    }

    /** Parameter {@code index} as a constant of type {@code type}. */
    public Expr literal(int index, DataType type) {
        if (values == null) {
            // Of unknown value: not a literal, or a NOT NULL column would refuse it already.
            Expr unknown = new Expr.Literal(null, type.withNullable(true));
            return Expr.call(Function.COALESCE, type.withNullable(true), unknown, unknown);
        }
        if (index >= values.size()) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "no value for parameter " + (index + 1) + ": " + values.size() + " given");
        }
        Object value = values.get(index);
        if (value == null) {
            return new Expr.Literal(null, type.withNullable(true));
        }
        return casts.cast(constant(value, type), type);
    }

    private static Expr.Literal constant(Object value, DataType type) {
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            boolean physical = switch (type.kind()) {
                case DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH -> true;
                default -> false;
            };
            return new Expr.Literal(value.toString(), (physical ? type : DataType.BIGINT).notNull());
        }
        if (value instanceof BigDecimal number) {
            BigDecimal plain = number.scale() < 0 ? number.setScale(0) : number;
            int precision = Math.min(38, Math.max(plain.precision(), plain.scale()));
            return new Expr.Literal(
                    plain.toPlainString(),
                    DataType.decimal(Math.max(1, precision), Math.min(plain.scale(), precision))
                            .notNull());
        }
        if (value instanceof Double || value instanceof Float) {
            return new Expr.Literal(Double.toString(((Number) value).doubleValue()), DataType.DOUBLE.notNull());
        }
        if (value instanceof Boolean) {
            return new Expr.Literal(value.toString(), DataType.BOOLEAN.notNull());
        }
        if (value instanceof byte[] bytes) {
            return new Expr.Literal(HexFormat.of().formatHex(bytes), DataType.VARBINARY.notNull());
        }
        return new Expr.Literal(value.toString(), DataType.VARCHAR.notNull());
    }
}

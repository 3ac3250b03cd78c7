package io.tailwater.server.sql;

import io.tailwater.api.plan.Expr;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.HexFormat;

/** Values of constants in a plan. */
final class Literals {
    private Literals() {}

    /** In the form of {@code api.batch.Values}. */
    static @Nullable Object value(Expr.Literal literal) {
        String text = literal.value();
        if (text == null) {
            return null;
        }
        return switch (literal.type().kind()) {
            case BOOLEAN -> Boolean.valueOf(text);
            case TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMP_LTZ,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH -> Long.valueOf(text);
            case DECIMAL -> new BigDecimal(text).setScale(literal.type().scale());
            case REAL -> Float.valueOf(text);
            case DOUBLE -> Double.valueOf(text);
            case VARCHAR -> text;
            case VARBINARY -> HexFormat.of().parseHex(text);
            case NULL -> null;
        };
    }
}

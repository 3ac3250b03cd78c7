package io.tailwater.executor.runtime;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.Values;
import io.tailwater.api.plan.Expr;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.HexFormat;

/** From a plan literal's canonical text to a value of a batch. */
final class LiteralValue {
    private LiteralValue() {}

    static void set(BatchBuilder out, int column, int row, Expr.Literal literal) {
        Values.set(out, column, row, value(literal));
    }

    /** In the form of {@link Values}. */
    static @Nullable Object value(Expr.Literal literal) {
        String text = literal.value();
        if (text == null) {
            return null;
        }
        return switch (literal.type().kind()) {
            case BOOLEAN -> Boolean.parseBoolean(text);
            case TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMP_LTZ,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH -> Long.parseLong(text);
            case DECIMAL -> new BigDecimal(text);
            case REAL -> Float.parseFloat(text) + 0;
            case DOUBLE -> Double.parseDouble(text) + 0;
            case VARCHAR -> text;
            case VARBINARY -> HexFormat.of().parseHex(text);
            case NULL -> null;
        };
    }
}

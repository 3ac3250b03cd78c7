package io.tailwater.jdbc.arrow;

import org.jspecify.annotations.Nullable;

/** Some rows of a result. Column and row numbers start at 0. Immutable. */
public interface RowBatch {
    int rows();

    boolean isNull(int column, int row);

    /** The value of an integer column; whatever lies there if it is NULL. */
    long getLong(int column, int row);

    /** The value of a DOUBLE column; whatever lies there if it is NULL. */
    double getDouble(int column, int row);

    /**
     * Boolean; Integer (TINYINT to INTEGER), Long, BigDecimal, Float, Double; String; byte[]; LocalDate, LocalTime, LocalDateTime (TIMESTAMP), Instant
     * (TIMESTAMP_LTZ), Duration, Period; null.
     */
    @Nullable Object get(int column, int row);
}

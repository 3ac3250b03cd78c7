package io.tailwater.common.type;

/**
 * The SQL type families the engine computes with, each with one physical form in a column batch.
 *
 * <p>Fixed-width values are little-endian. {@link #DECIMAL} is a 128-bit two's complement unscaled value, low half first (Arrow's
 * Decimal128). {@link #VARCHAR} and {@link #VARBINARY} are 16-byte views: see {@code io.tailwater.api.batch.StringView}.
 */
public enum TypeKind {
    /** One bit a value, Arrow's packing. */
    BOOLEAN(0),
    TINYINT(1),
    SMALLINT(2),
    INTEGER(4),
    BIGINT(8),
    /** Precision 1..38, scale 0..precision. */
    DECIMAL(16),
    REAL(4),
    DOUBLE(8),
    /** UTF-8; precision is the greatest number of characters, or {@link DataType#UNBOUNDED}. CHAR(n) is VARCHAR here, blank-padded at the cast. */
    VARCHAR(16),
    VARBINARY(16),
    /** Days since 1970-01-01. */
    DATE(4),
    /** Microseconds since midnight. */
    TIME(8),
    /** Wall-clock microseconds since 1970-01-01T00:00:00, without a zone. Precision 0..6. */
    TIMESTAMP(8),
    /** An instant: microseconds since 1970-01-01T00:00:00Z. SQL's TIMESTAMP WITH LOCAL TIME ZONE. Precision 0..6. */
    TIMESTAMP_LTZ(8),
    /** Microseconds. */
    INTERVAL_DAY_TIME(8),
    /** Months. */
    INTERVAL_YEAR_MONTH(4),
    /** The type of a bare NULL literal; never the type of a stored column. */
    NULL(4);

    private final int width;

    TypeKind(int width) {
        this.width = width;
    }

    /** Bytes of one value in a column's data buffer; 0 for {@link #BOOLEAN}, which takes one bit. */
    public int width() {
        return width;
    }

    /** Whether a value is a 16-byte view of bytes that live elsewhere. */
    public boolean isView() {
        return this == VARCHAR || this == VARBINARY;
    }

    public boolean isInteger() {
        return this == TINYINT || this == SMALLINT || this == INTEGER || this == BIGINT;
    }

    public boolean isFloating() {
        return this == REAL || this == DOUBLE;
    }

    public boolean isNumeric() {
        return isInteger() || isFloating() || this == DECIMAL;
    }
}

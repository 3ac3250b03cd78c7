package io.tailwater.jdbc.arrow;

import java.sql.Types;

/** The SQL type families a result can have, and how JDBC sees them. */
public enum Kind {
    BOOLEAN(Types.BOOLEAN, "BOOLEAN", Boolean.class, 1, 5),
    TINYINT(Types.TINYINT, "TINYINT", Integer.class, 3, 4),
    SMALLINT(Types.SMALLINT, "SMALLINT", Integer.class, 5, 6),
    INTEGER(Types.INTEGER, "INTEGER", Integer.class, 10, 11),
    BIGINT(Types.BIGINT, "BIGINT", Long.class, 19, 20),
    DECIMAL(Types.DECIMAL, "DECIMAL", java.math.BigDecimal.class, 38, 40),
    REAL(Types.REAL, "REAL", Float.class, 7, 15),
    DOUBLE(Types.DOUBLE, "DOUBLE", Double.class, 15, 25),
    VARCHAR(Types.VARCHAR, "VARCHAR", String.class, Integer.MAX_VALUE, Integer.MAX_VALUE),
    VARBINARY(Types.VARBINARY, "VARBINARY", byte[].class, Integer.MAX_VALUE, Integer.MAX_VALUE),
    DATE(Types.DATE, "DATE", java.sql.Date.class, 10, 10),
    TIME(Types.TIME, "TIME", java.sql.Time.class, 8, 15),
    TIMESTAMP(Types.TIMESTAMP, "TIMESTAMP", java.sql.Timestamp.class, 19, 26),
    TIMESTAMP_LTZ(
            Types.TIMESTAMP_WITH_TIMEZONE, "TIMESTAMP WITH LOCAL TIME ZONE", java.time.OffsetDateTime.class, 25, 32),
    INTERVAL_DAY_TIME(Types.OTHER, "INTERVAL DAY TO SECOND", java.time.Duration.class, 19, 32),
    INTERVAL_YEAR_MONTH(Types.OTHER, "INTERVAL YEAR TO MONTH", java.time.Period.class, 10, 14),
    NULL(Types.NULL, "NULL", Object.class, 0, 4);

    private final int jdbcType;
    private final String sqlName;
    private final Class<?> objectClass;
    private final int precision;
    private final int displaySize;

    Kind(int jdbcType, String sqlName, Class<?> objectClass, int precision, int displaySize) {
        this.jdbcType = jdbcType;
        this.sqlName = sqlName;
        this.objectClass = objectClass;
        this.precision = precision;
        this.displaySize = displaySize;
    }

    /** One of {@link Types}. */
    public int jdbcType() {
        return jdbcType;
    }

    public String sqlName() {
        return sqlName;
    }

    /** What {@code ResultSet.getObject} gives. */
    public Class<?> objectClass() {
        return objectClass;
    }

    /** Digits or characters of a value without fractional seconds; what a type of this kind has if nothing else is said. */
    public int precision() {
        return precision;
    }

    /** Characters that any value of this kind fits. */
    public int displaySize() {
        return displaySize;
    }

    public boolean isInteger() {
        return this == TINYINT || this == SMALLINT || this == INTEGER || this == BIGINT;
    }

    public boolean isNumber() {
        return isInteger() || this == DECIMAL || this == REAL || this == DOUBLE;
    }

    public boolean hasFraction() {
        return this == TIME || this == TIMESTAMP || this == TIMESTAMP_LTZ;
    }
}

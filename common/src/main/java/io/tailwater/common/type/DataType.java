package io.tailwater.common.type;

import java.util.Locale;

/**
 * A SQL type: family, precision, scale and whether NULL is allowed.
 *
 * <p>Precision means digits for DECIMAL, characters for VARCHAR, bytes for VARBINARY and fractional digits for TIME and TIMESTAMP; it is 0
 * where it means nothing. Immutable.
 */
public record DataType(TypeKind kind, int precision, int scale, boolean nullable) {
    /** Precision of a VARCHAR or VARBINARY without a limit. */
    public static final int UNBOUNDED = Integer.MAX_VALUE;

    public static final DataType BOOLEAN = of(TypeKind.BOOLEAN);
    public static final DataType TINYINT = of(TypeKind.TINYINT);
    public static final DataType SMALLINT = of(TypeKind.SMALLINT);
    public static final DataType INTEGER = of(TypeKind.INTEGER);
    public static final DataType BIGINT = of(TypeKind.BIGINT);
    public static final DataType REAL = of(TypeKind.REAL);
    public static final DataType DOUBLE = of(TypeKind.DOUBLE);
    public static final DataType VARCHAR = new DataType(TypeKind.VARCHAR, UNBOUNDED, 0, true);
    public static final DataType VARBINARY = new DataType(TypeKind.VARBINARY, UNBOUNDED, 0, true);
    public static final DataType DATE = of(TypeKind.DATE);
    public static final DataType TIME = new DataType(TypeKind.TIME, 6, 0, true);
    public static final DataType TIMESTAMP = new DataType(TypeKind.TIMESTAMP, 6, 0, true);
    public static final DataType TIMESTAMP_LTZ = new DataType(TypeKind.TIMESTAMP_LTZ, 6, 0, true);

    public DataType {
        if (kind == TypeKind.DECIMAL && (precision < 1 || precision > 38 || scale < 0 || scale > precision)) {
            throw new IllegalArgumentException("DECIMAL(" + precision + ", " + scale + ")");
        }
    }

    private static DataType of(TypeKind kind) {
        return new DataType(kind, 0, 0, true);
    }

    public static DataType decimal(int precision, int scale) {
        return new DataType(TypeKind.DECIMAL, precision, scale, true);
    }

    public static DataType varchar(int length) {
        return new DataType(TypeKind.VARCHAR, length, 0, true);
    }

    public static DataType timestamp(int precision) {
        return new DataType(TypeKind.TIMESTAMP, precision, 0, true);
    }

    public DataType withNullable(boolean wanted) {
        return wanted == nullable ? this : new DataType(kind, precision, scale, wanted);
    }

    public DataType notNull() {
        return withNullable(false);
    }

    /** Same type, NULL aside. */
    public boolean sameAs(DataType other) {
        return withNullable(true).equals(other.withNullable(true));
    }

    /** As written in SQL, without NOT NULL. */
    public String sql() {
        return switch (kind) {
            case DECIMAL -> String.format(Locale.ROOT, "DECIMAL(%d, %d)", precision, scale);
            case VARCHAR, VARBINARY -> precision == UNBOUNDED ? kind.name() : kind.name() + "(" + precision + ")";
            case TIME, TIMESTAMP -> kind.name() + "(" + precision + ")";
            case TIMESTAMP_LTZ -> "TIMESTAMP(" + precision + ") WITH LOCAL TIME ZONE";
            case INTERVAL_DAY_TIME -> "INTERVAL DAY TO SECOND";
            case INTERVAL_YEAR_MONTH -> "INTERVAL YEAR TO MONTH";
            case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, DATE, NULL -> kind.name();
        };
    }

    @Override
    public String toString() {
        return nullable ? sql() : sql() + " NOT NULL";
    }
}

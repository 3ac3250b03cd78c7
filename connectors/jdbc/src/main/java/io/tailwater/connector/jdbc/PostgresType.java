package io.tailwater.connector.jdbc;

import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A type of PostgreSQL.
 *
 * @param name of {@code pg_type}; of a domain, its base type's
 * @param modifier {@code atttypmod}: precision and length, or -1
 * @param shown as PostgreSQL writes it
 */
record PostgresType(String name, int modifier, String shown) {
    private static final List<String> TEXTS =
            List.of("text", "varchar", "bpchar", "citext", "json", "jsonb", "uuid", "xml");

    /** Whether it can hold all values of our type. A text may be no JSON or too long, which shows when it is written. */
    boolean holds(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> name.equals("bool");
            case TINYINT, SMALLINT ->
                integers(5)
                        || List.of("int2", "int4", "int8", "float4", "float8").contains(name);
            case INTEGER -> integers(10) || List.of("int4", "int8", "float8").contains(name);
            case BIGINT -> integers(19) || name.equals("int8");
            case DECIMAL -> decimals(type.precision() - type.scale(), type.scale());
            case REAL -> name.equals("float4") || name.equals("float8");
            case DOUBLE -> name.equals("float8");
            case VARCHAR -> TEXTS.contains(name);
            case VARBINARY -> name.equals("bytea");
            case DATE -> name.equals("date");
            case TIME -> name.equals("time");
            case TIMESTAMP -> name.equals("timestamp");
            case TIMESTAMP_LTZ -> name.equals("timestamptz");
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH -> name.equals("interval");
            case NULL -> false;
        };
    }

    private boolean integers(int digits) {
        return decimals(digits, 0);
    }

    private boolean decimals(int digits, int scale) {
        return name.equals("numeric") && (modifier < 0 || (precision() - scale() >= digits && scale() >= scale));
    }

    private int precision() {
        return (modifier - 4) >> 16;
    }

    private int scale() {
        // Eleven bits with a sign.
        return (((modifier - 4) & 0x7ff) ^ 1024) - 1024;
    }

    /** Our type for a column that is not declared, or null if there is none, or no single one. */
    @Nullable DataType implied() {
        return switch (name) {
            case "bool" -> DataType.BOOLEAN;
            case "int2" -> DataType.SMALLINT;
            case "int4" -> DataType.INTEGER;
            case "int8" -> DataType.BIGINT;
            case "float4" -> DataType.REAL;
            case "float8" -> DataType.DOUBLE;
            case "numeric" ->
                modifier >= 0 && precision() <= 38 && scale() >= 0 && scale() <= precision()
                        ? DataType.decimal(precision(), scale())
                        : null;
            case "varchar" -> modifier < 0 ? DataType.VARCHAR : DataType.varchar(modifier - 4);
            case "text", "bpchar", "citext", "json", "jsonb", "uuid", "xml" -> DataType.VARCHAR;
            case "bytea" -> DataType.VARBINARY;
            case "date" -> DataType.DATE;
            case "time" -> new DataType(TypeKind.TIME, modifier < 0 ? 6 : modifier, 0, true);
            case "timestamp" -> DataType.timestamp(modifier < 0 ? 6 : modifier);
            case "timestamptz" -> new DataType(TypeKind.TIMESTAMP_LTZ, modifier < 0 ? 6 : modifier, 0, true);
            default -> null;
        };
    }

    /** What a column of our type would be there, for hints. */
    static String of(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> "boolean";
            case TINYINT, SMALLINT -> "smallint";
            case INTEGER -> "integer";
            case BIGINT -> "bigint";
            case DECIMAL -> "numeric(" + type.precision() + ", " + type.scale() + ")";
            case REAL -> "real";
            case DOUBLE -> "double precision";
            case VARCHAR -> "text";
            case VARBINARY -> "bytea";
            case DATE -> "date";
            case TIME -> "time";
            case TIMESTAMP -> "timestamp";
            case TIMESTAMP_LTZ -> "timestamptz";
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH -> "interval";
            case NULL -> throw new AssertionError(type);
        };
    }
}

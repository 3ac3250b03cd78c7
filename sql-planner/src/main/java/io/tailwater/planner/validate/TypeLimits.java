package io.tailwater.planner.validate;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

import java.util.Locale;

/** Refuses types that Calcite would quietly narrow to what there is. */
public final class TypeLimits {
    private static final int MAX_DECIMAL = 38;
    private static final int MAX_TIME = 6;

    private TypeLimits() {}

    /** Checks all types in a query. */
    public static void check(SqlNode query, String sql) {
        query.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlDataTypeSpec type) {
                check(type, sql);
                return null;
            }
        });
    }

    /** @throws StreamException 22023 with the type's position */
    public static void check(SqlDataTypeSpec type, String sql) {
        if (!(type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec spec)) {
            return;
        }
        String name = spec.getTypeName().getSimple().toUpperCase(Locale.ROOT);
        int precision = spec.getPrecision();
        int scale = spec.getScale();
        switch (name) {
            case "DECIMAL" -> {
                boolean valid = precision < 0 || precision >= 1 && precision <= MAX_DECIMAL && scale <= precision;
                require(
                        valid,
                        "DECIMAL(" + precision + ", " + Math.max(0, scale)
                                + ") is not valid: precision is 1 to 38, scale 0 to precision",
                        type,
                        sql);
            }
            case "TIME", "TIMESTAMP", "TIMESTAMP_WITH_LOCAL_TIME_ZONE", "TIME_WITH_LOCAL_TIME_ZONE" ->
                require(
                        precision <= MAX_TIME,
                        name.substring(0, name.startsWith("TIMESTAMP") ? 9 : 4) + "(" + precision
                                + ") is not valid: there are at most " + MAX_TIME + " fractional digits",
                        type,
                        sql);
            case "CHAR", "VARCHAR", "BINARY", "VARBINARY" ->
                require(precision != 0, name + "(0) is not valid: the length is at least 1", type, sql);
            default -> {}
        }
    }

    private static void require(boolean valid, String message, SqlDataTypeSpec type, String sql) {
        if (!valid) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    message,
                    Positions.offset(sql, type.getParserPosition()),
                    null,
                    null);
        }
    }
}

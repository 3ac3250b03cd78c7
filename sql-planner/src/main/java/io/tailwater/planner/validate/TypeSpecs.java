package io.tailwater.planner.validate;

import io.tailwater.common.type.DataType;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;

/** Types as they would be written in a CAST. */
public final class TypeSpecs {
    private TypeSpecs() {}

    public static SqlDataTypeSpec of(DataType type, SqlParserPos at) {
        return new SqlDataTypeSpec(name(type, at), at);
    }

    private static SqlTypeNameSpec name(DataType type, SqlParserPos at) {
        return switch (type.kind()) {
            case BOOLEAN -> new SqlBasicTypeNameSpec(SqlTypeName.BOOLEAN, at);
            case TINYINT -> new SqlBasicTypeNameSpec(SqlTypeName.TINYINT, at);
            case SMALLINT -> new SqlBasicTypeNameSpec(SqlTypeName.SMALLINT, at);
            case INTEGER -> new SqlBasicTypeNameSpec(SqlTypeName.INTEGER, at);
            case BIGINT -> new SqlBasicTypeNameSpec(SqlTypeName.BIGINT, at);
            case REAL -> new SqlBasicTypeNameSpec(SqlTypeName.REAL, at);
            case DOUBLE -> new SqlBasicTypeNameSpec(SqlTypeName.DOUBLE, at);
            case DATE -> new SqlBasicTypeNameSpec(SqlTypeName.DATE, at);
            case DECIMAL -> new SqlBasicTypeNameSpec(SqlTypeName.DECIMAL, type.precision(), type.scale(), at);
            case TIME -> new SqlBasicTypeNameSpec(SqlTypeName.TIME, type.precision(), at);
            case TIMESTAMP -> new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP, type.precision(), at);
            case TIMESTAMP_LTZ ->
                new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, type.precision(), at);
            case VARCHAR -> sized(SqlTypeName.VARCHAR, type, at);
            case VARBINARY -> sized(SqlTypeName.VARBINARY, type, at);
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH, NULL -> throw new AssertionError("not a column type: " + type);
        };
    }

    private static SqlTypeNameSpec sized(SqlTypeName name, DataType type, SqlParserPos at) {
        return type.precision() == DataType.UNBOUNDED
                ? new SqlBasicTypeNameSpec(name, at)
                : new SqlBasicTypeNameSpec(name, type.precision(), at);
    }
}

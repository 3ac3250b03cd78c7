package io.tailwater.planner.validate;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;

import java.util.ArrayList;
import java.util.List;

/** Between Tailwater's types and Calcite's. */
public final class Types {
    private static final SqlIntervalQualifier DAY_TO_SECOND =
            new SqlIntervalQualifier(TimeUnit.DAY, TimeUnit.SECOND, SqlParserPos.ZERO);
    private static final SqlIntervalQualifier YEAR_TO_MONTH =
            new SqlIntervalQualifier(TimeUnit.YEAR, TimeUnit.MONTH, SqlParserPos.ZERO);

    private Types() {}

    public static RelDataType toCalcite(DataType type, RelDataTypeFactory factory) {
        RelDataType base = switch (type.kind()) {
            case BOOLEAN -> factory.createSqlType(SqlTypeName.BOOLEAN);
            case TINYINT -> factory.createSqlType(SqlTypeName.TINYINT);
            case SMALLINT -> factory.createSqlType(SqlTypeName.SMALLINT);
            case INTEGER -> factory.createSqlType(SqlTypeName.INTEGER);
            case BIGINT -> factory.createSqlType(SqlTypeName.BIGINT);
            case DECIMAL -> factory.createSqlType(SqlTypeName.DECIMAL, type.precision(), type.scale());
            case REAL -> factory.createSqlType(SqlTypeName.REAL);
            case DOUBLE -> factory.createSqlType(SqlTypeName.DOUBLE);
            case VARCHAR -> sized(SqlTypeName.VARCHAR, type, factory);
            case VARBINARY -> sized(SqlTypeName.VARBINARY, type, factory);
            case DATE -> factory.createSqlType(SqlTypeName.DATE);
            case TIME -> factory.createSqlType(SqlTypeName.TIME, type.precision());
            case TIMESTAMP -> factory.createSqlType(SqlTypeName.TIMESTAMP, type.precision());
            case TIMESTAMP_LTZ -> factory.createSqlType(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE, type.precision());
            case INTERVAL_DAY_TIME -> factory.createSqlIntervalType(DAY_TO_SECOND);
            case INTERVAL_YEAR_MONTH -> factory.createSqlIntervalType(YEAR_TO_MONTH);
            case NULL -> factory.createSqlType(SqlTypeName.NULL);
        };
        return factory.createTypeWithNullability(base, type.nullable());
    }

    private static RelDataType sized(SqlTypeName name, DataType type, RelDataTypeFactory factory) {
        return type.precision() == DataType.UNBOUNDED
                ? factory.createSqlType(name)
                : factory.createSqlType(name, type.precision());
    }

    /** @throws StreamException 0A000 for a type the engine does not compute with */
    public static DataType fromCalcite(RelDataType type) {
        boolean nullable = type.isNullable();
        SqlTypeName name = type.getSqlTypeName();
        return switch (name) {
            case BOOLEAN -> DataType.BOOLEAN.withNullable(nullable);
            case TINYINT -> DataType.TINYINT.withNullable(nullable);
            case SMALLINT -> DataType.SMALLINT.withNullable(nullable);
            case INTEGER -> DataType.INTEGER.withNullable(nullable);
            case BIGINT -> DataType.BIGINT.withNullable(nullable);
            case DECIMAL -> new DataType(TypeKind.DECIMAL, type.getPrecision(), type.getScale(), nullable);
            case REAL -> DataType.REAL.withNullable(nullable);
            case FLOAT, DOUBLE -> DataType.DOUBLE.withNullable(nullable);
            case CHAR, VARCHAR -> new DataType(TypeKind.VARCHAR, length(type), 0, nullable);
            case BINARY, VARBINARY -> new DataType(TypeKind.VARBINARY, length(type), 0, nullable);
            case DATE -> DataType.DATE.withNullable(nullable);
            case TIME -> new DataType(TypeKind.TIME, type.getPrecision(), 0, nullable);
            case TIMESTAMP -> new DataType(TypeKind.TIMESTAMP, type.getPrecision(), 0, nullable);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                new DataType(TypeKind.TIMESTAMP_LTZ, type.getPrecision(), 0, nullable);
            case NULL -> new DataType(TypeKind.NULL, 0, 0, true);
            case INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH ->
                new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, nullable);
            default -> {
                if (SqlTypeName.DAY_INTERVAL_TYPES.contains(name)) {
                    yield new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, nullable);
                }
                throw new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, "type " + type + " is not supported yet");
            }
        };
    }

    private static int length(RelDataType type) {
        int precision = type.getPrecision();
        return precision < 0 || precision >= DataType.UNBOUNDED - 1 ? DataType.UNBOUNDED : precision;
    }

    public static RelDataType toCalcite(Schema schema, RelDataTypeFactory factory) {
        RelDataTypeFactory.Builder builder = factory.builder();
        for (Column column : schema.columns()) {
            builder.add(column.name(), toCalcite(column.type(), factory));
        }
        return builder.build();
    }

    public static Schema schema(RelDataType row) {
        List<Column> columns = new ArrayList<>();
        row.getFieldList().forEach(f -> columns.add(new Column(f.getName(), fromCalcite(f.getType()))));
        return new Schema(columns);
    }
}

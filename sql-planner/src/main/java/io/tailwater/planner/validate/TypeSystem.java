package io.tailwater.planner.validate;

import io.tailwater.common.type.DataType;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/** Limits and result types of Tailwater's SQL. Immutable. */
public final class TypeSystem extends RelDataTypeSystemImpl {
    public static final TypeSystem INSTANCE = new TypeSystem();

    /** Digits after the point that AVG of a DECIMAL has at least. */
    private static final int AVG_SCALE = 6;

    private static final int MAX_DECIMAL = 38;
    private static final int TIME_PRECISION = 6;

    private TypeSystem() {}

    @Override
    public int getMaxPrecision(SqlTypeName type) {
        return switch (type) {
            case DECIMAL -> MAX_DECIMAL;
            case TIME, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> TIME_PRECISION;
            case CHAR, VARCHAR, BINARY, VARBINARY -> DataType.UNBOUNDED - 1;
            default -> super.getMaxPrecision(type);
        };
    }

    @Override
    public int getDefaultPrecision(SqlTypeName type) {
        return switch (type) {
            case DECIMAL -> MAX_DECIMAL;
            case TIME, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> TIME_PRECISION;
            default -> super.getDefaultPrecision(type);
        };
    }

    @Override
    public int getMaxScale(SqlTypeName type) {
        return type == SqlTypeName.DECIMAL ? MAX_DECIMAL : super.getMaxScale(type);
    }

    @Override
    public RelDataType deriveSumType(RelDataTypeFactory factory, RelDataType argument) {
        RelDataType type = argument;
        if (SqlTypeUtil.isIntType(argument)) {
            type = factory.createSqlType(SqlTypeName.BIGINT);
        } else if (SqlTypeUtil.isDecimal(argument)) {
            type = factory.createSqlType(SqlTypeName.DECIMAL, MAX_DECIMAL, argument.getScale());
        } else if (SqlTypeUtil.isApproximateNumeric(argument)) {
            type = factory.createSqlType(SqlTypeName.DOUBLE);
        }
        return factory.createTypeWithNullability(type, argument.isNullable());
    }

    @Override
    public RelDataType deriveAvgAggType(RelDataTypeFactory factory, RelDataType argument) {
        RelDataType type = argument;
        if (SqlTypeUtil.isDecimal(argument)) {
            type = factory.createSqlType(SqlTypeName.DECIMAL, MAX_DECIMAL, Math.max(argument.getScale(), AVG_SCALE));
        } else if (SqlTypeUtil.isNumeric(argument)) {
            type = factory.createSqlType(SqlTypeName.DOUBLE);
        }
        return factory.createTypeWithNullability(type, argument.isNullable());
    }

    @Override
    public boolean shouldConvertRaggedUnionTypesToVarying() {
        return true;
    }
}

package io.tailwater.planner.validate;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.implicit.TypeCoercionImpl;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Calcite's implicit casts, except that text is never taken for a number: {@code text = 5} and {@code text + 1} are mistakes, as in PostgreSQL. String
 * constants (CHAR) still take any type.
 */
final class Coercion extends TypeCoercionImpl {
    Coercion(RelDataTypeFactory factory, SqlValidator validator) {
        super(factory, validator);
    }

    @Override
    public boolean binaryArithmeticCoercion(SqlCallBinding binding) {
        for (int i = 0; i < binding.getOperandCount(); i++) {
            if (isText(binding.getOperandType(i))) {
                return false;
            }
        }
        return super.binaryArithmeticCoercion(binding);
    }

    @Override
    public boolean builtinFunctionCoercion(
            SqlCallBinding binding, List<RelDataType> operandTypes, List<SqlTypeFamily> expectedFamilies) {
        boolean arithmetic = binding.getOperator().getKind().belongsTo(SqlKind.BINARY_ARITHMETIC);
        return !(arithmetic && operandTypes.stream().anyMatch(Coercion::isText))
                && super.builtinFunctionCoercion(binding, operandTypes, expectedFamilies);
    }

    @Override
    public @Nullable RelDataType commonTypeForBinaryComparison(@Nullable RelDataType a, @Nullable RelDataType b) {
        if (a != null && b != null && (isText(a) && isNumberOrBoolean(b) || isText(b) && isNumberOrBoolean(a))) {
            return null;
        }
        return super.commonTypeForBinaryComparison(a, b);
    }

    private static boolean isText(RelDataType type) {
        return type.getSqlTypeName() == SqlTypeName.VARCHAR;
    }

    private static boolean isNumberOrBoolean(RelDataType type) {
        return SqlTypeUtil.isNumeric(type) || SqlTypeUtil.isBoolean(type);
    }
}

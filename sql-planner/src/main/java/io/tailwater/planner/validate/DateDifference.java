package io.tailwater.planner.validate;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.InferTypes;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;

/** A minus that between two DATEs is the whole days from the second to the first, as in PostgreSQL; all others become the standard's. Immutable. */
final class DateDifference extends SqlBinaryOperator {
    static final SqlOperator MINUS = new DateDifference();

    private static final int PRECEDENCE = 40;

    private DateDifference() {
        super(
                "-",
                SqlKind.MINUS,
                PRECEDENCE,
                true,
                ReturnTypes.INTEGER_NULLABLE,
                InferTypes.FIRST_KNOWN,
                OperandTypes.family(SqlTypeFamily.DATE, SqlTypeFamily.DATE));
    }

    @Override
    public boolean checkOperandTypes(SqlCallBinding binding, boolean throwOnFailure) {
        if (isBetweenDates(binding)) {
            return true;
        }
        ((SqlBasicCall) binding.getCall()).setOperator(SqlStdOperatorTable.MINUS);
        return SqlStdOperatorTable.MINUS.checkOperandTypes(binding, throwOnFailure);
    }

    @Override
    public RelDataType inferReturnType(SqlOperatorBinding binding) {
        return isBetweenDates(binding)
                ? super.inferReturnType(binding)
                : SqlStdOperatorTable.MINUS.inferReturnType(binding);
    }

    @Override
    public String getAllowedSignatures(String name) {
        return SqlStdOperatorTable.MINUS.getAllowedSignatures(name) + NL + super.getAllowedSignatures(name);
    }

    private static boolean isBetweenDates(SqlOperatorBinding binding) {
        return binding.getOperandType(0).getSqlTypeName() == SqlTypeName.DATE
                && binding.getOperandType(1).getSqlTypeName() == SqlTypeName.DATE;
    }
}

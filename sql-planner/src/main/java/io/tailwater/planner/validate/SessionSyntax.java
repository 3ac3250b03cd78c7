package io.tailwater.planner.validate;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Flink's form of a session's keys in Calcite's.
 *
 * <pre>
 * SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), gap)   becomes  SESSION(TABLE t, DESCRIPTOR(ts), DESCRIPTOR(k), gap)
 * </pre>
 */
final class SessionSyntax extends SqlShuttle {
    private static final int OPERANDS = 3;

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode visited = super.visit(call);
        if (visited instanceof SqlCall inner
                && inner.operandCount() > 0
                && inner.operand(0) instanceof SqlCall table
                && table.getKind() == SqlKind.SET_SEMANTICS_TABLE
                && inner.getOperator().getName().equalsIgnoreCase("SESSION")) {
            return session(inner, table);
        }
        return visited;
    }

    private static SqlNode session(SqlCall call, SqlCall table) {
        if (call.operandCount() != OPERANDS) {
            throw new StreamException(
                    ErrorCode.SYNTAX_ERROR,
                    "SESSION takes a table, its time column and a gap",
                    -1,
                    "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' SECOND)",
                    null);
        }
        SqlNodeList keys = table.operand(1);
        SqlNodeList order = table.operand(2);
        if (!order.isEmpty()) {
            throw new StreamException(
                    ErrorCode.SYNTAX_ERROR, "SESSION takes no ORDER BY: its rows are in the order of the time column");
        }
        List<SqlNode> operands = new ArrayList<>();
        operands.add(table.operand(0));
        operands.add(call.operand(1));
        operands.add(SqlStdOperatorTable.DESCRIPTOR.createCall(keys.getParserPosition(), keys.getList()));
        operands.add(call.operand(2));
        return call.getOperator().createCall(call.getParserPosition(), operands);
    }
}

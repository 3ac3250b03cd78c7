package io.tailwater.planner.syntax;

import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSpecialOperator;
import org.apache.calcite.sql.parser.SqlParserPos;

import java.util.List;

/** Carries a {@link Syntax} through the generated parser, whose statements must be nodes. Immutable. */
public final class StatementNode extends SqlCall {
    private static final SqlOperator OPERATOR = new SqlSpecialOperator("STATEMENT", SqlKind.OTHER_DDL);

    private final Syntax syntax;

    public StatementNode(SqlParserPos position, Syntax syntax) {
        super(position);
        this.syntax = syntax;
    }

    public Syntax syntax() {
        return syntax;
    }

    @Override
    public SqlOperator getOperator() {
        return OPERATOR;
    }

    @Override
    public List<SqlNode> getOperandList() {
        return List.of();
    }
}

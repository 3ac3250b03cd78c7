package io.tailwater.planner;

import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.physical.Assignments;
import io.tailwater.planner.physical.Literals;
import io.tailwater.planner.validate.Positions;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The short way for INSERT ... VALUES of plain constants and parameters, which is what programs send by the thousand: no validation, no rewriting, the
 * same result. One for each statement.
 */
final class ConstantRows {
    private final Schema schema;
    private final List<Integer> columns;
    private final Queries queries;
    private final Assignments assignments;
    private final String sql;
    private final SortedMap<Integer, DataType> parameters = new TreeMap<>();

    ConstantRows(Schema schema, List<Integer> columns, Queries queries, String sql) {
        this.schema = schema;
        this.columns = columns;
        this.queries = queries;
        this.assignments = new Assignments(queries.casts());
        this.sql = sql;
    }

    /** Complete rows of the target, or empty if {@code source} is not VALUES or holds something that must be computed. */
    Optional<PlanNode> of(SqlNode source) {
        if (source.getKind() != SqlKind.VALUES) {
            return Optional.empty();
        }
        List<List<SqlNode>> fields = new ArrayList<>();
        for (SqlNode row : ((SqlCall) source).getOperandList()) {
            List<SqlNode> values = row.getKind() == SqlKind.ROW ? ((SqlCall) row).getOperandList() : List.of(row);
            for (int i = 0; i < values.size(); i++) {
                if (!isPlain(values.get(i), schema.type(columns.get(i)))) {
                    return Optional.empty();
                }
            }
            fields.add(values);
        }
        queries.bind(List.copyOf(parameters.values()));
        List<List<Expr.Literal>> rows = new ArrayList<>();
        for (List<SqlNode> values : fields) {
            List<Expr.Literal> row = row(values);
            if (row == null) {
                return Optional.empty();
            }
            rows.add(row);
        }
        List<List<Integer>> keys = rows.size() <= 1 ? List.of(List.of()) : List.of();
        return Optional.of(
                new PlanNode.Values(rows, schema, new Traits(new Distribution.Single(), true, keys, List.of())));
    }

    private boolean isPlain(SqlNode field, DataType type) {
        if (field instanceof SqlDynamicParam parameter) {
            parameters.put(parameter.getIndex(), type);
            return true;
        }
        return field.getKind() == SqlKind.DEFAULT
                || field instanceof SqlLiteral literal && Literals.isPlain(literal)
                || isNegative(field);
    }

    /** The parser makes {@code -2} a call. */
    private static boolean isNegative(SqlNode field) {
        return field.getKind() == SqlKind.MINUS_PREFIX && ((SqlCall) field).operand(0) instanceof SqlNumericLiteral;
    }

    private static Expr.Literal constant(SqlNode field, DataType type) {
        if (isNegative(field)) {
            Expr.Literal positive = Literals.plain((SqlLiteral) ((SqlCall) field).operand(0));
            return new Expr.Literal("-" + positive.value(), positive.type());
        }
        return field instanceof SqlLiteral literal && field.getKind() != SqlKind.DEFAULT
                ? Literals.plain(literal)
                : new Expr.Literal(null, type.withNullable(true));
    }

    private @Nullable List<Expr.Literal> row(List<SqlNode> values) {
        Expr.Literal[] row = new Expr.Literal[schema.size()];
        for (int i = 0; i < values.size(); i++) {
            int at = columns.get(i);
            Expr value = value(values.get(i), schema.column(at));
            if (!(value instanceof Expr.Literal literal)) {
                return null;
            }
            row[at] = literal;
        }
        for (int i = 0; i < row.length; i++) {
            if (row[i] == null) {
                row[i] = assignments.missing(
                        schema.column(i), Positions.offset(sql, values.get(0).getParserPosition()));
            }
        }
        return List.of(row);
    }

    private Expr value(SqlNode field, Column column) {
        int position = Positions.offset(sql, field.getParserPosition());
        if (field instanceof SqlDynamicParam parameter) {
            if (queries.preparing()) {
                return new Expr.Literal(null, column.type().withNullable(true));
            }
            return assignments.assign(queries.parameter(parameter.getIndex(), column.type()), column, true, position);
        }
        Expr.Literal constant = constant(field, column.type());
        try {
            return assignments.assign(constant, column, true, position);
        } catch (StreamException e) {
            throw e.position() >= 0
                    ? e
                    : new StreamException(
                            e.code(),
                            String.valueOf(e.getMessage()),
                            position,
                            e.hint().orElse(null),
                            e);
        }
    }
}

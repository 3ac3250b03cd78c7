package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.validate.Errors;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The front end: SQL in, {@link Statement}s out. All methods throw {@link StreamException} with SQLSTATE, position and often a hint. Thread-safe.
 */
public final class SqlPlanner {
    private static final Schema PLAN_LINES = Schema.of(new Column("plan", DataType.VARCHAR.notNull()));

    private SqlPlanner() {}

    /** The statements of a script, in order; semicolons in strings, quoted names and comments do not count. Empty statements are left out. */
    public static List<ScriptStatement> split(String script) {
        return Scripts.split(script);
    }

    /**
     * Plans one statement; a semicolon may end it.
     *
     * @param parameters values of the {@code ?} in the form of {@code api.batch.Values}
     */
    public static Statement plan(
            String sql,
            List<@Nullable Object> parameters,
            CatalogImage catalog,
            Session session,
            Connectors connectors) {
        return new StatementPlanner(sql, parameters, catalog, session, connectors).plan();
    }

    /** Checks one statement and says what it will give. */
    public static Prepared prepare(String sql, CatalogImage catalog, Session session, Connectors connectors) {
        StatementPlanner planner = new StatementPlanner(sql, null, catalog, session, connectors);
        Statement statement = planner.plan();
        List<DataType> parameters = planner.parameterTypes();
        @Nullable Statement complete = parameters.isEmpty() ? statement : null;
        if (statement instanceof Statement.Select select) {
            return new Prepared(select.result(), true, select.changes(), parameters, complete);
        }
        if (statement instanceof Statement.Explain) {
            return new Prepared(PLAN_LINES, true, false, parameters, complete);
        }
        boolean listing = statement instanceof Statement.Show
                || statement instanceof Statement.Describe
                || statement instanceof Statement.DescribeJob
                || statement instanceof Statement.DescribeRecoveryPoint
                || statement instanceof Statement.ExplainUpgrade;
        return new Prepared(new Schema(List.of()), listing, false, parameters, complete);
    }

    /** Whether a word must be quoted to be a name. */
    public static boolean isReserved(String word) {
        return Errors.isReserved(word);
    }

    /** The text without the semicolon that may end it. */
    static String single(String sql) {
        List<ScriptStatement> statements = Scripts.split(sql);
        if (statements.isEmpty()) {
            throw new StreamException(ErrorCode.SYNTAX_ERROR, "there is no statement", 0, null, null);
        }
        if (statements.size() > 1) {
            throw new StreamException(
                    ErrorCode.SYNTAX_ERROR,
                    "one statement at a time",
                    statements.get(1).offset(),
                    "send them one after the other",
                    null);
        }
        int end = statements.get(0).offset() + statements.get(0).text().length();
        return sql.substring(0, end);
    }
}

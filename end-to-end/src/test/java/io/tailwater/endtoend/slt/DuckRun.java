package io.tailwater.endtoend.slt;

import io.tailwater.endtoend.slt.Script.Entry;
import io.tailwater.endtoend.slt.Script.Query;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Runs a script on DuckDB, so that what it expects does not rest on our word alone. Streams are tables there, materialized views are views, and what must fail
 * is left out, because each engine has its own rules for that. Owned by its caller; not thread-safe.
 */
final class DuckRun {
    private static final Set<String> LABELS = Set.of("duckdb");
    private static final Pattern STREAM = Pattern.compile("^CREATE\\s+STREAM\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern WATERMARK =
            Pattern.compile(",\\s*WATERMARK\\s+FOR\\s+\\w+\\s+AS\\s+[^,)]*(?=\\))", Pattern.CASE_INSENSITIVE);
    private static final Pattern MATERIALIZED =
            Pattern.compile("^CREATE\\s+MATERIALIZED\\s+VIEW\\b", Pattern.CASE_INSENSITIVE);

    private final Script script;
    private final List<String> failures = new ArrayList<>();

    DuckRun(Script script) {
        this.script = script;
    }

    List<String> run() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:")) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET integer_division = true");
                statement.execute("SET default_null_order = 'NULLS_LAST_ON_ASC_FIRST_ON_DESC'");
                statement.execute("SET TimeZone = 'UTC'");
            }
            for (Entry entry : script.entries()) {
                if (entry.conditions().hold(LABELS)) {
                    // A failure closes its statement.
                    try (Statement statement = connection.createStatement()) {
                        run(entry, statement);
                    }
                }
            }
        }
        return failures;
    }

    private void run(Entry entry, Statement statement) {
        if (entry instanceof Query query) {
            try (ResultSet result = statement.executeQuery(query.sql())) {
                String difference = Comparison.differsInValues(query, Rows.of(result));
                if (!difference.isEmpty()) {
                    fail(entry, query.sql(), difference);
                }
            } catch (SQLException e) {
                fail(entry, query.sql(), String.valueOf(e.getMessage()));
            }
        } else if (entry instanceof Script.Statement write && write.sqlState() == null) {
            String sql = translate(write.sql());
            try {
                if (!sql.isEmpty()) {
                    statement.execute(sql);
                    int count = statement.getUpdateCount();
                    if (write.count() >= 0 && write.count() != count) {
                        fail(entry, sql, "expected " + write.count() + " rows but it was " + count);
                    }
                }
            } catch (SQLException e) {
                fail(entry, sql, String.valueOf(e.getMessage()));
            }
        }
    }

    private static String translate(String sql) {
        if (SqlTexts.firstWord(sql).equals("WAIT")) {
            return "";
        }
        String out = STREAM.matcher(sql).replaceFirst("CREATE TABLE");
        out = WATERMARK.matcher(out).replaceFirst("");
        return MATERIALIZED.matcher(out).replaceFirst("CREATE VIEW");
    }

    private void fail(Entry entry, String sql, String what) {
        failures.add(script.name() + ":" + entry.line() + " (DuckDB)\n" + sql + "\n" + what);
    }
}

package io.tailwater.endtoend.slt;

import io.tailwater.endtoend.slt.Script.Entry;
import io.tailwater.endtoend.slt.Script.Query;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs a script one way on a server. Owned by its caller; not thread-safe. */
final class ScriptRun {
    /** Restarts that a script gets without asking for them. */
    private static final int RESTARTS = 5;

    private static final Set<String> WRITES = Set.of("INSERT", "UPSERT", "UPDATE", "DELETE");
    private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "VALUES");

    private final Script script;
    private final Way way;
    private final Host host;
    private final List<String> failures = new ArrayList<>();
    private final Map<Query, Rows> results = new HashMap<>();
    /** Queries whose view was refused, which is told once. */
    private final Set<Query> refused = new HashSet<>();
    /** Statements that a new session needs again. */
    private final List<String> settings = new ArrayList<>();

    private boolean written;
    private int restarts;

    ScriptRun(Script script, Way way, Host host) {
        this.script = script;
        this.way = way;
        this.host = host;
    }

    /** Runs all of it; what went wrong, one text for each record. */
    List<String> run() throws SQLException {
        List<Entry> entries = script.entries().stream()
                .filter(entry -> entry.conditions().hold(way.labels()))
                .toList();
        Map<Integer, List<Query>> views = way.streams() ? views(entries) : Map.of();
        Set<Query> kept = new HashSet<>();
        views.values().forEach(kept::addAll);
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry instanceof Script.Statement statement) {
                run(statement);
            } else if (entry instanceof Query query) {
                if (written) {
                    restartSometimes();
                }
                run(query, kept.contains(query));
            } else if (entry instanceof Script.Restart) {
                restart(way == Way.RESTART);
            } else {
                throw new AssertionError(entry);
            }
            for (Query query : views.getOrDefault(i, List.of())) {
                create(query);
            }
        }
        return failures;
    }

    /** What the queries gave, those that gave anything. */
    Map<Query, Rows> results() {
        return results;
    }

    /** The queries that become views, by the index of the record after which everything they name is there: the last that creates something of it. */
    private static Map<Integer, List<Query>> views(List<Entry> entries) {
        Map<String, Integer> created = new HashMap<>();
        Map<Integer, List<Query>> out = new HashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i) instanceof Script.Statement statement && statement.sqlState() == null) {
                String name = SqlTexts.created(statement.sql());
                if (!name.isEmpty()) {
                    created.put(name, i);
                }
            } else if (entries.get(i) instanceof Query query && QUERIES.contains(SqlTexts.firstWord(query.sql()))) {
                SqlTexts.names(query.sql()).stream()
                        .filter(created::containsKey)
                        .map(created::get)
                        .max(Integer::compare)
                        .ifPresent(at ->
                                out.computeIfAbsent(at, k -> new ArrayList<>()).add(query));
            }
        }
        return out;
    }

    private static String view(Query query) {
        return "query_at_line_" + query.line();
    }

    private void create(Query query) {
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= query.types().length(); i++) {
            columns.add("c" + i);
        }
        String sql = "CREATE MATERIALIZED VIEW " + view(query) + " (" + String.join(", ", columns) + ") AS "
                + SqlTexts.withoutOrder(query.sql());
        try {
            host.execute(sql);
        } catch (SQLException e) {
            refused.add(query);
            fail(query, query.sql(), "cannot be kept as a view: " + text(e));
        }
    }

    private void run(Query query, boolean kept) {
        if (refused.contains(query)) {
            return;
        }
        try {
            Rows rows;
            if (kept) {
                host.execute("WAIT FOR " + view(query));
                rows = host.query("SELECT * FROM " + view(query));
                host.execute("DROP MATERIALIZED VIEW " + view(query));
            } else {
                rows = host.query(query.sql());
            }
            results.put(query, rows);
            String difference = Comparison.differs(query, rows, kept);
            if (!difference.isEmpty()) {
                fail(query, query.sql(), difference);
            }
        } catch (SQLException e) {
            fail(query, query.sql(), text(e));
        }
    }

    private void run(Script.Statement statement) throws SQLException {
        List<String> parts = way == Way.SINGLE && statement.sqlState() == null
                ? SqlTexts.singleRows(statement.sql())
                : List.of(statement.sql());
        long count = 0;
        boolean failed = false;
        for (String sql : parts) {
            try (var running = host.statement()) {
                if (running.execute(sql)) {
                    try (var rows = running.getResultSet()) {
                        Rows.of(rows);
                    }
                } else {
                    count += Math.max(0, running.getLargeUpdateCount());
                }
            } catch (SQLException e) {
                failed = true;
                if (!e.getSQLState().equals(statement.sqlState())
                        || !String.valueOf(e.getMessage()).contains(statement.message())) {
                    fail(statement, sql, text(e));
                }
            }
        }
        if (statement.sqlState() != null && !failed) {
            fail(statement, statement.sql(), "it did not fail with " + statement.sqlState());
        }
        if (!failed && statement.count() >= 0 && statement.count() != count) {
            fail(statement, statement.sql(), "expected " + statement.count() + " rows but it was " + count);
        }
        String word = SqlTexts.firstWord(statement.sql());
        if (word.equals("SET") && !failed) {
            settings.add(statement.sql());
        }
        if (WRITES.contains(word) && !failed) {
            restartSometimes();
            written = true;
        }
    }

    private void restartSometimes() throws SQLException {
        restart(way == Way.RESTART && restarts < RESTARTS);
    }

    private void restart(boolean really) throws SQLException {
        written = false;
        if (really) {
            restarts++;
            host.restart();
            for (String sql : settings) {
                host.execute(sql);
            }
        }
    }

    private void fail(Entry entry, String sql, String what) {
        failures.add(script.name() + ":" + entry.line() + " (" + way + ")\n" + sql + "\n" + what);
    }

    private static String text(SQLException e) {
        return "[" + e.getSQLState() + "] " + e.getMessage();
    }
}

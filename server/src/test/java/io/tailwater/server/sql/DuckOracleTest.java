package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of INSERT, UPDATE and DELETE on keyed tables give the same views, kept up to date and asked anew, as DuckDB gives. A failing seed is printed
 * with its history and can be put into {@link #agree}.
 */
final class DuckOracleTest {
    private static final int STATEMENTS = 30;

    private static @Nullable Path directory;
    private static @Nullable TestServer server;
    private static int next;

    @BeforeContainer
    static void start() throws IOException {
        directory = Files.createTempDirectory("oracle");
        server = TestServer.open(directory, 3);
    }

    @AfterContainer
    static void stop() throws IOException {
        if (server != null) {
            server.close();
        }
        if (directory != null) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    @Property(tries = 6, shrinking = ShrinkingMode.OFF)
    void viewsOverRandomHistoriesEqualDuckDbs(@ForAll long seed) throws SQLException {
        agree(seed);
    }

    private static void agree(long seed) throws SQLException {
        List<String> history = new ArrayList<>();
        history.add("-- seed " + seed);
        RandomTables tables = new RandomTables(seed, "_" + next++);
        TestServer running = java.util.Objects.requireNonNull(server);
        try (TestSession ours = running.session();
                Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement duck = connection.createStatement()) {
            tables.create(" PRIMARY KEY").forEach(ours::run);
            for (String sql : tables.create("")) {
                duck.execute(sql);
            }
            List<String> views = new ArrayList<>();
            List<String> queries = new ArrayList<>();
            for (int i = 0; i < STATEMENTS; i++) {
                if (views.size() < 4 && tables.now(6)) {
                    String view = "v" + views.size() + tables.a();
                    queries.add(tables.query());
                    views.add(view);
                    String sql = "CREATE MATERIALIZED VIEW " + view + " AS " + queries.get(queries.size() - 1);
                    history.add(sql);
                    ours.run(sql);
                }
                write(tables.write(), ours, duck, history);
                if (tables.now(5)) {
                    compare(tables.query(), ours, duck, history);
                }
                if (!views.isEmpty() && tables.now(4)) {
                    compareViews(views, queries, ours, duck, history);
                }
            }
            compareViews(views, queries, ours, duck, history);
            // What comes and goes again leaves nothing behind.
            write(new RandomTables.Write("DELETE FROM " + tables.a(), "SELECT 0"), ours, duck, history);
            write(new RandomTables.Write("DELETE FROM " + tables.b(), "SELECT 0"), ours, duck, history);
            compareViews(views, queries, ours, duck, history);
            ours.run("DROP TABLE " + tables.a() + " CASCADE");
            ours.run("DROP TABLE " + tables.b() + " CASCADE");
        }
    }

    private static void write(RandomTables.Write write, TestSession ours, Statement duck, List<String> history)
            throws SQLException {
        history.add(write.sql());
        boolean breaks;
        try (ResultSet result = duck.executeQuery(write.breaksKey())) {
            assertThat(result.next()).isTrue();
            breaks = result.getLong(1) != 0;
        }
        if (breaks) {
            StreamException failure = ours.fails(write.sql());
            assertThat(failure.code()).as("%s", lines(history)).isEqualTo(ErrorCode.UNIQUE_VIOLATION);
            history.set(history.size() - 1, "-- duplicate key: " + write.sql());
        } else {
            long count = ours.run(write.sql()).updateCount();
            assertThat(count).as("%s", lines(history)).isEqualTo(duck.executeUpdate(write.sql()));
        }
    }

    private static void compareViews(
            List<String> views, List<String> queries, TestSession ours, Statement duck, List<String> history)
            throws SQLException {
        for (int i = 0; i < views.size(); i++) {
            ours.run("WAIT FOR " + views.get(i));
            List<String> kept = canonical(ours.rows("SELECT * FROM " + views.get(i)));
            assertThat(kept).as("%s", lines(history)).isEqualTo(rows(duck, queries.get(i)));
        }
    }

    private static void compare(String query, TestSession ours, Statement duck, List<String> history)
            throws SQLException {
        List<String> asked = canonical(ours.rows(query));
        assertThat(asked).as("%s;%n%s", lines(history), query).isEqualTo(rows(duck, query));
    }

    private static String lines(List<String> history) {
        return String.join(";\n", history);
    }

    private static List<String> canonical(List<String> rows) {
        List<String> out = new ArrayList<>(rows);
        Collections.sort(out);
        return out;
    }

    private static List<String> rows(Statement duck, String sql) throws SQLException {
        List<String> out = new ArrayList<>();
        try (ResultSet result = duck.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                StringBuilder line = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    Object value = result.getObject(column);
                    line.append(column == 1 ? "" : "|")
                            .append(value instanceof BigDecimal number ? number.toPlainString() : value);
                }
                out.add(line.toString().replace("null", "NULL"));
            }
        }
        Collections.sort(out);
        return out;
    }
}

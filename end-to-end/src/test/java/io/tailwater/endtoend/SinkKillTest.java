package io.tailwater.endtoend;

import io.tailwater.testing.Postgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills the server with SIGKILL, and PostgreSQL too, while rows flow into PostgreSQL and into files. In the end each row of the stream is in each target once, and
 * what readers of files see in between is there once, too.
 *
 * <p>{@code -Dtailwater.kills=N} sets the number of kills; the seed is printed and {@code -Dtailwater.seed} sets it.
 */
final class SinkKillTest {
    private static final int KILLS = Integer.getInteger("tailwater.kills", 4);
    private static final int ROWS_PER_INSERT = 20;

    private int next;

    @Test
    void eachRowIsInEachTargetOnceThroughKills(@TempDir Path dir) throws SQLException, IOException {
        long seed = Long.getLong("tailwater.seed", System.nanoTime());
        System.out.println("SinkKillTest seed " + seed);
        Random random = new Random(seed);
        Path out = Files.createDirectory(dir.resolve("out"));
        try (Postgres postgres = Postgres.start()) {
            try (Connection target = connect(postgres);
                    Statement statement = target.createStatement()) {
                // No key on the first: what came twice would be there twice.
                statement.execute("CREATE TABLE events (id bigint, grp bigint, note text);"
                        + "CREATE TABLE by_id (id bigint PRIMARY KEY, twice bigint);"
                        + "CREATE TABLE totals (grp bigint PRIMARY KEY, n bigint, total bigint)");
            }
            try (Server server = Server.start(dir.resolve("data"))) {
                define(server, postgres, out);
                writeUntilKilled(server, postgres, random);
            }
            for (int life = 1; life < KILLS; life++) {
                checkNoneTwice(out);
                try (Server server = Server.start(dir.resolve("data"))) {
                    writeUntilKilled(server, postgres, random);
                }
            }
            try (Server server = Server.start(dir.resolve("data"))) {
                check(server, postgres, out);
            }
        }
    }

    private static void define(Server server, Postgres postgres, Path out) {
        String at = "connector = 'jdbc', url = '" + postgres.url() + "', user = '" + Postgres.USER + "', password = '"
                + Postgres.PASSWORD + "', delivery = 'exactly_once'";
        String file = "connector = 'file', delivery = 'exactly_once', path = '" + out;
        Command.Result made = server.sql("-e", """
                CREATE STREAM source (id BIGINT NOT NULL, grp BIGINT, note VARCHAR) WITH (partitions = 3);
                CREATE STREAM pg_events WITH (%1$s, table = 'events');
                CREATE STREAM pg_by_id WITH (%1$s, table = 'by_id');
                CREATE STREAM pg_totals WITH (%1$s, table = 'totals');
                CREATE STREAM csv (id BIGINT, grp BIGINT, note VARCHAR) WITH (%2$s/rows.csv');
                CREATE STREAM json (id BIGINT, grp BIGINT, note VARCHAR) WITH (%2$s/rows.jsonl', format = 'json');
                CREATE STREAM parquet (id BIGINT, grp BIGINT, note VARCHAR) WITH (%2$s/parquet', format = 'parquet', roll_rows = 300);
                CREATE JOB events AS INSERT INTO pg_events SELECT id, grp, note FROM source;
                CREATE JOB by_id AS INSERT INTO pg_by_id SELECT id, id * 2 FROM source;
                CREATE JOB totals AS INSERT INTO pg_totals SELECT grp, COUNT(*), SUM(id) FROM source GROUP BY grp;
                CREATE JOB to_csv AS INSERT INTO csv SELECT id, grp, note FROM source;
                CREATE JOB to_json AS INSERT INTO json SELECT id, grp, note FROM source;
                CREATE JOB to_parquet AS INSERT INTO parquet SELECT id, grp, note FROM source;
                """.formatted(at, file));
        assertThat(made.status()).as(made.err()).isZero();
    }

    /** Inserts until the connection breaks; another thread kills PostgreSQL, perhaps, and then the server, at any point of what goes on. */
    private void writeUntilKilled(Server server, Postgres postgres, Random random) {
        int afterInserts = 10 + random.nextInt(60);
        long extraNanos = random.nextInt(20_000_000);
        boolean both = random.nextBoolean();
        String mode = random.nextBoolean() ? "immediate" : "fast";
        boolean whileAway = random.nextBoolean();
        CompletableFuture<Void> killer = new CompletableFuture<>();
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement()) {
            for (int insert = 0; ; insert++) {
                if (insert == afterInserts) {
                    killer = CompletableFuture.runAsync(() -> {
                        LockSupport.parkNanos(extraNanos);
                        if (both) {
                            postgres.stop(mode);
                        }
                        if (both && !whileAway) {
                            postgres.restart();
                            LockSupport.parkNanos(extraNanos * 10);
                        }
                        server.kill();
                        if (both && whileAway) {
                            postgres.restart();
                        }
                    });
                }
                List<String> rows = new ArrayList<>();
                for (int row = 0; row < ROWS_PER_INSERT; row++) {
                    rows.add("(" + next + ", " + next % 5 + ", 'row " + next + "')");
                    next++;
                }
                statement.executeUpdate("INSERT INTO source VALUES " + String.join(", ", rows));
                // Not so fast that the ticks of the restart are all that is seen.
                LockSupport.parkNanos(1_000_000);
            }
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(e.toString()).startsWith("08");
        }
        killer.join();
    }

    private static void check(Server server, Postgres postgres, Path out) throws SQLException, IOException {
        List<String> events;
        List<String> twice;
        List<String> totals;
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement()) {
            for (String job : List.of("events", "by_id", "totals", "to_csv", "to_json", "to_parquet")) {
                statement.execute("WAIT FOR " + job + " TIMEOUT INTERVAL '60' SECOND");
            }
            events = rows(statement, "SELECT id, grp, note FROM source");
            twice = rows(statement, "SELECT id, id * 2 FROM source");
            totals = rows(statement, "SELECT grp, COUNT(*), SUM(id) FROM source GROUP BY grp");
        }
        assertThat(events.size()).isGreaterThan(KILLS * ROWS_PER_INSERT);
        try (Connection target = connect(postgres);
                Statement statement = target.createStatement()) {
            assertThat(rows(statement, "SELECT id, grp, note FROM events")).isEqualTo(events);
            assertThat(rows(statement, "SELECT id, twice FROM by_id")).isEqualTo(twice);
            assertThat(rows(statement, "SELECT grp, n, total FROM totals")).isEqualTo(totals);
        }
        assertThat(files(out, "rows*.csv")).isEqualTo(events);
        assertThat(files(out, "rows*.jsonl")).isEqualTo(events);
        // The last file is completed when the server goes down.
        assertThat(server.stop()).isEqualTo(0);
        assertThat(files(out, "parquet/*.parquet")).isEqualTo(events);
    }

    /** At any moment. */
    private static void checkNoneTwice(Path out) throws SQLException, IOException {
        for (String pattern : List.of("rows*.csv", "rows*.jsonl", "parquet/*.parquet")) {
            assertThat(files(out, pattern)).as(pattern).doesNotHaveDuplicates();
        }
    }

    private static List<String> files(Path out, String pattern) throws SQLException, IOException {
        Path folder = pattern.startsWith("parquet/") ? out.resolve("parquet") : out;
        String glob = pattern.substring(pattern.indexOf('/') + 1);
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                boolean wanted =
                        folder.getFileSystem().getPathMatcher("glob:" + glob).matches(file.getFileName());
                if (wanted && Files.size(file) > 0) {
                    found.add("'" + file + "'");
                }
            }
        }
        if (found.isEmpty()) {
            return List.of();
        }
        String list = "[" + String.join(", ", found) + "]";
        String from = glob.endsWith("csv")
                ? "read_csv(" + list
                        + ", header = true, columns = {'id': 'BIGINT', 'grp': 'BIGINT', 'note': 'VARCHAR'})"
                : glob.endsWith("jsonl")
                        ? "read_json(" + list + ", format = 'newline_delimited')"
                        : "read_parquet(" + list + ")";
        try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = duck.createStatement()) {
            return rows(statement, "SELECT id, grp, note FROM " + from);
        }
    }

    private static Connection connect(Postgres postgres) throws SQLException {
        return DriverManager.getConnection(postgres.url(), Postgres.USER, Postgres.PASSWORD);
    }

    /** Sorted. */
    private static List<String> rows(Statement statement, String query) throws SQLException {
        List<String> out = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    values.add(rows.getString(column));
                }
                out.add(String.join("|", values));
            }
        }
        Collections.sort(out);
        return out;
    }
}

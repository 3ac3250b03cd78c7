package io.tailwater.endtoend;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills the server with SIGKILL again and again while rows flow through a chain of jobs and snapshots are taken, and while it starts. Every acknowledged row counts exactly once in every stream and view,
 * a row whose acknowledgement was lost counts once or not at all, the same everywhere.
 *
 * <p>{@code -Dtailwater.kills=N} sets the number of kills; the seed is printed and {@code -Dtailwater.seed} sets it.
 */
final class KillTest {
    private static final int KILLS = Integer.getInteger("tailwater.kills", 10);
    private static final int ROWS_PER_INSERT = 20;
    private static final LocalDateTime START = LocalDateTime.of(2024, 1, 1, 0, 0);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    /** Snapshots never, seldom, and one after the other. */
    private static final List<String> INTERVALS = List.of("off", "1 s", "50 ms", "10 ms", "1 ms");

    private final BitSet acknowledged = new BitSet();
    private int next;

    @Test
    void eachAcknowledgedRowCountsExactlyOnceThroughKills(@TempDir Path dir) throws SQLException {
        long seed = Long.getLong("tailwater.seed", System.nanoTime());
        System.out.println("KillTest seed " + seed);
        Random random = new Random(seed);
        try (Server server = start(dir, random)) {
            define(server);
            writeUntilKilled(server, random);
        }
        for (int life = 1; life < KILLS; life++) {
            if (random.nextInt(3) == 0) {
                Server.startAndKill(dir, random.nextInt(2_000_000), "-D", "snapshot.interval=1 ms");
            }
            try (Server server = start(dir, random)) {
                writeUntilKilled(server, random);
            }
        }
        try (Server server = start(dir, random)) {
            check(server);
        }
    }

    private static Server start(Path dir, Random random) {
        String interval = INTERVALS.get(random.nextInt(INTERVALS.size()));
        return Server.start(dir, "-D", "snapshot.interval=" + interval);
    }

    private static void define(Server server) {
        Command.Result made = server.sql("-e", """
                CREATE STREAM source (id BIGINT NOT NULL, grp BIGINT, note VARCHAR, at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time);
                CREATE STREAM odd (id BIGINT NOT NULL, grp BIGINT);
                CREATE STREAM doubled (id BIGINT NOT NULL, twice BIGINT);
                CREATE TABLE totals (grp BIGINT PRIMARY KEY, n BIGINT, total BIGINT);
                CREATE JOB keep_odd AS INSERT INTO odd SELECT id, grp FROM source WHERE MOD(id, 2) = 1;
                CREATE JOB twice AS INSERT INTO doubled SELECT id, id * 2 FROM odd;
                CREATE JOB fold_all AS INSERT INTO totals SELECT grp, COUNT(*), SUM(id) FROM source GROUP BY grp;
                CREATE MATERIALIZED VIEW by_group AS SELECT grp, COUNT(*) AS n, SUM(id) AS total FROM source GROUP BY grp;
                CREATE MATERIALIZED VIEW joined AS
                  SELECT s.grp AS grp, COUNT(*) AS n, SUM(d.twice) AS total FROM source AS s JOIN doubled AS d ON s.id = d.id GROUP BY s.grp;
                CREATE MATERIALIZED VIEW minutes AS
                  SELECT window_start, COUNT(*) AS n, SUM(id) AS total FROM TUMBLE(TABLE source, DESCRIPTOR(at_time), INTERVAL '1' MINUTE)
                  GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;
                CREATE MATERIALIZED VIEW latest AS
                  SELECT grp, id FROM (SELECT grp, id, ROW_NUMBER() OVER (PARTITION BY grp ORDER BY id DESC) AS place FROM source) AS t WHERE place <= 3;
                CREATE MATERIALIZED VIEW extremes AS SELECT MAX(n) AS most, MIN(total) AS least, COUNT(DISTINCT MOD(n, 3)) AS kinds FROM by_group;
                CREATE MATERIALIZED VIEW unmatched AS SELECT s.id AS id, s.grp AS grp FROM source AS s LEFT JOIN odd AS o ON s.id = o.id WHERE o.id IS NULL;
                """);
        assertThat(made.status()).as(made.err()).isZero();
    }

    /** Inserts until the connection breaks; a thread kills the server meanwhile. */
    private void writeUntilKilled(Server server, Random random) {
        int afterInserts = 5 + random.nextInt(60);
        int extraMicros = random.nextInt(3_000);
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement()) {
            for (int insert = 0; ; insert++) {
                if (insert == afterInserts) {
                    // Killed from another thread, so that it hits at any point of the inserts that go on here.
                    Thread killer = new Thread(() -> {
                        java.util.concurrent.locks.LockSupport.parkNanos(extraMicros * 1_000L);
                        server.kill();
                    });
                    killer.start();
                }
                int first = next;
                next += ROWS_PER_INSERT;
                StringBuilder sql = new StringBuilder("INSERT INTO source VALUES ");
                for (int id = first; id < next; id++) {
                    sql.append(id == first ? "" : ", ")
                            .append('(')
                            .append(id)
                            .append(", ")
                            .append(id % 5)
                            .append(", 'row ")
                            .append(id)
                            .append("', TIMESTAMP '")
                            .append(START.plusSeconds(id).format(TIME))
                            .append("')");
                }
                statement.executeUpdate(sql.toString());
                acknowledged.set(first, next);
            }
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(e.toString()).startsWith("08");
        }
        server.kill();
    }

    private void check(Server server) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url());
                Statement statement = connection.createStatement()) {
            for (String name :
                    List.of("doubled", "totals", "by_group", "joined", "minutes", "latest", "extremes", "unmatched")) {
                statement.execute("WAIT FOR " + name + " TIMEOUT INTERVAL '60' SECOND");
            }
            Map<Long, Long> source = ids(statement, "SELECT id, id FROM source");
            for (int id = acknowledged.nextSetBit(0); id >= 0; id = acknowledged.nextSetBit(id + 1)) {
                assertThat(source).as("acknowledged row %d", id).containsKey((long) id);
            }
            Map<Long, Long> odd = new HashMap<>();
            Map<Long, Long> doubled = new HashMap<>();
            Map<Long, List<Long>> groups = new TreeMap<>();
            Map<Long, List<Long>> joined = new TreeMap<>();
            Map<Long, List<Long>> minutes = new TreeMap<>();
            Map<Long, Long> even = new HashMap<>();
            Map<Long, Long> latest = new HashMap<>();
            long last = source.keySet().stream().mapToLong(id -> id).max().orElseThrow();
            for (long id : source.keySet()) {
                add(groups, id % 5, id);
                if ((id / 60 + 1) * 60 <= last) {
                    add(minutes, id / 60, id);
                }
                if (id % 2 == 0) {
                    even.put(id, id % 5);
                }
                if (source.keySet().stream()
                                .filter(other -> other % 5 == id % 5 && other > id)
                                .count()
                        < 3) {
                    latest.put(id, id % 5);
                }
                if (id % 2 == 1) {
                    odd.put(id, id % 5);
                    doubled.put(id, id * 2);
                    add(joined, id % 5, id * 2);
                }
            }
            assertThat(ids(statement, "SELECT id, grp FROM odd")).isEqualTo(odd);
            assertThat(ids(statement, "SELECT id, twice FROM doubled")).isEqualTo(doubled);
            assertThat(groups(statement, "SELECT grp, n, total FROM by_group")).isEqualTo(groups);
            assertThat(groups(statement, "SELECT grp, n, total FROM totals")).isEqualTo(groups);
            assertThat(groups(statement, "SELECT grp, n, total FROM joined")).isEqualTo(joined);
            assertThat(
                            groups(
                                    statement,
                                    "SELECT TIMESTAMPDIFF(MINUTE, TIMESTAMP '2024-01-01 00:00:00', window_start), n, total FROM minutes"))
                    .isEqualTo(minutes);
            assertThat(ids(statement, "SELECT id, grp FROM latest")).isEqualTo(latest);
            assertThat(ids(statement, "SELECT id, grp FROM unmatched")).isEqualTo(even);
            assertThat(groups(statement, "SELECT most, least, kinds FROM extremes"))
                    .isEqualTo(Map.of(
                            groups.values().stream()
                                    .mapToLong(g -> g.get(0))
                                    .max()
                                    .orElseThrow(),
                            List.of(
                                    groups.values().stream()
                                            .mapToLong(g -> g.get(1))
                                            .min()
                                            .orElseThrow(),
                                    groups.values().stream()
                                            .map(g -> g.get(0) % 3)
                                            .distinct()
                                            .count())));
        }
    }

    private static void add(Map<Long, List<Long>> groups, long group, long value) {
        groups.merge(group, List.of(1L, value), (a, b) -> List.of(a.get(0) + 1, a.get(1) + b.get(1)));
    }

    /** First column to second; no first value may come twice. */
    private static Map<Long, Long> ids(Statement statement, String sql) throws SQLException {
        Map<Long, Long> out = new HashMap<>();
        List<Long> twice = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                if (out.put(rows.getLong(1), rows.getLong(2)) != null) {
                    twice.add(rows.getLong(1));
                }
            }
        }
        assertThat(twice).as("rows that came twice in %s", sql).isEmpty();
        return out;
    }

    private static Map<Long, List<Long>> groups(Statement statement, String sql) throws SQLException {
        Map<Long, List<Long>> out = new TreeMap<>();
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                assertThat(out.put(rows.getLong(1), List.of(rows.getLong(2), rows.getLong(3))))
                        .isNull();
            }
        }
        return out;
    }
}

package io.tailwater.server.sql;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Windows that close, sessions and late rows, over streams whose rows come out of order, with restarts in between. */
final class EventTimeTest {
    @TempDir
    Path directory;

    private record Event(long key, long second) {
        String sql() {
            return "(" + key + ", TIMESTAMP '" + time(second) + "')";
        }
    }

    private static String time(long second) {
        return java.time.LocalDateTime.ofEpochSecond(1_700_000_000L + second, 0, java.time.ZoneOffset.UTC)
                .format(java.time.format.DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", java.util.Locale.ROOT));
    }

    /** As a result shows it. */
    private static String shown(long second) {
        return java.time.LocalDateTime.ofEpochSecond(1_700_000_000L + second, 0, java.time.ZoneOffset.UTC)
                .toString()
                .replace('T', ' ');
    }

    /** What the late stream has of a job, as {@code key|time}. */
    private static List<String> late(TestSession session, String job) {
        return session.sorted("SELECT k, ts FROM \"s$late\" WHERE job = '" + job + "'");
    }

    /** The rows so far, less those that were late, as a list of events. */
    private static List<Event> onTime(List<Event> all, List<String> late) {
        List<String> left = new ArrayList<>(late);
        List<Event> out = new ArrayList<>();
        for (Event event : all) {
            if (!left.remove(event.key + "|" + shown(event.second))) {
                out.add(event);
            }
        }
        assertThat(left).as("late rows that nobody wrote").isEmpty();
        return out;
    }

    private static void write(TestSession session, List<Event> all, Random random, int step) {
        List<String> rows = new ArrayList<>();
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            Event event = new Event(random.nextInt(3), 4L * step - random.nextInt(random.nextInt(5) == 0 ? 60 : 8));
            all.add(event);
            rows.add(event.sql());
        }
        session.run("INSERT INTO s VALUES " + String.join(", ", rows));
        if (random.nextInt(3) == 0) {
            session.run("WAIT FOR j");
        }
    }

    /** Each window comes out once, with exactly the rows that were not late, whatever restarts in between. */
    @Test
    void closedWindowsAndLateRowsTogetherAreAllRows() {
        Random random = new Random(42);
        List<Event> all = new ArrayList<>();
        for (int life = 0; life < 3; life++) {
            try (TestServer server = TestServer.open(directory, 1 + life % 2);
                    TestSession session = server.session()) {
                if (life == 0) {
                    session.all(
                            "CREATE STREAM s (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)",
                            "CREATE STREAM closed (k BIGINT, ws TIMESTAMP(3), n BIGINT)",
                            "CREATE JOB j AS INSERT INTO closed SELECT k, window_start, COUNT(*) FROM "
                                    + "TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end");
                }
                for (int step = 0; step < 25; step++) {
                    write(session, all, random, life * 25 + step);
                }
                session.run("WAIT FOR j");
                check(session, all);
            }
        }
    }

    private static void check(TestSession session, List<Event> all) {
        List<String> late = late(session, "j");
        assertThat(late).isNotEmpty();
        List<Event> onTime = onTime(all, late);
        long watermark = all.stream().mapToLong(Event::second).max().orElseThrow() - 5;
        TreeMap<String, Integer> windows = new TreeMap<>();
        for (Event event : onTime) {
            // 1,700,000,000 is a multiple of ten.
            long start = Math.floorDiv(event.second, 10L) * 10;
            if (start + 10 <= watermark) {
                windows.merge(event.key + "|" + shown(start), 1, Integer::sum);
            }
        }
        List<String> expected = new ArrayList<>();
        windows.forEach((window, n) -> expected.add(window + "|" + n));
        Collections.sort(expected);
        assertThat(session.sorted("SELECT * FROM closed")).isEqualTo(expected);
    }

    /** Sessions that closed hold the rows that were not late, chained. */
    @Test
    void closedSessionsHoldAllRowsThatWereNotLate() {
        Random random = new Random(7);
        List<Event> all = new ArrayList<>();
        for (int life = 0; life < 2; life++) {
            try (TestServer server = TestServer.open(directory);
                    TestSession session = server.session()) {
                if (life == 0) {
                    session.all(
                            "CREATE STREAM s (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)",
                            "CREATE STREAM closed (k BIGINT, ws TIMESTAMP(3), we TIMESTAMP(3), n BIGINT)",
                            "CREATE JOB j AS INSERT INTO closed SELECT k, window_start, window_end, COUNT(*) FROM "
                                    + "TABLE(SESSION(TABLE s PARTITION BY k, DESCRIPTOR(ts), INTERVAL '6' SECOND)) "
                                    + "GROUP BY k, window_start, window_end");
                }
                for (int step = 0; step < 30; step++) {
                    write(session, all, random, life * 30 + step);
                }
                session.run("WAIT FOR j");
                List<Event> onTime = onTime(all, late(session, "j"));
                long watermark = all.stream().mapToLong(Event::second).max().orElseThrow() - 5;
                assertThat(session.sorted("SELECT * FROM closed")).isEqualTo(sessions(onTime, watermark));
            }
        }
    }

    private static List<String> sessions(List<Event> events, long watermark) {
        List<String> out = new ArrayList<>();
        for (long key = 0; key < 3; key++) {
            long of = key;
            long[] times = events.stream()
                    .filter(e -> e.key == of)
                    .mapToLong(Event::second)
                    .sorted()
                    .toArray();
            for (int from = 0; from < times.length; ) {
                int to = from + 1;
                while (to < times.length && times[to] < times[to - 1] + 6) {
                    to++;
                }
                long end = times[to - 1] + 6;
                if (end <= watermark) {
                    out.add(key + "|" + shown(times[from]) + "|" + shown(end) + "|" + (to - from));
                }
                from = to;
            }
        }
        Collections.sort(out);
        return out;
    }

    /** With LATENESS a view forgets windows, keeps their rows, and takes rows that are late but not too late. */
    @Test
    void latenessBoundsStateWithoutChangingWhatIsNotTooLate() {
        try (TestServer server = TestServer.open(directory);
                TestSession session = server.session()) {
            session.all(
                    "CREATE STREAM s (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND LATENESS INTERVAL '20' SECOND)",
                    "CREATE MATERIALIZED VIEW v AS SELECT k, window_start AS ws, COUNT(*) AS n FROM "
                            + "TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end");
            for (long second = 0; second < 200; second += 5) {
                session.run("INSERT INTO s VALUES " + new Event(1, second).sql());
                session.run("WAIT FOR v");
            }
            // 195 is the greatest: 176 is within the lateness, 174 is not.
            session.run("INSERT INTO s VALUES " + new Event(1, 176).sql() + ", " + new Event(1, 174).sql());
            session.run("WAIT FOR v");
            List<String> expected = new ArrayList<>();
            for (long window = 0; window < 200; window += 10) {
                expected.add("1|" + shown(window) + "|" + (window == 170 ? 3 : 2));
            }
            Collections.sort(expected);
            assertThat(session.sorted("SELECT * FROM v")).isEqualTo(expected);
            assertThat(session.sorted("SELECT k, ts, late_by FROM \"s$late\""))
                    .containsExactly("1|" + shown(174) + "|16000000");
            String held = session.rows("SELECT MAX(state_rows) FROM sys.operators WHERE operator = 'Aggregate'")
                    .get(0);
            assertThat(Long.parseLong(held)).isLessThan(6);
        }
    }

    /** A job whose window is open says which watermark it waits for, and how far that must come. */
    @Test
    void aWaitingJobTellsWhichWatermarkItWaitsFor() {
        try (TestServer server = TestServer.open(directory, 2);
                TestSession session = server.session()) {
            session.all(
                    "CREATE STREAM s (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)",
                    "CREATE STREAM closed (k BIGINT, ws TIMESTAMP(3), n BIGINT)",
                    "CREATE JOB j AS INSERT INTO closed SELECT k, window_start, COUNT(*) FROM "
                            + "TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end",
                    "CREATE MATERIALIZED VIEW v AS SELECT k, COUNT(*) AS n FROM s GROUP BY k",
                    "INSERT INTO s VALUES " + new Event(1, 3).sql() + ", " + new Event(1, 14).sql(),
                    "WAIT FOR j",
                    "WAIT FOR v");
            assertThat(session.rows("DESCRIBE JOB j"))
                    .contains("state|RUNNING, waiting for the watermark of s: " + shown(9) + ", needs " + shown(10))
                    .anyMatch(row -> row.startsWith("reader 0|s: watermark " + shown(9) + ", position "));
            assertThat(session.rows("SELECT stream_name, watermark, needs, ended, idle FROM sys.watermarks"
                            + " WHERE job_name = 'j'"))
                    .containsExactly("s|" + shown(9) + "|" + shown(10) + "|false|false");
            assertThat(session.rows("DESCRIBE JOB v"))
                    .contains("kind|MATERIALIZED VIEW", "state|RUNNING")
                    .anyMatch(row -> row.startsWith("reader 0|s: watermark " + shown(9) + ", position "));
            assertThat(session.rows("SELECT * FROM closed")).isEmpty();
            // 10 is all that it takes.
            session.all("INSERT INTO s VALUES " + new Event(1, 15).sql(), "WAIT FOR j");
            assertThat(session.rows("SELECT * FROM closed")).containsExactly("1|" + shown(0) + "|1");
            assertThat(session.rows("DESCRIBE JOB j"))
                    .contains("state|RUNNING, waiting for the watermark of s: " + shown(10) + ", needs " + shown(20));
            session.all("INSERT INTO s VALUES " + new Event(1, 1).sql(), "WAIT FOR j");
            assertThat(session.rows("SELECT stream_name, skipped, late FROM sys.errors WHERE job_name = 'j'"))
                    .containsExactly("s|0|1");
        }
    }
}

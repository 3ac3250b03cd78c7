package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Snapshots and recovery points as SQL shows them, through a whole server. */
final class RecoveryStatementsTest {
    @TempDir
    private Path directory;

    private TestServer server;
    private TestSession session;

    @BeforeEach
    void start() {
        server = TestServer.open(directory);
        session = server.session();
    }

    @AfterEach
    void stop() {
        session.close();
        server.close();
    }

    private void restart() {
        stop();
        start();
    }

    @Test
    void recoveryPointsAreMadeListedAndDropped() {
        session.all(
                "CREATE STREAM s (n BIGINT)",
                "CREATE MATERIALIZED VIEW v AS SELECT SUM(n) AS total FROM s",
                "INSERT INTO s VALUES (1), (2)",
                "WAIT FOR v",
                "CREATE RECOVERY POINT first",
                "CREATE RECOVERY POINT \"a/b%\" FOR APPLICATION default");
        String listed = "SELECT name, application, jobs, bytes > 0, tick > 0 FROM sys.recovery_points";
        for (int life = 0; life < 2; life++) {
            assertThat(session.rows(listed)).containsExactly("a/b%|default|v|true|true", "first|default|v|true|true");
            assertThat(session.rows("SHOW RECOVERY POINTS LIKE 'f%'"))
                    .singleElement()
                    .asString()
                    .startsWith("first|default|");
            assertThat(session.rows("DESCRIBE RECOVERY POINT first"))
                    .contains("name|first", "application|default", "job|v")
                    .anyMatch(line -> line.matches("created at\\|\\d{4}-.* UTC"));
            restart();
        }
        assertThat(session.run("CREATE RECOVERY POINT IF NOT EXISTS first").notices())
                .containsExactly("recovery point \"first\" already exists, skipping");
        StreamException taken = session.fails("CREATE RECOVERY POINT first");
        assertThat(taken.code()).isEqualTo(ErrorCode.DUPLICATE_OBJECT);
        session.run("DROP RECOVERY POINT \"a/b%\"");
        StreamException missing = session.fails("DROP RECOVERY POINT firs");
        assertThat(missing.code()).isEqualTo(ErrorCode.UNDEFINED_OBJECT);
        assertThat(missing.hint()).contains("Did you mean \"first\"?");
        assertThat(session.fails("DESCRIBE RECOVERY POINT x").hint())
                .contains("SHOW RECOVERY POINTS lists those there are.");
        assertThat(session.run("DROP RECOVERY POINT IF EXISTS x").notices())
                .containsExactly("recovery point \"x\" does not exist, skipping");
        assertThat(session.rows("SELECT name FROM sys.recovery_points")).containsExactly("first");
    }

    @Test
    void snapshotsAreListedAlsoThoseOfTheLifeBefore() {
        session.all(
                "CREATE TABLE t (k BIGINT PRIMARY KEY, n BIGINT)",
                "INSERT INTO t VALUES (1, 10), (2, 20)",
                "WAIT FOR t",
                "CREATE RECOVERY POINT p");
        String last =
                "SELECT application, files > 0, chain_bytes >= bytes, full_vnodes >= 0, capture_ms >= 0, write_ms >= 0"
                        + " FROM sys.snapshots ORDER BY tick DESC, created_at DESC LIMIT 1";
        assertThat(session.rows(last)).containsExactly("default|true|true|true|true|true");
        assertThat(session.rows("SHOW SNAPSHOTS")).isNotEmpty();
        assertThat(session.rows("SHOW SNAPSHOTS LIKE 'x'")).isEmpty();
        assertThat(session.rows("SELECT COUNT(*) FROM sys.snapshots s JOIN sys.recovery_points p"
                        + " ON s.tick = p.tick AND s.created_at = p.created_at"))
                .containsExactly("1");
        restart();
        assertThat(session.rows("SELECT COUNT(*) > 0 FROM sys.snapshots WHERE capture_ms IS NULL"))
                .containsExactly("true");
    }

    @Test
    void jobsGoBackAndReadOn() {
        session.all(
                "CREATE STREAM s (n BIGINT)",
                "CREATE TABLE t (k BIGINT PRIMARY KEY, n BIGINT)",
                "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS c, SUM(n) AS total FROM s",
                "CREATE JOB j AS INSERT INTO t SELECT n, n * 2 FROM s",
                "INSERT INTO s VALUES (1), (2)",
                "WAIT FOR v",
                "WAIT FOR t",
                "CREATE RECOVERY POINT p",
                "INSERT INTO s VALUES (3)");
        for (int life = 0; life < 2; life++) {
            session.all(
                    "ALTER JOB v ROLLBACK TO RECOVERY POINT p",
                    "ALTER JOB j ROLLBACK TO RECOVERY POINT p",
                    "ALTER APPLICATION default ROLLBACK TO RECOVERY POINT p",
                    "WAIT FOR v",
                    "WAIT FOR t");
            assertThat(session.rows("SELECT * FROM v")).containsExactly("3|6");
            assertThat(session.sorted("SELECT * FROM t")).containsExactly("1|2", "2|4", "3|6");
            restart();
        }
    }

    @Test
    void whatCannotGoBackIsRefused() {
        session.all(
                "CREATE STREAM a (n BIGINT)",
                "CREATE STREAM b (n BIGINT)",
                "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS c FROM a",
                "CREATE JOB j AS INSERT INTO b SELECT n FROM a",
                "CREATE RECOVERY POINT p",
                "CREATE MATERIALIZED VIEW later AS SELECT COUNT(*) AS c FROM a");
        assertThat(session.fails("ALTER JOB j ROLLBACK TO RECOVERY POINT p").getMessage())
                .contains("has written to its target");
        assertThat(session.fails("ALTER JOB later ROLLBACK TO RECOVERY POINT p").getMessage())
                .contains("is not in recovery point");
        assertThat(session.fails("ALTER JOB nobody ROLLBACK TO RECOVERY POINT p")
                        .code())
                .isEqualTo(ErrorCode.UNDEFINED_OBJECT);
        StreamException missing = session.fails("ALTER JOB v ROLLBACK TO RECOVERY POINT q");
        assertThat(missing.code()).isEqualTo(ErrorCode.UNDEFINED_OBJECT);
        assertThat(missing.getMessage()).isEqualTo("recovery point \"q\" does not exist");
        assertThat(session.fails("ALTER APPLICATION default ROLLBACK TO RECOVERY POINT p")
                        .code())
                .isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE);
        assertThat(session.rows("SELECT * FROM v")).containsExactly("0");
    }

    @Test
    void whoWaitsForARecoveryPointMayGiveUp() {
        CancelSignal cancel = new CancelSignal();
        cancel.cancel();
        StreamException canceled = catchThrowableOfType(
                StreamException.class,
                () -> session.raw().execute("CREATE RECOVERY POINT p", List.of(), Duration.ZERO, cancel));
        assertThat(canceled.code()).isEqualTo(ErrorCode.QUERY_CANCELED);
        assertThat(session.rows("SHOW RECOVERY POINTS")).isEmpty();
    }

    private String created(String point) {
        return session.rows("SELECT created_at FROM sys.recovery_points WHERE name = '" + point + "'")
                .get(0);
    }

    @Test
    void viewsAndTablesAreReadAsTheyWere() {
        session.all(
                "CREATE STREAM s (n BIGINT)",
                "CREATE TABLE t (k BIGINT PRIMARY KEY, name VARCHAR)",
                "CREATE MATERIALIZED VIEW v AS SELECT n % 2 AS odd, COUNT(*) AS c FROM s GROUP BY n % 2",
                "CREATE MATERIALIZED VIEW copy AS SELECT n FROM s",
                "CREATE RECOVERY POINT nothing",
                "INSERT INTO s VALUES (1), (2), (3)",
                "INSERT INTO t VALUES (1, 'one'), (2, 'a name that is too long to be kept within a view of sixteen bytes')",
                "WAIT FOR v",
                "WAIT FOR copy",
                "WAIT FOR t",
                "CREATE RECOVERY POINT early",
                "INSERT INTO s VALUES (4), (5), (1)",
                "DELETE FROM t WHERE k = 1",
                "UPDATE t SET name = 'two' WHERE k = 2",
                "WAIT FOR v",
                "WAIT FOR copy",
                "WAIT FOR t");
        for (int life = 0; life < 2; life++) {
            assertThat(session.sorted("SELECT * FROM v")).containsExactly("0|2", "1|4");
            assertThat(session.sorted("SELECT * FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('early')"))
                    .containsExactly("0|1", "1|2");
            assertThat(session.rows("SELECT * FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('nothing')"))
                    .isEmpty();
            assertThat(
                            session.sorted(
                                    "SELECT v.c, w.c, w.odd FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('early') JOIN v AS w ON v.odd = w.odd"))
                    .containsExactly("1|2|0", "2|4|1");
            assertThat(
                            session.sorted(
                                    "SELECT c FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('early') UNION ALL SELECT c FROM v"
                                            + " UNION ALL SELECT COUNT(*) FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('nothing') AS e"))
                    .containsExactly("0", "1", "2", "2", "4");
            assertThat(session.sorted("SELECT n FROM copy FOR SYSTEM_TIME AS OF RECOVERY_POINT('early')"))
                    .containsExactly("1", "2", "3");
            assertThat(session.sorted("SELECT name FROM t FOR SYSTEM_TIME AS OF RECOVERY_POINT('early') WHERE k > 0"))
                    .containsExactly("a name that is too long to be kept within a view of sixteen bytes", "one");
            assertThat(session.rows("SELECT * FROM t")).containsExactly("2|two");
            assertThat(session.sorted("SELECT * FROM v FOR SYSTEM_TIME AS OF TIMESTAMP '" + created("early") + "'"))
                    .containsExactly("0|1", "1|2");
            assertThat(session.sorted("SELECT * FROM v FOR SYSTEM_TIME AS OF CAST('" + created("nothing")
                            + "' AS TIMESTAMP) + INTERVAL '0.000001' SECOND - INTERVAL '0.000001' SECOND"))
                    .isEmpty();
            assertThat(session.rows("EXPLAIN SELECT c FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('early')"))
                    .anyMatch(line -> line.contains("Scan v view (c) as of recovery point early"));
            restart();
        }
        assertThat(session.sorted("SELECT c FROM v FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP"))
                .containsExactly("2", "4");
    }

    @Test
    void whatIsNotKeptIsRefused() {
        session.all(
                "CREATE STREAM s (n BIGINT)",
                "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS c FROM s",
                "CREATE RECOVERY POINT p",
                "CREATE MATERIALIZED VIEW later AS SELECT COUNT(*) AS c FROM s");
        StreamException early = session.fails("SELECT * FROM v FOR SYSTEM_TIME AS OF TIMESTAMP '2001-02-03 04:05:06'");
        assertThat(early.code()).isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE);
        assertThat(early.getMessage()).isEqualTo("nothing is kept from 2001-02-03T04:05:06Z or before");
        assertThat(early.hint().orElseThrow())
                .contains(created("p").replace(' ', 'T').replaceAll("0+$", ""));
        assertThat(session.fails("SELECT * FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('q')")
                        .code())
                .isEqualTo(ErrorCode.UNDEFINED_OBJECT);
        assertThat(session.fails("SELECT * FROM v FOR SYSTEM_TIME AS OF CAST(NULL AS TIMESTAMP)")
                        .code())
                .isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
        assertThat(session.fails("SELECT * FROM later FOR SYSTEM_TIME AS OF RECOVERY_POINT('p')")
                        .getMessage())
                .startsWith("later did not exist at ");
        session.all("DROP MATERIALIZED VIEW v", "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS d FROM s");
        assertThat(session.fails("SELECT * FROM v FOR SYSTEM_TIME AS OF RECOVERY_POINT('p')")
                        .getMessage())
                .startsWith("v had other columns at ");
    }

    @Test
    void anUpgradeIsExplained() {
        session.all(
                "CREATE STREAM s (n BIGINT)",
                "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS c FROM s",
                "INSERT INTO s VALUES (1), (2)");
        String upgrade = "CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT COUNT(*) AS c, MAX(n) AS top FROM s";
        assertThat(session.rows("EXPLAIN UPGRADE " + upgrade))
                .anyMatch(line -> line.startsWith("Aggregate") && line.endsWith("|rebuilt|s|the state is new"))
                .anyMatch(line -> line.startsWith("Aggregate") && line.contains("|dropped|s|"))
                .anyMatch(line -> line.startsWith("Content of v|rebuilt|s|"));
        session.all(upgrade, "WAIT FOR v");
        assertThat(session.rows("SELECT * FROM v")).containsExactly("2|2");
        assertThat(session.rows("EXPLAIN UPGRADE " + upgrade))
                .isNotEmpty()
                .allMatch(line -> line.contains("|rebuilt (same state exists)|s|"));
    }
}

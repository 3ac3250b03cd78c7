package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.testing.Postgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Jobs that write to PostgreSQL, through a whole server, and what is said of their delivery. */
class JdbcSinkJobTest {
    private static Postgres postgres;

    @TempDir
    private Path data;

    @BeforeAll
    static void start() {
        postgres = Postgres.start();
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @Test
    void targetsFollowQueriesThroughARestart() {
        sql(
                "CREATE TABLE totals (grp bigint PRIMARY KEY, n bigint, total bigint); CREATE TABLE events (id bigint NOT NULL, note text)");
        try (TestServer server = TestServer.open(data);
                TestSession session = server.session()) {
            session.all(
                    "CREATE STREAM s (id BIGINT NOT NULL, grp BIGINT, note VARCHAR)",
                    "CREATE TABLE t (id BIGINT PRIMARY KEY, grp BIGINT NOT NULL)",
                    "CREATE STREAM pg_totals WITH (" + at("totals") + ")",
                    "CREATE STREAM pg_events WITH (" + at("events") + ", delivery = 'exactly_once')",
                    "CREATE JOB fold AS INSERT INTO pg_totals SELECT grp, COUNT(*), SUM(id) FROM t GROUP BY grp",
                    "CREATE JOB copy AS INSERT INTO pg_events SELECT id, note FROM s WHERE id > 0",
                    "INSERT INTO s VALUES (0, 1, 'no'), (1, 1, 'tab\t'), (2, 2, NULL)",
                    "INSERT INTO t VALUES (1, 1), (2, 2), (3, 2)",
                    "WAIT FOR fold",
                    "WAIT FOR copy");
            assertThat(rows("SELECT * FROM totals ORDER BY grp")).containsExactly("1|1|1", "2|2|5");
            assertThat(rows("SELECT * FROM events ORDER BY id")).containsExactly("1|tab\t", "2|null");
            assertThat(session.rows("DESCRIBE JOB fold"))
                    .contains("delivery|exactly_once: sink jdbc puts and deletes rows by key (grp)");
            assertThat(session.rows("DESCRIBE JOB copy"))
                    .contains(
                            "delivery|exactly_once: sink jdbc keeps the last tick in tailwater_committed, in one transaction with its rows");
            assertThat(session.rows("SHOW CREATE STREAM pg_events"))
                    .singleElement()
                    .asString()
                    .contains("password = '***'", "\n  mode = 'append'")
                    .doesNotContain(Postgres.PASSWORD);
            assertThat(session.rows("DESCRIBE pg_totals")).hasSize(3);
        }
        try (TestServer server = TestServer.open(data);
                TestSession session = server.session()) {
            session.all(
                    "DELETE FROM t WHERE grp = 1",
                    "UPDATE t SET grp = 3 WHERE id = 3",
                    "INSERT INTO s VALUES (3, 3, 'after')",
                    "WAIT FOR fold",
                    "WAIT FOR copy");
            assertThat(rows("SELECT * FROM totals ORDER BY grp")).containsExactly("2|1|2", "3|1|3");
            assertThat(rows("SELECT * FROM events ORDER BY id")).containsExactly("1|tab\t", "2|null", "3|after");
        }
    }

    @Test
    void whatASinkCannotDoIsRefused() {
        sql("CREATE TABLE one (a bigint PRIMARY KEY, b bigint); CREATE TABLE bag (a bigint, b bigint)");
        try (TestServer server = TestServer.open(data);
                TestSession session = server.session()) {
            session.run("CREATE TABLE t (a BIGINT PRIMARY KEY, b BIGINT)");
            var print =
                    session.fails("CREATE STREAM p (a BIGINT) WITH (connector = 'print', delivery = 'exactly_once')");
            assertThat(print.code()).isEqualTo(ErrorCode.FEATURE_NOT_SUPPORTED);
            assertThat(print).hasMessage("sink print cannot deliver exactly_once: it cannot take back what it printed");
            assertThat(session.fails("CREATE STREAM p (a BIGINT) WITH (connector = 'print', delivery = 'perhaps')")
                            .hint())
                    .contains("It must be one of exactly_once, at_least_once.");
            assertThat(session.fails(
                            "CREATE STREAM g WITH (connector = 'nexmark', kind = 'bid', delivery = 'exactly_once')"))
                    .hasMessageContaining("is for sinks");
            session.all(
                    "CREATE STREAM p (a BIGINT) WITH (connector = 'print')",
                    "CREATE STREAM f (a BIGINT) WITH (connector = 'file', path = '" + data.resolve("f.csv")
                            + "', delivery = 'exactly_once')",
                    "CREATE JOB printing AS INSERT INTO p SELECT a FROM t",
                    "CREATE MATERIALIZED VIEW v AS SELECT a FROM t",
                    "CREATE STREAM pg_one WITH (" + at("one") + ")",
                    "CREATE STREAM pg_bag WITH (" + at("bag") + ")");
            assertThat(session.rows("DESCRIBE JOB printing"))
                    .contains("delivery|at_least_once: sink print cannot take back what it printed");
            assertThat(session.rows("DESCRIBE JOB v"))
                    .contains("delivery|exactly_once: a COMMIT names the rows of each tick");
            assertThat(session.fails("INSERT INTO pg_one SELECT b, a FROM t").code())
                    .isEqualTo(ErrorCode.CARDINALITY_VIOLATION);
            assertThat(session.fails("INSERT INTO pg_bag SELECT a, b FROM t").code())
                    .isEqualTo(ErrorCode.APPEND_ONLY_VIOLATION);
        }
    }

    @Test
    void aJobWaitsForPostgresSaysSoAndCanBeDropped() {
        sql("CREATE TABLE away (a bigint)");
        try (TestServer server = TestServer.open(data);
                TestSession session = server.session()) {
            session.all(
                    "CREATE STREAM s (a BIGINT)",
                    "CREATE STREAM pg WITH (" + at("away") + ")",
                    "CREATE JOB writes AS INSERT INTO pg SELECT a FROM s",
                    "CREATE MATERIALIZED VIEW counts AS SELECT COUNT(*) AS n FROM s",
                    "INSERT INTO s VALUES (1)",
                    "WAIT FOR writes");
            postgres.stop("immediate");
            session.run("INSERT INTO s VALUES (2)");
            awaitStates(session, "counts|PAUSED", "writes|PAUSED");
            assertThat(session.rows("DESCRIBE JOB writes"))
                    .filteredOn(line -> line.startsWith("state|"))
                    .singleElement()
                    .asString()
                    .startsWith("state|PAUSED: waits for PostgreSQL: cannot write tick ")
                    .doesNotContain(Postgres.PASSWORD);
            assertThat(session.rows("DESCRIBE JOB counts"))
                    .filteredOn(line -> line.startsWith("state|"))
                    .singleElement()
                    .asString()
                    .startsWith("state|PAUSED: waits for job writes, which waits for PostgreSQL: ");
            postgres.restart();
            session.all("WAIT FOR writes", "WAIT FOR counts");
            assertThat(rows("SELECT a FROM away ORDER BY a")).containsExactly("1", "2");
            assertThat(session.rows("SELECT n FROM counts")).containsExactly("2");
            postgres.stop("fast");
            session.run("INSERT INTO s VALUES (3)");
            awaitStates(session, "counts|PAUSED", "writes|PAUSED");
            session.all("DROP JOB writes", "WAIT FOR counts");
            assertThat(session.rows("SELECT n FROM counts")).containsExactly("3");
        }
        // A server that starts while PostgreSQL is away starts all the same.
        postgres.restart();
        sql("TRUNCATE away");
        try (TestServer server = TestServer.open(data);
                TestSession session = server.session()) {
            session.all("CREATE JOB writes AS INSERT INTO pg SELECT a FROM s", "WAIT FOR writes");
            postgres.stop("immediate");
            session.run("INSERT INTO s VALUES (4)");
            awaitStates(session, "counts|PAUSED", "writes|PAUSED");
        }
        try (TestServer server = TestServer.open(data);
                TestSession session = server.session()) {
            awaitStates(session, "counts|PAUSED", "writes|PAUSED");
            postgres.restart();
            session.run("WAIT FOR writes");
            assertThat(rows("SELECT a FROM away ORDER BY a")).containsExactly("1", "2", "3", "4");
        }
    }

    private static void awaitStates(TestSession session, String... states) {
        List<String> seen = List.of();
        for (int i = 0; i < 30_000; i++) {
            seen = session.rows("SELECT job_name, state FROM sys.jobs ORDER BY job_name");
            if (seen.equals(List.of(states))) {
                return;
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new AssertionError("jobs are " + seen);
    }

    private static String at(String table) {
        return "connector = 'jdbc', url = '" + postgres.url() + "', user = '" + Postgres.USER + "', password = '"
                + Postgres.PASSWORD + "', table = '" + table + "'";
    }

    private static void sql(String statements) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(statements);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> rows(String query) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            List<String> out = new ArrayList<>();
            while (result.next()) {
                List<String> values = new ArrayList<>();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    values.add(String.valueOf(result.getString(column)));
                }
                out.add(String.join("|", values));
            }
            return out;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(postgres.url(), Postgres.USER, Postgres.PASSWORD);
    }
}

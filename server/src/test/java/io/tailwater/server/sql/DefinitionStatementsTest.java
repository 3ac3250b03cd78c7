package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;

/** Definitions, jobs, views, and what is left after a restart, through a whole server. */
final class DefinitionStatementsTest {
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
    void viewsOnViewsAreKeptUpToDate() {
        session.all(
                "CREATE STREAM bids (auction BIGINT NOT NULL, price BIGINT)",
                "CREATE VIEW big AS SELECT * FROM bids WHERE price >= 10",
                "CREATE MATERIALIZED VIEW totals AS SELECT auction, SUM(price) AS total FROM big GROUP BY auction",
                "CREATE MATERIALIZED VIEW best AS SELECT MAX(total) AS top FROM totals",
                "INSERT INTO bids VALUES (1, 10), (1, 20), (2, 5), (2, 40)",
                "WAIT FOR best");
        assertThat(session.sorted("SELECT * FROM totals")).containsExactly("1|30", "2|40");
        assertThat(session.rows("SELECT * FROM best")).containsExactly("40");
        session.all("INSERT INTO bids VALUES (1, 11)", "WAIT FOR best");
        assertThat(session.rows("SELECT top FROM best")).containsExactly("41");
        assertThat(session.sorted("SELECT b.price, t.total FROM bids b JOIN totals t ON b.auction = t.auction"))
                .containsExactly("10|41", "11|41", "20|41", "40|40", "5|40");
    }

    @Test
    void aContinuousInsertIsAJobWithAName() {
        session.all("CREATE STREAM a (n BIGINT)", "CREATE STREAM b (n BIGINT)", "INSERT INTO a VALUES (1), (2)");
        Outcome.Done first = session.run("INSERT INTO b SELECT n * 10 FROM a");
        assertThat(first.jobName()).isEqualTo("insert_b_1");
        assertThat(first.updateCount()).isZero();
        assertThat(session.run("CREATE JOB daily AS INSERT INTO b SELECT n + 100 FROM a")
                        .jobName())
                .isEqualTo("daily");
        assertThat(session.fails("CREATE JOB daily AS INSERT INTO b SELECT n FROM a")
                        .code())
                .isEqualTo(ErrorCode.DUPLICATE_OBJECT);
        session.run("WAIT FOR b");
        assertThat(session.sorted("SELECT * FROM b")).containsExactly("10", "101", "102", "20");
        assertThat(session.sorted("SHOW JOBS"))
                .hasSize(2)
                .allMatch(line -> line.contains("RUNNING"))
                .anyMatch(line -> line.startsWith("daily|"));
        session.run("DROP JOB insert_b_1");
        session.all("INSERT INTO a VALUES (3)", "WAIT FOR b");
        assertThat(session.sorted("SELECT * FROM b")).containsExactly("10", "101", "102", "103", "20");
        assertThat(session.fails("DROP JOB insert_b_1").code()).isEqualTo(ErrorCode.UNDEFINED_OBJECT);
    }

    @Test
    void whatIsUsedIsNotDroppedUnlessByCascade() {
        session.all(
                "CREATE STREAM s (n BIGINT)",
                "CREATE STREAM t (n BIGINT)",
                "CREATE VIEW v AS SELECT n FROM s",
                "CREATE MATERIALIZED VIEW mv AS SELECT COUNT(*) AS c FROM v");
        session.run("INSERT INTO t SELECT n FROM s");
        StreamException used = session.fails("DROP STREAM s");
        assertThat(used.code()).isEqualTo(ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST);
        assertThat(used.getMessage()).contains("v").contains("insert_t_1");
        assertThat(session.fails("DROP VIEW v").code()).isEqualTo(ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST);
        assertThat(session.fails("DROP TABLE s").code()).isEqualTo(ErrorCode.WRONG_OBJECT_TYPE);
        assertThat(session.run("DROP STREAM s CASCADE").notices()).hasSize(3);
        assertThat(session.rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"))
                .containsExactly("t");
        assertThat(session.rows("SHOW JOBS")).isEmpty();
        session.run("CREATE STREAM s (other VARCHAR)");
        assertThat(session.rows("SELECT * FROM s")).isEmpty();
    }

    @Test
    void namesThatAreTakenAreRefusedOrSkipped() {
        session.run("CREATE STREAM s (n BIGINT)");
        assertThat(session.fails("CREATE STREAM s (n BIGINT)").code()).isEqualTo(ErrorCode.DUPLICATE_TABLE);
        assertThat(session.fails("CREATE TABLE s (n BIGINT PRIMARY KEY)").code())
                .isEqualTo(ErrorCode.DUPLICATE_TABLE);
        assertThat(session.fails("CREATE STREAM \"S\" (n BIGINT)").code()).isEqualTo(ErrorCode.DUPLICATE_TABLE);
        assertThat(session.run("CREATE STREAM IF NOT EXISTS s (other BIGINT)").notices())
                .hasSize(1);
        assertThat(session.run("DROP STREAM IF EXISTS nothing").notices()).hasSize(1);
        StreamException unknown = session.fails("DROP STREAM ss");
        assertThat(unknown.code()).isEqualTo(ErrorCode.UNDEFINED_TABLE);
        assertThat(unknown.hint().orElse("")).contains("s");
        session.run("CREATE OR REPLACE VIEW v AS SELECT n FROM s");
        session.run("CREATE OR REPLACE VIEW v AS SELECT n + 1 AS m FROM s");
        session.run("INSERT INTO s VALUES (1)");
        assertThat(session.rows("SELECT m FROM v")).containsExactly("2");
    }

    @Test
    void everythingIsThereAfterARestart() {
        session.all(
                "CREATE TABLE accounts (id BIGINT PRIMARY KEY, name VARCHAR)",
                "CREATE STREAM bids (account BIGINT, price BIGINT)",
                "CREATE STREAM out_bids (name VARCHAR, price BIGINT)",
                "CREATE MATERIALIZED VIEW totals AS SELECT a.name, SUM(b.price) AS total"
                        + " FROM bids b JOIN accounts a ON b.account = a.id GROUP BY a.name",
                "INSERT INTO accounts VALUES (1, 'ann'), (2, 'bob')",
                "INSERT INTO bids VALUES (1, 10), (2, 20), (1, 30)");
        session.run("INSERT INTO out_bids SELECT 'x', price FROM bids");
        session.all("UPDATE accounts SET name = 'bert' WHERE id = 2", "WAIT FOR totals", "WAIT FOR out_bids");
        List<String> totals = session.sorted("SELECT * FROM totals");
        assertThat(totals).containsExactly("ann|40", "bert|20");
        for (int round = 1; round <= 2; round++) {
            restart();
            session.all("WAIT FOR totals", "WAIT FOR out_bids");
            assertThat(session.sorted("SELECT * FROM accounts")).containsExactly("1|ann", "2|bert");
            assertThat(session.sorted("SELECT * FROM totals")).isEqualTo(totals);
            assertThat(session.sorted("SELECT price FROM out_bids")).containsExactly("10", "20", "30");
            assertThat(session.sorted("SELECT job_name FROM sys.jobs WHERE kind <> 'table'"))
                    .contains("insert_out_bids_1", "totals");
        }
        session.all("INSERT INTO bids VALUES (2, 5)", "WAIT FOR totals", "WAIT FOR out_bids");
        assertThat(session.sorted("SELECT * FROM totals")).containsExactly("ann|40", "bert|25");
        assertThat(session.sorted("SELECT price FROM out_bids")).containsExactly("10", "20", "30", "5");
        assertThat(session.fails("INSERT INTO accounts VALUES (1, 'again')").code())
                .isEqualTo(ErrorCode.UNIQUE_VIOLATION);
    }

    @Test
    void aDroppedStreamStaysDroppedAfterARestart() {
        session.all("CREATE STREAM s (n BIGINT)", "INSERT INTO s VALUES (1)", "DROP STREAM s");
        restart();
        assertThat(session.fails("SELECT * FROM s").code()).isEqualTo(ErrorCode.UNDEFINED_TABLE);
        session.run("CREATE STREAM s (n BIGINT)");
        assertThat(session.rows("SELECT * FROM s")).isEmpty();
    }

    @Test
    void connectorOptionsAreChecked() {
        StreamException kind = session.fails("CREATE STREAM s WITH (connector = 'nexmrk', kind = 'bid')");
        assertThat(kind.code()).isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
        assertThat(kind.hint()).contains("Did you mean \"nexmark\"?");
        StreamException option =
                session.fails("CREATE STREAM s WITH (connector = 'nexmark', kind = 'bid', event = 10)");
        assertThat(option.hint()).contains("Did you mean \"events\"?");
        StreamException stored = session.fails("CREATE STREAM s (n BIGINT) WITH (path = 'x')");
        assertThat(stored.code()).isEqualTo(ErrorCode.INVALID_PARAMETER_VALUE);
        session.run(
                "CREATE STREAM bid WITH (connector = 'nexmark', kind = 'bid', seed = 42, rate = 10000, events = 1000)");
        assertThat(session.rows("SELECT COUNT(*) FROM bid")).containsExactly("920");
        assertThat(session.fails("INSERT INTO bid (auction) VALUES (1)").code()).isNotEqualTo(ErrorCode.INTERNAL_ERROR);
    }

    @Test
    void aMissingFileIsToldWhenItsStreamIsCreated() throws Exception {
        Path file = directory.resolve("rows.csv");
        String create = "CREATE STREAM f (n BIGINT) WITH (connector = 'file', format = 'csv', header = true, path = '"
                + file + "')";
        assertThat(session.run(create).notices())
                .containsExactly("there is no file \"" + file + "\" on the server yet");
        assertThat(session.fails("SELECT * FROM f").code()).isEqualTo(ErrorCode.UNDEFINED_FILE);
        Files.writeString(file, "n\n1\n2\n");
        assertThat(session.rows("SELECT * FROM f")).containsExactly("1", "2");
        session.run("DROP STREAM f");
        assertThat(session.run(create).notices()).isEmpty();
    }

    @Test
    void aSessionReadsItsWritesThroughViews() {
        session.all(
                "CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT)",
                "CREATE MATERIALIZED VIEW sums AS SELECT COUNT(*) AS n, SUM(v) AS s FROM t",
                "CREATE MATERIALIZED VIEW doubled AS SELECT n * 2 AS n, s * 2 AS s FROM sums",
                "CREATE VIEW plain AS SELECT n, s FROM doubled");
        for (int i = 1; i <= 20; i++) {
            session.run("INSERT INTO t VALUES (" + i + ", 1)");
            assertThat(session.rows("SELECT * FROM plain")).containsExactly(2 * i + "|" + 2 * i);
        }
    }

    @Test
    void aWriteToAnObjectThatWasDroppedIsNotWaitedFor() {
        session.all("CREATE STREAM s (n BIGINT)", "INSERT INTO s VALUES (1), (2)", "INSERT INTO s VALUES (3)");
        session.all("DROP STREAM s", "CREATE STREAM s (n BIGINT)", "SET statement_timeout = '20 s'");
        assertThat(session.rows("SELECT * FROM s")).isEmpty();
    }

    @Test
    void ofManyCreatesOfOneNameOneWins() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Boolean>> creates = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                creates.add(() -> {
                    try (TestSession mine = server.session()) {
                        mine.run("CREATE TABLE once (id BIGINT PRIMARY KEY)");
                        return true;
                    } catch (StreamException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.DUPLICATE_TABLE);
                        return false;
                    }
                });
            }
            int won = 0;
            for (Future<Boolean> result : threads.invokeAll(creates)) {
                won += result.get() ? 1 : 0;
            }
            assertThat(won).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aBoundedSourceFinishesItsJob() {
        session.all(
                "CREATE STREAM bid WITH (connector = 'nexmark', kind = 'bid', seed = 42, rate = 10000, events = 5000)",
                "CREATE STREAM kept (auction BIGINT, price BIGINT)");
        String job =
                session.run("INSERT INTO kept SELECT auction, price FROM bid").jobName();
        session.run("WAIT FOR " + job);
        assertThat(session.rows("SELECT COUNT(*) FROM kept")).containsExactly("4600");
        assertThat(session.rows("SELECT state FROM sys.jobs WHERE job_name = '" + job + "'"))
                .containsExactly("FINISHED");
        assertThat(session.rows("DESCRIBE JOB " + job)).contains("state|FINISHED, 4600 rows in, 4600 rows out");
    }

    @Test
    void showCreatePrintsWhatMakesTheSameObject() {
        List<String> definitions = List.of(
                "CREATE STREAM \"Odd\"\"Name\" (\"order\" BIGINT NOT NULL, ts TIMESTAMP(3), \"dateTime\" TIMESTAMP(3),"
                        + " WATERMARK FOR ts AS ts - INTERVAL '300' SECOND(3)) PARTITION BY (\"order\") WITH (partitions = 3)",
                "CREATE STREAM w (ts TIMESTAMP, d DECIMAL(10, 3), s VARCHAR(7), WATERMARK FOR ts AS ts - INTERVAL '1.5' SECOND)",
                "CREATE TABLE t (a BIGINT, b VARCHAR(3) NOT NULL, \"value\" DOUBLE, PRIMARY KEY (b, a))",
                "CREATE VIEW v AS SELECT a, \"value\" FROM t WHERE b = 'it''s'",
                "CREATE MATERIALIZED VIEW mv AS SELECT b, COUNT(*) AS n FROM t GROUP BY b",
                "CREATE STREAM bid WITH (connector = 'nexmark', kind = 'bid', events = 10)");
        List<String> names = List.of("\"Odd\"\"Name\"", "w", "t", "v", "mv", "bid");
        List<String> kinds = List.of("STREAM", "STREAM", "TABLE", "VIEW", "MATERIALIZED VIEW", "STREAM");
        for (String definition : definitions) {
            session.run(definition);
        }
        List<String> printed = names.stream()
                .map(name -> session.rows("SHOW CREATE " + kinds.get(names.indexOf(name)) + " " + name)
                        .get(0))
                .toList();
        for (int i = names.size() - 1; i >= 0; i--) {
            session.run("DROP " + kinds.get(i) + " " + names.get(i));
        }
        for (int i = 0; i < names.size(); i++) {
            session.run(printed.get(i));
            assertThat(session.rows("SHOW CREATE " + kinds.get(i) + " " + names.get(i)))
                    .containsExactly(printed.get(i));
        }
    }

    @Test
    void preparingStartsNothing() {
        session.all("CREATE STREAM a (n BIGINT)", "CREATE STREAM b (n BIGINT)");
        assertThat(session.raw().prepare("INSERT INTO b SELECT n FROM a").query())
                .isFalse();
        assertThat(session.raw().prepare("CREATE STREAM c (n BIGINT)").query()).isFalse();
        assertThat(session.raw().prepare("SELECT n FROM a EMIT CHANGES").unbounded())
                .isTrue();
        assertThat(session.raw().prepare("SHOW JOBS").result().columns())
                .extracting(c -> c.name())
                .startsWith("job_name", "kind", "state");
        assertThat(session.rows("SHOW JOBS")).isEmpty();
        assertThat(session.rows("SHOW STREAMS")).hasSize(2);
    }

    @Test
    void waitingForAJobThatFailedTellsItsError() {
        session.all("CREATE STREAM a (n BIGINT)", "CREATE STREAM b (n BIGINT)", "INSERT INTO a VALUES (0)");
        String job = session.run("INSERT INTO b SELECT 1 / n FROM a").jobName();
        StreamException failure = session.fails("WAIT FOR " + job);
        assertThat(failure.code()).isEqualTo(ErrorCode.DIVISION_BY_ZERO);
        assertThat(session.rows("SELECT job_name FROM sys.errors")).containsExactly(job);
        assertThat(session.rows("DESCRIBE JOB " + job)).contains("state|FAILED: division by zero\nDETAIL:  row (n=0)");
        session.run("DROP JOB " + job);
        assertThat(session.rows("SELECT job_name FROM sys.errors")).isEmpty();
    }
}

package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;

/** INSERT, UPDATE and DELETE on keyed tables, through a whole server. */
final class TableStatementsTest {
    @TempDir
    private static Path directory;

    private static TestServer server;

    private TestSession session;

    @BeforeAll
    static void start() {
        server = TestServer.open(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void createTable() {
        session = server.session();
        session.run(
                "CREATE TABLE accounts (id BIGINT PRIMARY KEY, owner VARCHAR(10), balance DECIMAL(18, 2) NOT NULL)");
        assertThat(session.run("INSERT INTO accounts VALUES (1, 'ann', 10), (2, 'bob', 20.5), (3, NULL, 30)")
                        .updateCount())
                .isEqualTo(3);
    }

    @AfterEach
    void dropTable() {
        session.run("DROP TABLE accounts CASCADE");
        session.close();
    }

    @Test
    void aSessionReadsItsWritesAtOnce() {
        for (int i = 10; i < 40; i++) {
            session.run("INSERT INTO accounts VALUES (" + i + ", 'x', 0)");
            assertThat(session.rows("SELECT COUNT(*) FROM accounts")).containsExactly(Integer.toString(i - 6));
        }
    }

    @Test
    void updateAndDeleteCountTheirRows() {
        assertThat(session.run("UPDATE accounts SET balance = balance * 2 WHERE id <> 2")
                        .updateCount())
                .isEqualTo(2);
        assertThat(session.run("DELETE FROM accounts WHERE owner = 'bob'").updateCount())
                .isEqualTo(1);
        assertThat(session.run("DELETE FROM accounts WHERE owner = 'bob'").updateCount())
                .isZero();
        assertThat(session.sorted("SELECT * FROM accounts")).containsExactly("1|ann|20.00", "3|NULL|60.00");
    }

    @Test
    void upsertReplacesOrAddsAndTheLastRowOfAKeyStays() {
        assertThat(session.run("UPSERT INTO accounts VALUES (2, 'eve', 1), (4, 'dan', 2), (4, 'kim', 3)")
                        .updateCount())
                .isEqualTo(3);
        assertThat(session.sorted("SELECT * FROM accounts"))
                .containsExactly("1|ann|10.00", "2|eve|1.00", "3|NULL|30.00", "4|kim|3.00");
        assertThat(session.fails("UPSERT INTO accounts (id) VALUES (5)").code())
                .isEqualTo(ErrorCode.NOT_NULL_VIOLATION);
        session.run("CREATE STREAM log (id BIGINT)");
        StreamException refused = session.fails("UPSERT INTO log VALUES (1)");
        assertThat(refused.code()).isEqualTo(ErrorCode.WRONG_OBJECT_TYPE);
        assertThat(refused.getMessage()).contains("primary key");
        session.run("DROP STREAM log");
    }

    @Test
    void aJobMayWriteARowOfATableSeveralTimes() {
        session.run("CREATE STREAM seen (id BIGINT, owner VARCHAR)");
        session.run("INSERT INTO seen VALUES (7, 'gus'), (7, 'gus'), (8, 'hal'), (7, 'gus')");
        session.run("INSERT INTO accounts /*+ JOB('copy') */ SELECT id, owner, 0 FROM seen");
        session.run("WAIT FOR accounts");
        assertThat(session.sorted("SELECT id, owner FROM accounts WHERE id > 3"))
                .containsExactly("7|gus", "8|hal");
        session.run("DROP JOB copy");
        session.run("DROP STREAM seen");
    }

    @Test
    void aQueryThatTakesRowsBackMustHaveOneRowForEachKey() {
        session.run("CREATE STREAM seen (id BIGINT, owner VARCHAR)");
        StreamException refused =
                session.fails("INSERT INTO accounts SELECT id, owner, COUNT(*) FROM seen GROUP BY id, owner");
        assertThat(refused.code()).isEqualTo(ErrorCode.CARDINALITY_VIOLATION);
        assertThat(refused.getMessage()).contains("(id)").contains("accounts");
        session.run("INSERT INTO accounts /*+ JOB('counts') */ SELECT id, MAX(owner), COUNT(*) FROM seen GROUP BY id");
        session.run("DROP JOB counts");
        session.run("DROP STREAM seen");
    }

    @Test
    void aDuplicateKeyIsRefusedAndNothingIsWritten() {
        StreamException there = session.fails("INSERT INTO accounts VALUES (4, 'dan', 1), (2, 'eve', 1)");
        assertThat(there.code()).isEqualTo(ErrorCode.UNIQUE_VIOLATION);
        assertThat(there.getMessage()).contains("accounts").contains("(id) = (2)");
        StreamException twice = session.fails("INSERT INTO accounts VALUES (5, 'dan', 1), (5, 'eve', 1)");
        assertThat(twice.code()).isEqualTo(ErrorCode.UNIQUE_VIOLATION);
        assertThat(session.rows("SELECT COUNT(*) FROM accounts")).containsExactly("3");
    }

    @Test
    void aKeyCanBeUsedAgainAfterItsRowIsDeleted() {
        session.run("DELETE FROM accounts WHERE id = 2");
        session.run("INSERT INTO accounts VALUES (2, 'new', 1)");
        assertThat(session.rows("SELECT owner FROM accounts WHERE id = 2")).containsExactly("new");
    }

    @Test
    void anUpdateMayMoveKeysThroughEachOther() {
        assertThat(session.run("UPDATE accounts SET id = id + 1").updateCount()).isEqualTo(3);
        assertThat(session.sorted("SELECT id, balance FROM accounts")).containsExactly("2|10.00", "3|20.50", "4|30.00");
        assertThat(session.run("UPDATE accounts SET id = 5 - id WHERE id < 4").updateCount())
                .isEqualTo(2);
        assertThat(session.sorted("SELECT id, balance FROM accounts")).containsExactly("2|20.50", "3|10.00", "4|30.00");
        assertThat(session.fails("UPDATE accounts SET id = 4 WHERE id = 2").code())
                .isEqualTo(ErrorCode.UNIQUE_VIOLATION);
        assertThat(session.fails("UPDATE accounts SET id = 9").code()).isEqualTo(ErrorCode.UNIQUE_VIOLATION);
        assertThat(session.sorted("SELECT id, balance FROM accounts")).containsExactly("2|20.50", "3|10.00", "4|30.00");
    }

    @Test
    void nullInANotNullColumnIsNamed() {
        StreamException insert = session.fails("INSERT INTO accounts VALUES (7, 'x', NULL)");
        assertThat(insert.code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATION);
        assertThat(insert.getMessage()).contains("balance");
        StreamException left = session.fails("INSERT INTO accounts (id) VALUES (7)");
        assertThat(left.code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATION);
        StreamException update = session.fails("UPDATE accounts SET balance = NULL WHERE id = 1");
        assertThat(update.code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATION);
        StreamException key = session.fails("INSERT INTO accounts VALUES (NULL, 'x', 1)");
        assertThat(key.code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATION);
        assertThat(key.getMessage()).contains("id");
    }

    @Test
    void textThatIsTooLongAndNumbersOutOfRangeAreRefused() {
        assertThat(session.fails("INSERT INTO accounts VALUES (7, 'longer than ten', 1)")
                        .code())
                .isEqualTo(ErrorCode.STRING_TOO_LONG);
        assertThat(session.fails("INSERT INTO accounts VALUES (7, 'x', 12345678901234567890)")
                        .code())
                .isEqualTo(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE);
        assertThat(session.fails("UPDATE accounts SET balance = 1 / 0").code()).isEqualTo(ErrorCode.DIVISION_BY_ZERO);
        assertThat(session.sorted("SELECT id FROM accounts")).containsExactly("1", "2", "3");
    }

    @Test
    void parametersTakeTheTypesOfTheirColumns() {
        assertThat(session.raw()
                        .prepare("INSERT INTO accounts VALUES (?, ?, ?)")
                        .parameters())
                .extracting(type -> type.kind().name())
                .containsExactly("BIGINT", "VARCHAR", "DECIMAL");
        session.run("INSERT INTO accounts VALUES (?, ?, ?)", 8L, null, new java.math.BigDecimal("1.25"));
        assertThat(session.rows("SELECT * FROM accounts WHERE id = ?", 8L)).containsExactly("8|NULL|1.25");
        assertThat(session.run("DELETE FROM accounts WHERE id = ?", 8L).updateCount())
                .isEqualTo(1);
    }

    @Test
    void concurrentUpdatesLoseNothing() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                done.add(threads.submit(() -> {
                    try (TestSession mine = server.session()) {
                        for (int i = 0; i < 5; i++) {
                            mine.run("UPDATE accounts SET balance = balance + 1 WHERE id = 1");
                        }
                    }
                }));
            }
            for (Future<?> future : done) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
        try (TestSession other = server.session()) {
            other.run("UPDATE accounts SET balance = balance + 0 WHERE id = 1");
            assertThat(other.rows("SELECT balance FROM accounts WHERE id = 1")).containsExactly("30.00");
        }
    }

    @Test
    void aWriteWithASubQueryReadsTheOtherTable() {
        session.run("CREATE TABLE closed (id BIGINT PRIMARY KEY)");
        try {
            session.run("INSERT INTO closed VALUES (1), (3)");
            assertThat(session.run("DELETE FROM accounts WHERE id IN (SELECT id FROM closed)")
                            .updateCount())
                    .isEqualTo(2);
            assertThat(session.sorted("SELECT id FROM accounts")).containsExactly("2");
        } finally {
            session.run("DROP TABLE closed");
        }
    }

    @Test
    void onlyTablesCanBeUpdated() {
        session.run("CREATE STREAM events (id BIGINT)");
        try {
            assertThat(session.fails("UPDATE events SET id = 1").code()).isEqualTo(ErrorCode.WRONG_OBJECT_TYPE);
            assertThat(session.fails("DELETE FROM events").code()).isEqualTo(ErrorCode.WRONG_OBJECT_TYPE);
        } finally {
            session.run("DROP STREAM events");
        }
    }
}

package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Bounded and push queries, system tables and settings, through a whole server. */
final class QueryStatementsTest {
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
    void open() {
        session = server.session();
        session.all(
                "CREATE STREAM bids (auction BIGINT NOT NULL, price BIGINT)",
                "CREATE TABLE items (id BIGINT PRIMARY KEY, name VARCHAR)");
    }

    @AfterEach
    void close() {
        session.all("DROP STREAM bids CASCADE", "DROP TABLE items CASCADE");
        session.close();
    }

    @Test
    void duplicatesOfAStreamAreKept() {
        session.run("INSERT INTO bids VALUES (1, 5), (1, 5), (1, 5)");
        assertThat(session.rows("SELECT * FROM bids")).containsExactly("1|5", "1|5", "1|5");
        session.run("CREATE MATERIALIZED VIEW same AS SELECT auction FROM bids");
        session.run("WAIT FOR same");
        assertThat(session.rows("SELECT * FROM same")).containsExactly("1", "1", "1");
        assertThat(session.rows("SELECT DISTINCT price FROM bids")).containsExactly("5");
    }

    @Test
    void queriesWithoutRelationsWork() {
        assertThat(session.rows("SELECT 1 + 1, 'a' || 'b', CAST(NULL AS BIGINT)"))
                .containsExactly("2|ab|NULL");
        assertThat(session.rows("VALUES (1, 'x'), (2, 'y')")).containsExactly("1|x", "2|y");
        assertThat(session.rows("SELECT * FROM bids WHERE 1 = 0")).isEmpty();
        assertThat(session.rows("SELECT COUNT(*) FROM bids")).containsExactly("0");
    }

    @Test
    void orderAndLimitHold() {
        session.run("INSERT INTO bids VALUES (1, 5), (2, NULL), (3, 1), (4, 9)");
        assertThat(session.rows("SELECT auction FROM bids ORDER BY price")).containsExactly("3", "1", "4", "2");
        assertThat(session.rows("SELECT auction FROM bids ORDER BY price DESC LIMIT 2 OFFSET 1"))
                .containsExactly("4", "1");
    }

    @Test
    void anAppendOnlyPushQueryGivesPlainRows() {
        session.run("INSERT INTO bids VALUES (1, 5)");
        try (TestSession.Push push =
                session.push("SELECT auction, price * 2 AS p FROM bids WHERE price > 0 EMIT CHANGES")) {
            assertThat(push.rows.schema().columns()).extracting(c -> c.name()).containsExactly("auction", "p");
            assertThat(push.until(1)).containsExactly("1|10");
            session.run("INSERT INTO bids VALUES (2, 0), (3, 4)");
            assertThat(push.until(2)).containsExactly("1|10", "3|8");
        }
    }

    @Test
    void anUpdatingPushQueryLeadsWithTheOperation() {
        session.all(
                "CREATE MATERIALIZED VIEW totals AS SELECT auction, SUM(price) AS total FROM bids GROUP BY auction",
                "INSERT INTO bids VALUES (1, 5)",
                "WAIT FOR totals");
        try (TestSession.Push push = session.push("SELECT * FROM totals EMIT CHANGES")) {
            assertThat(push.rows.schema().columns())
                    .extracting(c -> c.name())
                    .containsExactly("op", "auction", "total");
            push.until(1);
            session.all("INSERT INTO bids VALUES (1, 7)", "WAIT FOR totals");
            push.until(3);
            session.all("INSERT INTO bids VALUES (2, 1)", "WAIT FOR totals");
            assertThat(push.until(4)).containsExactly("+I|1|5", "-U|1|5", "+U|1|12", "+I|2|1");
        }
    }

    @Test
    void changesOfATableFollowItsKey() {
        session.run("INSERT INTO items VALUES (1, 'a'), (2, 'b')");
        try (TestSession.Push push = session.push("SELECT * FROM items EMIT CHANGES")) {
            assertThat(push.until(2)).containsExactlyInAnyOrder("+I|1|a", "+I|2|b");
            push.lines.clear();
            session.run("UPDATE items SET name = 'c' WHERE id = 1");
            session.run("DELETE FROM items WHERE id = 2");
            assertThat(push.until(3)).containsExactly("-U|1|a", "+U|1|c", "-D|2|b");
        }
    }

    @Test
    void aPushQueryEndsWhenItIsCancelled() {
        CancelSignal cancel = new CancelSignal();
        Outcome.Rows rows = (Outcome.Rows)
                session.raw().execute("SELECT * FROM bids EMIT CHANGES", List.of(), Duration.ZERO, cancel);
        try (ResultStream stream = rows.stream()) {
            assertThat(stream.next(1_000_000)).isInstanceOf(ResultStream.Next.Quiet.class);
            cancel.cancel();
            assertThatThrownBy(() -> {
                        while (stream.next(1_000_000_000) instanceof ResultStream.Next.Quiet) {
                            // Until the cancellation arrives.
                        }
                    })
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUERY_CANCELED));
        }
    }

    @Test
    void aQuietPushQueryTimesOut() {
        session.run("SET statement_timeout = '200 ms'");
        assertThatThrownBy(() -> {
                    try (TestSession.Push push = session.push("SELECT * FROM bids EMIT CHANGES")) {
                        push.until(1);
                    }
                })
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
        session.run("RESET statement_timeout");
    }

    @Test
    void closingTheSessionEndsItsQueries() {
        TestSession other = server.session();
        TestSession.Push push = other.push("SELECT * FROM bids EMIT CHANGES");
        other.close();
        assertThatThrownBy(() -> push.until(1)).isInstanceOf(StreamException.class);
        assertThat(other.fails("SELECT 1").code()).isEqualTo(ErrorCode.CONNECTION_FAILURE);
    }

    @Test
    void aWaitTimesOutAndCanBeRepeated() {
        session.run("CREATE MATERIALIZED VIEW n AS SELECT COUNT(*) AS c FROM bids");
        session.all("INSERT INTO bids VALUES (1, 1)", "WAIT FOR n TIMEOUT INTERVAL '30' SECOND");
        assertThat(session.rows("SELECT c FROM n")).containsExactly("1");
        assertThat(session.fails("WAIT FOR nn").hint().orElse("")).contains("n");
    }

    @Test
    void informationSchemaAnswersQueries() {
        assertThat(session.rows("SELECT column_name, data_type, is_nullable, jdbc_type FROM information_schema.columns"
                        + " WHERE table_name = 'bids' ORDER BY ordinal_position"))
                .containsExactly("auction|BIGINT|NO|-5", "price|BIGINT|YES|-5");
        assertThat(session.rows("SELECT table_name, kind FROM information_schema.tables"
                        + " WHERE table_schema = 'public' ORDER BY table_name"))
                .containsExactly("bids|STREAM", "items|TABLE");
        assertThat(session.rows("SELECT k.column_name FROM information_schema.key_column_usage k"
                        + " JOIN information_schema.tables t ON k.table_name = t.table_name"))
                .containsExactly("id");
        assertThat(session.rows("SELECT COUNT(*) FROM sys.nodes WHERE is_primary"))
                .containsExactly("1");
        assertThat(session.rows("SELECT value FROM sys.settings WHERE name = 'executor.workers'"))
                .containsExactly("2");
        assertThat(session.fails("CREATE MATERIALIZED VIEW x AS SELECT * FROM sys.jobs")
                        .code())
                .isNotEqualTo(ErrorCode.INTERNAL_ERROR);
    }

    @Test
    void streamsCountTheirRows() {
        session.run("INSERT INTO bids VALUES (1, 1), (2, 2)");
        assertThat(session.rows("SELECT row_count, kind FROM sys.streams WHERE stream_name = 'bids'"))
                .containsExactly("2|stored");
    }

    @Test
    void settingsAreShownSetAndReset() {
        assertThat(session.rows("SHOW timezone")).containsExactly("UTC");
        session.run("SET timezone = 'Asia/Tokyo'");
        assertThat(session.rows("SHOW timezone")).containsExactly("Asia/Tokyo");
        session.run("RESET timezone");
        assertThat(session.rows("SHOW timezone")).containsExactly("UTC");
        assertThat(session.rows("SHOW ALL")).anyMatch(line -> line.startsWith("fsync|"));
        assertThat(session.fails("SET timezon = 'UTC'").hint()).contains("Did you mean \"timezone\"?");
    }

    @Test
    void describeListsColumns() {
        assertThat(session.rows("DESCRIBE items"))
                .containsExactly("id|BIGINT|NO|PRIMARY KEY|NULL", "name|VARCHAR|YES|NULL|NULL");
        assertThat(session.rows("SHOW TABLES LIKE 'it%'")).containsExactly("public|items|id");
        assertThat(session.rows("SHOW CONNECTORS")).anyMatch(line -> line.startsWith("nexmark|true|"));
    }

    @Test
    void explainPrintsAPlanAndAnalyzeRunsIt() {
        session.run("INSERT INTO bids VALUES (1, 1), (2, 2)");
        assertThat(session.rows("EXPLAIN SELECT * FROM bids WHERE price > 1")).isNotEmpty();
        assertThat(session.rows("EXPLAIN ANALYZE SELECT * FROM bids WHERE price > 1"))
                .last()
                .asString()
                .startsWith("Execution: 1 rows in ");
    }

    @Test
    void mistakesComeWithPositionAndHint() {
        StreamException column = session.fails("SELECT auctoin FROM bids");
        assertThat(column.code()).isEqualTo(ErrorCode.UNDEFINED_COLUMN);
        assertThat(column.position()).isEqualTo(7);
        assertThat(column.hint().orElse("")).contains("auction");
        StreamException syntax = session.fails("SELEC 1");
        assertThat(syntax.code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
        assertThat(session.fails("").code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
        assertThat(session.fails("SELECT 1 / 0").code()).isEqualTo(ErrorCode.DIVISION_BY_ZERO);
        assertThat(session.fails("SELECT 1 FROM bids; SELECT 2").code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
    }

    @Test
    void ingestedRowsAreMatchedByName() {
        var memory = io.tailwater.api.batch.MemoryAccount.unlimited("test");
        var schema = io.tailwater.common.type.Schema.of(
                new io.tailwater.common.type.Column("PRICE", io.tailwater.common.type.DataType.BIGINT),
                new io.tailwater.common.type.Column("auction", io.tailwater.common.type.DataType.BIGINT));
        ColumnBatch rows =
                io.tailwater.testing.ZSet.batch(schema, memory, List.of(List.of(5L, 1L), List.of(6L, 2L)), null);
        assertThat(session.raw().ingest("bids", rows, schema)).isEqualTo(2);
        assertThat(session.sorted("SELECT * FROM bids")).containsExactly("1|5", "2|6");
        ColumnBatch bad = io.tailwater.testing.ZSet.batch(schema, memory, List.of(List.of(5L, 1L)), null);
        assertThatThrownBy(() -> session.raw().ingest("items", bad, schema))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNDEFINED_COLUMN));
    }
}

package io.tailwater.connector.jdbc;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.Delivery;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.testing.Postgres;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Against a real PostgreSQL. */
final class JdbcSinkTest {
    private static final Schema AB = Schema.of(new Column("a", DataType.BIGINT), new Column("b", DataType.VARCHAR));
    private static final Schema EVERY = Schema.of(
            new Column("t", DataType.BOOLEAN),
            new Column("ti", DataType.TINYINT),
            new Column("si", DataType.SMALLINT),
            new Column("i", DataType.INTEGER),
            new Column("bi", DataType.BIGINT),
            new Column("de", DataType.decimal(38, 3)),
            new Column("re", DataType.REAL),
            new Column("dou", DataType.DOUBLE),
            new Column("te xt", DataType.VARCHAR),
            new Column("vb", DataType.VARBINARY),
            new Column("da", DataType.DATE),
            new Column("ti2", DataType.TIME),
            new Column("ts", DataType.TIMESTAMP),
            new Column("lt", DataType.TIMESTAMP_LTZ),
            new Column("dt", new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, true)),
            new Column("ym", new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, true)));
    private static final JdbcConnector CONNECTOR = new JdbcConnector();

    private static Postgres postgres;

    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    @BeforeAll
    static void start() {
        postgres = Postgres.start();
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @AfterEach
    void nothingLeaks() {
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void everyTypeArrivesAsItIs() {
        sql("""
                CREATE TABLE every (t boolean, ti smallint, si smallint, i integer, bi bigint, de numeric(38, 3), re real, dou double precision,
                  "te xt" text, vb bytea, da date, ti2 time, ts timestamp, lt timestamptz, dt interval, ym interval)
                """);
        CatalogObject.Stream stream = resolve("every", EVERY);
        List<List<@Nullable Object>> rows = List.of(
                row(
                        true,
                        -128L,
                        -32768L,
                        -2147483648L,
                        Long.MIN_VALUE,
                        new BigDecimal("-12345678901234567890123456789012345.678"),
                        1.1f,
                        Double.NaN,
                        "tab\t line\n return\r back\\slash \\N é 𝄞 '",
                        new byte[] {0, -1, 92},
                        -719_529L,
                        86_399_999_999L,
                        -62_135_596_800_000_001L,
                        978_307_200_123_456L,
                        -1_500_000L,
                        -14L),
                row(
                        false,
                        127L,
                        32767L,
                        2147483647L,
                        Long.MAX_VALUE,
                        new BigDecimal("0.001"),
                        Float.NEGATIVE_INFINITY,
                        -0.1,
                        "",
                        new byte[0],
                        2_932_896L,
                        0L,
                        253_402_300_799_999_999L,
                        -1L,
                        90_061_000_001L,
                        25L),
                Arrays.asList(new Object[16]));
        write(stream, 1, -1, 1, rows, null);
        assertThat(rows("SET TimeZone = 'UTC'; SELECT * FROM every ORDER BY bi"))
                .containsExactly(
                        "t|-128|-32768|-2147483648|-9223372036854775808|-12345678901234567890123456789012345.678|1.1|NaN|"
                                + "tab\t line\n return\r back\\slash \\N é 𝄞 '|\\x00ff5c|0002-12-31 BC|23:59:59.999999|"
                                + "0001-12-31 23:59:59.999999 BC|2001-01-01 00:00:00.123456+00|-00:00:01.5|-1 years -2 mons",
                        "f|127|32767|2147483647|9223372036854775807|0.001|-Infinity|-0.1||\\x|9999-12-31|00:00:00|"
                                + "9999-12-31 23:59:59.999999|1969-12-31 23:59:59.999999+00|25:01:01.000001|2 years 1 mon",
                        "null|null|null|null|null|null|null|null|null|null|null|null|null|null|null|null");
    }

    @Test
    void columnsAreImpliedByTheTarget() {
        sql("""
                CREATE TABLE implied (id bigint PRIMARY KEY, b boolean, s smallint, i integer NOT NULL, n numeric(10, 2), r real, d double precision, v varchar(7),
                  t text, j jsonb, u uuid, y bytea, da date, ti time(3), ts timestamp(3), tz timestamptz, twice bigint GENERATED ALWAYS AS (id * 2) STORED,
                  serial bigint GENERATED BY DEFAULT AS IDENTITY)
                """);
        assertThat(resolve("implied", new Schema(List.of())).schema().columns().stream()
                        .map(c -> c.name() + " " + c.type())
                        .toList())
                .containsExactly(
                        "id BIGINT NOT NULL",
                        "b BOOLEAN",
                        "s SMALLINT",
                        "i INTEGER NOT NULL",
                        "n DECIMAL(10, 2)",
                        "r REAL",
                        "d DOUBLE",
                        "v VARCHAR(7)",
                        "t VARCHAR",
                        "j VARCHAR",
                        "u VARCHAR",
                        "y VARBINARY",
                        "da DATE",
                        "ti TIME(3)",
                        "ts TIMESTAMP(3)",
                        "tz TIMESTAMP(6) WITH LOCAL TIME ZONE");
        sql("CREATE TABLE vague (n numeric)");
        assertThatThrownBy(() -> resolve("vague", new Schema(List.of())))
                .hasMessageContaining("has type numeric, for which no type is implied");
    }

    @Test
    void whatDoesNotFitIsRefusedWithItsReason() {
        sql("CREATE TABLE fits (a bigint, b varchar(3), c integer NOT NULL)");
        assertRefused("nowhere", AB, Map.of(), ErrorCode.UNDEFINED_TABLE, "there is no table nowhere");
        assertRefused(
                "fits", AB, Map.of(), ErrorCode.INVALID_TABLE_DEFINITION, "\"c\" of \"public\".\"fits\" is NOT NULL");
        assertRefused(
                "fits",
                Schema.of(new Column("c", DataType.BIGINT)),
                Map.of(),
                ErrorCode.DATATYPE_MISMATCH,
                "\"c\" of \"public\".\"fits\" has type integer, which cannot hold every BIGINT");
        assertRefused(
                "fits",
                Schema.of(new Column("C", DataType.INTEGER)),
                Map.of(),
                ErrorCode.UNDEFINED_COLUMN,
                "has no column \"C\"");
        sql("CREATE TABLE plain (a bigint, b text)");
        assertRefused("plain", AB, Map.of("mode", "upsert"), ErrorCode.INVALID_TABLE_DEFINITION, "has no primary key");
        assertRefused(
                "plain", AB, Map.of("key", "a"), ErrorCode.INVALID_TABLE_DEFINITION, "has no unique constraint on (a)");
        sql("CREATE UNIQUE INDEX plain_a ON plain (a)");
        assertRefused("plain", AB, Map.of("key", "a"), ErrorCode.INVALID_TABLE_DEFINITION, "may be NULL");
        sql("CREATE VIEW seen AS SELECT * FROM plain");
        assertRefused("seen", AB, Map.of(), ErrorCode.WRONG_OBJECT_TYPE, "is not a table");
        sql("CREATE TABLE narrow (a numeric(5, 2), b text)");
        assertRefused("narrow", AB, Map.of(), ErrorCode.DATATYPE_MISMATCH, "has type numeric(5,2)");
        sql(
                "CREATE ROLE guest LOGIN PASSWORD 'guest'; GRANT USAGE ON SCHEMA public TO guest; GRANT INSERT ON plain TO guest");
        Map<String, String> guest = Map.of("user", "guest", "password", "guest");
        assertRefused(
                "plain",
                AB,
                guest,
                ErrorCode.INVALID_AUTHORIZATION,
                "may not make or write \"public\".tailwater_committed");
        Map<String, String> modest = new HashMap<>(guest);
        modest.put("delivery", "at_least_once");
        CatalogObject.Stream once = CONNECTOR.resolve(stream("plain", AB, modest), Path.of("/"));
        assertThat(CONNECTOR.delivery(once).guarantee()).isEqualTo(Delivery.Guarantee.AT_LEAST_ONCE);
    }

    @Test
    void theWayToTheDatabaseIsCheckedAndThePasswordIsNotShown() {
        sql("CREATE TABLE way (a bigint, b text)");
        assertRefused(
                "way",
                AB,
                Map.of("password", "wr0ng"),
                ErrorCode.INVALID_AUTHORIZATION,
                "password authentication failed");
        assertRefused(
                "way", AB, Map.of("url", "jdbc:mysql://x:1/y"), ErrorCode.INVALID_PARAMETER_VALUE, "option \"url\"");
        assertRefused(
                "way",
                AB,
                Map.of("url", postgres.url() + "?password=s3cret"),
                ErrorCode.INVALID_PARAMETER_VALUE,
                "holds a password");
        assertRefused(
                "way",
                AB,
                Map.of("url", "jdbc:postgresql://127.0.0.1:1/postgres"),
                ErrorCode.CONNECTION_FAILURE,
                "postgresql://127.0.0.1:1/postgres");
        assertThat(CONNECTOR.options())
                .filteredOn(o -> o.secret())
                .extracting(o -> o.key())
                .containsExactly("password");
    }

    @Test
    void rowsArePutAndDeletedByKey() {
        sql("CREATE TABLE keyed (b text, a bigint PRIMARY KEY, more text DEFAULT 'stays')");
        CatalogObject.Stream stream = resolve("keyed", AB);
        assertThat(stream.options()).containsEntry("mode", "upsert").containsEntry("key", "a");
        assertThat(CONNECTOR.acceptsUpdates(stream)).isTrue();
        assertThat(CONNECTOR.upsertKey(stream)).containsExactly(0);
        assertThat(CONNECTOR.delivery(stream).because()).isEqualTo("puts and deletes rows by key (a)");
        write(stream, 1, -1, 1, List.of(row(1L, "x"), row(2L, "y"), row(3L, "z")), null);
        sql("UPDATE keyed SET more = 'mine' WHERE a = 1");
        // An update comes as its two halves in any order, a key may go, and an append-only query may put one twice.
        List<List<@Nullable Object>> change =
                List.of(row(1L, "x2"), row(1L, "x"), row(2L, "y"), row(4L, "first"), row(4L, "last"));
        for (int again = 0; again < 3; again++) {
            write(stream, 1, 1, 2, change, new long[] {1, -1, -1, 1, 1});
            assertThat(rows("SELECT a, b, more FROM keyed ORDER BY a"))
                    .containsExactly("1|x2|mine", "3|z|stays", "4|last|stays");
        }
        sql("CREATE TABLE all_key (a bigint, b text, PRIMARY KEY (b, a))");
        CatalogObject.Stream whole = resolve("all_key", AB);
        write(whole, 2, -1, 1, List.of(row(1L, "x"), row(1L, "y")), null);
        write(whole, 2, 1, 2, List.of(row(1L, "x"), row(1L, "y")), new long[] {-1, 1});
        assertThat(rows("SELECT a, b FROM all_key")).containsExactly("1|y");
        sql("CREATE TABLE no_null (a bigint PRIMARY KEY, b text)");
        CatalogObject.Stream noNull = resolve("no_null", AB);
        assertThatThrownBy(() -> write(noNull, 3, -1, 1, List.of(row(null, "x")), null))
                .hasMessageContaining("null value in column \"a\"");
    }

    @Test
    void aViewOfAnyHistoryIsFollowedThoughTicksRunAgain() {
        sql("CREATE TABLE followed (a bigint PRIMARY KEY, b text)");
        CatalogObject.Stream stream = resolve("followed", AB);
        Random random = new Random(5);
        Map<Long, String> model = new TreeMap<>();
        for (int tick = 1; tick <= 40; tick++) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            List<Long> weights = new ArrayList<>();
            for (long key = 0; key < 20; key++) {
                if (random.nextInt(3) == 0) {
                    String old = model.remove(key);
                    if (old != null) {
                        rows.add(row(key, old));
                        weights.add(-1L);
                    }
                    if (random.nextBoolean()) {
                        model.put(key, "tick " + tick);
                        int at = random.nextInt(rows.size() + 1);
                        rows.add(at, row(key, "tick " + tick));
                        weights.add(at, 1L);
                    }
                }
            }
            for (int times = 1 + random.nextInt(2); times > 0; times--) {
                write(
                        stream,
                        4,
                        tick - 1,
                        tick,
                        rows,
                        weights.stream().mapToLong(w -> w).toArray());
            }
            assertThat(rows("SELECT a, b FROM followed ORDER BY a"))
                    .isEqualTo(model.entrySet().stream()
                            .map(e -> e.getKey() + "|" + e.getValue())
                            .toList());
        }
    }

    @Test
    void aTickThatRunsAgainIsNotAppendedAgain() {
        sql("CREATE TABLE added (a bigint, b text)");
        CatalogObject.Stream stream = resolve("added", AB);
        assertThat(stream.options()).containsEntry("mode", "append");
        assertThat(CONNECTOR.acceptsUpdates(stream)).isFalse();
        assertThat(CONNECTOR.delivery(stream).way()).isEqualTo(Delivery.Way.COMMITTED_TICK);
        write(stream, 5, -1, 7, List.of(row(1L, "x"), row(2L, "y")), new long[] {1, 2});
        write(stream, 5, -1, 7, List.of(row(1L, "x"), row(2L, "y")), new long[] {1, 2});
        write(stream, 5, 7, 9, List.of(row(3L, "z")), null);
        // Another job of the same name, and another worker, are not taken for it.
        write(stream, 6, -1, 9, List.of(row(4L, "other job")), null);
        try (SinkWriter second = writer(stream, 5, 1, 1, 7)) {
            tick(second, 9, List.of(row(5L, "other worker")), null);
        }
        assertThat(rows("SELECT a, b FROM added ORDER BY a"))
                .containsExactly("1|x", "2|y", "2|y", "3|z", "4|other job", "5|other worker");
        assertThat(
                        rows(
                                "SELECT application, job, name, worker, tick FROM tailwater_committed WHERE job IN (5, 6) ORDER BY job, worker"))
                .containsExactly("app|5|load|0|9", "app|5|load|1|9", "app|6|load|0|9");
    }

    @Test
    void whatCannotBeExactAnyMoreIsRefused() {
        sql("CREATE TABLE guarded (a bigint, b text)");
        CatalogObject.Stream stream = resolve("guarded", AB);
        write(stream, 8, 4, 5, List.of(row(1L, "x")), null);
        assertThatThrownBy(() -> write(stream, 8, 2, 3, List.of(row(1L, "x")), null))
                .hasMessageContaining("says that job load has written tick 5, and this is tick 3");
        try (SinkWriter other =
                CONNECTOR.write(stream, new Connector.WriteContext("here", "app", "load", 8, 0, 2, 4, memory))) {
            assertThatThrownBy(() -> tick(other, 5, List.of(row(1L, "x")), null))
                    .hasMessageContaining("a tick after 4 was written to \"public\".\"guarded\" by 1 workers");
        }
        // Once that tick is committed, it does not matter any more who wrote it.
        try (SinkWriter other =
                CONNECTOR.write(stream, new Connector.WriteContext("here", "app", "load", 8, 0, 2, 5, memory))) {
            tick(other, 6, List.of(row(2L, "y")), null);
        }
        assertThat(rows("SELECT a, b FROM guarded ORDER BY a")).containsExactly("1|x", "2|y");
        sql("CREATE TABLE unique_b (a bigint, b text UNIQUE)");
        CatalogObject.Stream violated = resolve("unique_b", AB);
        assertThatThrownBy(() -> write(violated, 9, -1, 1, List.of(row(1L, "x"), row(2L, "x")), null))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNIQUE_VIOLATION));
        assertThat(rows("SELECT a FROM unique_b")).isEmpty();
    }

    @Test
    void theWriterWaitsWhilePostgresIsAwayAndGoesOn() {
        sql("CREATE TABLE patient (a bigint, b text)");
        CatalogObject.Stream stream = resolve("patient", AB);
        try (SinkWriter writer = writer(stream, 10, 0, 1, -1)) {
            tick(writer, 1, List.of(row(1L, "before")), null);
            postgres.stop("immediate");
            CompletableFuture<Void> waiting =
                    CompletableFuture.runAsync(() -> tick(writer, 2, List.of(row(2L, "during")), null));
            awaitWaiting(writer, waiting);
            postgres.restart();
            waiting.join();
            assertThat(writer.waitsFor()).isNull();
            // The connection was lost between two ticks, and comes back within the next.
            postgres.stop("fast");
            postgres.restart();
            tick(writer, 3, List.of(row(3L, "after")), null);
        }
        assertThat(rows("SELECT a, b FROM patient ORDER BY a")).containsExactly("1|before", "2|during", "3|after");
    }

    @Test
    void aWriterThatWaitsCanBeCancelled() throws SQLException {
        sql("CREATE TABLE stopped (a bigint, b text)");
        CatalogObject.Stream stream = resolve("stopped", AB);
        try (SinkWriter writer = writer(stream, 11, 0, 1, -1)) {
            postgres.stop("fast");
            CompletableFuture<Void> waiting =
                    CompletableFuture.runAsync(() -> tick(writer, 1, List.of(row(1L, "x")), null));
            awaitWaiting(writer, waiting);
            writer.cancel();
            assertCancelled(waiting);
        } finally {
            postgres.restart();
        }
        // A lock of somebody else's is waited for inside of PostgreSQL.
        try (Connection other = connect();
                Statement statement = other.createStatement();
                SinkWriter writer = writer(stream, 11, 0, 1, -1)) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE stopped IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Void> waiting =
                    CompletableFuture.runAsync(() -> tick(writer, 1, List.of(row(1L, "x")), null));
            while (rows("SELECT 1 FROM pg_locks WHERE NOT granted").isEmpty()) {
                assertThat(waiting).isNotDone();
                LockSupport.parkNanos(1_000_000);
            }
            writer.cancel();
            assertCancelled(waiting);
            other.rollback();
        }
        assertThat(rows("SELECT a FROM stopped")).isEmpty();
    }

    private static void assertCancelled(CompletableFuture<Void> waiting) {
        assertThatThrownBy(waiting::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUERY_CANCELED));
    }

    private static void awaitWaiting(SinkWriter writer, CompletableFuture<Void> waiting) {
        while (writer.waitsFor() == null) {
            assertThat(waiting).isNotDone();
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(writer.waitsFor()).startsWith("waits for PostgreSQL: ").doesNotContain(Postgres.PASSWORD);
    }

    private void assertRefused(String table, Schema schema, Map<String, String> more, ErrorCode code, String message) {
        assertThatThrownBy(() -> CONNECTOR.resolve(stream(table, schema, more), Path.of("/")))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
                .hasMessageContaining(message)
                .satisfies(e -> assertThat(e + String.valueOf(((StreamException) e).hint()))
                        .doesNotContain("wr0ng", "s3cret", Postgres.PASSWORD));
    }

    private CatalogObject.Stream resolve(String table, Schema schema) {
        return CONNECTOR.resolve(stream(table, schema, Map.of()), Path.of("/"));
    }

    private static CatalogObject.Stream stream(String table, Schema schema, Map<String, String> more) {
        TreeMap<String, String> options = new TreeMap<>(Map.of(
                "connector",
                "jdbc",
                "url",
                postgres.url(),
                "user",
                Postgres.USER,
                "password",
                Postgres.PASSWORD,
                "table",
                table));
        options.putAll(more);
        return new CatalogObject.Stream(ObjectName.inPublic("s"), schema, null, List.of(), 1, options);
    }

    private SinkWriter writer(CatalogObject.Stream stream, long job, int worker, int workers, long resumeAt) {
        return CONNECTOR.write(
                stream, new Connector.WriteContext("here", "app", "load", job, worker, workers, resumeAt, memory));
    }

    /** One life of a writer. */
    private void write(
            CatalogObject.Stream stream,
            long job,
            long resumeAt,
            long tick,
            List<List<@Nullable Object>> rows,
            long @Nullable [] weights) {
        try (SinkWriter writer = writer(stream, job, 0, 1, resumeAt)) {
            tick(writer, tick, rows, weights);
        }
    }

    private void tick(SinkWriter writer, long tick, List<List<@Nullable Object>> rows, long @Nullable [] weights) {
        Schema schema = rows.isEmpty() || rows.get(0).size() == AB.size() ? AB : EVERY;
        if (!rows.isEmpty()) {
            try (ColumnBatch batch = ZSet.batch(schema, memory, rows, weights)) {
                writer.write(batch);
            }
        }
        assertThat(writer.endTick(tick)).isEqualTo(tick);
        writer.committed(tick);
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(postgres.url(), Postgres.USER, Postgres.PASSWORD);
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
                Statement statement = connection.createStatement()) {
            List<String> out = new ArrayList<>();
            boolean rows = statement.execute(query);
            if (!rows) {
                rows = statement.getMoreResults();
            }
            assertThat(rows).isTrue();
            try (ResultSet result = statement.getResultSet()) {
                while (result.next()) {
                    List<String> values = new ArrayList<>();
                    for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                        values.add(String.valueOf(result.getString(column)));
                    }
                    out.add(String.join("|", values));
                }
            }
            return out;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}

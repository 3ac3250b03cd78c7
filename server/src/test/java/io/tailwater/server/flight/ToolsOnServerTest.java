package io.tailwater.server.flight;

import io.tailwater.common.settings.Settings;
import io.tailwater.jdbc.TailwaterStatement;
import io.tailwater.server.StandaloneServer;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What BI tools, pools and ORMs do with a driver, done to a whole server. */
@Timeout(120)
class ToolsOnServerTest {
    @TempDir
    static @Nullable Path directory;

    private static @Nullable StandaloneServer server;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Connection connection;

    ToolsOnServerTest() throws SQLException {
        connection = connect();
    }

    @BeforeAll
    static void startServer() throws SQLException {
        server = StandaloneServer.start(Settings.of(Map.of(
                "data.dir", String.valueOf(directory),
                "sql.port", "0",
                "http.port", "0",
                "internal.port", "0",
                "executor.workers", "2",
                "executor.memory", "512 MB")));
        try (Connection setUp = connect();
                Statement statement = setUp.createStatement()) {
            statement.execute(
                    "CREATE TABLE probe_t (id INT NOT NULL PRIMARY KEY, c_name VARCHAR(20), c_dec DECIMAL(12,2),"
                            + " c_ts TIMESTAMP, c_date DATE, c_bool BOOLEAN, c_dbl DOUBLE PRECISION, c_big BIGINT)");
            statement.execute("CREATE STREAM probexu (id INT)");
        }
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    private static int port() {
        if (server == null) {
            throw new AssertionError("the server is not running");
        }
        return server.port();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:tailwater://127.0.0.1:" + port() + "/public", "", "");
    }

    @BeforeEach
    void fillTable() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM probe_t");
            assertThat(statement.executeUpdate("INSERT INTO probe_t VALUES"
                            + " (1,'a',10.50,'2024-07-01 12:34:56','2024-07-01',TRUE,1.5,9007199254740993),"
                            + " (2,NULL,NULL,NULL,NULL,NULL,NULL,NULL)"))
                    .isEqualTo(2);
            assertThat(statement.executeUpdate("INSERT INTO probe_t (id, c_name) VALUES (3,'n3'), (4,'n4'), (5,'n5')"))
                    .isEqualTo(3);
        }
    }

    @AfterEach
    void disconnect() throws SQLException {
        connection.close();
        threads.shutdownNow();
    }

    // ---- statements

    @Test
    void transactionsAreNotPretended() throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO probe_t (id, c_name) VALUES (900, 'x')");
            connection.rollback();
            connection.setAutoCommit(true);
            assertThat(numbers("SELECT COUNT(*) FROM probe_t WHERE id = 900")).containsExactly(1L);
        }
        assertThat(connection.getMetaData().supportsTransactions()).isFalse();
    }

    @Test
    void updatesCountTheirRows() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute("UPDATE probe_t SET c_dbl = 2.5 WHERE id IN (3, 4)"))
                    .isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(2);
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
            assertThat(statement.executeUpdate("DELETE FROM probe_t WHERE id > 3"))
                    .isEqualTo(2);
        }
    }

    @Test
    void aDuplicateKeyIs23505() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertState("23505", () -> statement.executeUpdate("INSERT INTO probe_t (id) VALUES (1)"));
        }
    }

    @Test
    void wrongSqlIs42() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertState("42601", () -> statement.executeQuery("SELEKT 1"));
            assertState("42P01", () -> statement.executeQuery("SELECT * FROM no_such_table"));
            assertState("42703", () -> statement.executeQuery("SELECT no_such_column FROM probe_t"));
        }
        assertThat(connection.isValid(5)).isTrue();
    }

    @Test
    void commentsSemicolonsAndEscapesAreTaken() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(numbers("/* tool: probe */ SELECT id FROM probe_t WHERE id = 1 -- x\n"))
                    .containsExactly(1L);
            assertThat(numbers("SELECT id FROM probe_t WHERE id = 1;")).containsExactly(1L);
            ResultSet rows =
                    statement.executeQuery("SELECT {fn UCASE(c_name)} FROM probe_t WHERE c_ts = {ts '2024-07-01"
                            + " 12:34:56'} AND c_date = {d '2024-07-01'} AND c_name LIKE 'a%' {escape '!'}");
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("A");
        }
    }

    @Test
    void schemaProbesAnswerAtOnce() throws SQLException {
        for (String sql : List.of(
                "SELECT * FROM probe_t WHERE 1=0",
                "SELECT * FROM probe_t LIMIT 0",
                "SELECT * FROM probexu WHERE 1=0")) {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet rows = statement.executeQuery()) {
                assertThat(rows.getMetaData().getColumnCount())
                        .isEqualTo(statement.getMetaData().getColumnCount())
                        .isPositive();
                assertThat(rows.next()).isFalse();
            }
        }
    }

    @Test
    void everyTypeComesBackAsItWent() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM probe_t WHERE id = 1")) {
            assertThat(row.next()).isTrue();
            ResultSetMetaData metadata = row.getMetaData();
            for (int i = 1; i <= metadata.getColumnCount(); i++) {
                assertThat(row.getObject(i).getClass().getName()).isEqualTo(metadata.getColumnClassName(i));
            }
            assertThat(row.getBigDecimal("c_dec")).isEqualTo(new BigDecimal("10.50"));
            assertThat(row.getTimestamp("c_ts")).isEqualTo(Timestamp.valueOf("2024-07-01 12:34:56"));
            assertThat(row.getObject("c_ts", LocalDateTime.class)).isEqualTo(LocalDateTime.of(2024, 7, 1, 12, 34, 56));
            assertThat(row.getDate("c_date")).isEqualTo(Date.valueOf("2024-07-01"));
            assertThat(row.getBoolean("c_bool")).isTrue();
            assertThat(row.getLong("c_big")).isEqualTo(9007199254740993L);
            assertThat(metadata.getPrecision(2)).isEqualTo(20);
            assertThat(metadata.getPrecision(3)).isEqualTo(12);
            assertThat(metadata.getScale(3)).isEqualTo(2);
            assertThat(metadata.isNullable(1)).isEqualTo(ResultSetMetaData.columnNoNulls);
        }
    }

    @Test
    void labelsAreAliases() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT c_dec AS my_alias, COUNT(*) AS n FROM probe_t GROUP BY c_dec")) {
            assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("my_alias");
            assertThat(rows.getMetaData().getColumnLabel(2)).isEqualTo("n");
        }
    }

    @Test
    void eightThreadsShareAConnection() throws Exception {
        List<Future<Integer>> counts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            counts.add(threads.submit(() -> {
                int rows = 0;
                for (int j = 0; j < 5; j++) {
                    rows += numbers("SELECT id FROM probe_t").size();
                }
                return rows;
            }));
        }
        for (Future<Integer> count : counts) {
            assertThat(count.get()).isEqualTo(25);
        }
    }

    // ---- prepared statements

    @Test
    void preparedStatementsAreBoundAgainAndAgain() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT c_name FROM probe_t WHERE id = ?")) {
            assertThat(statement.getMetaData().getColumnCount()).isEqualTo(1);
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(1);
            for (Object id : new Object[] {3, "4", 5L, new BigDecimal("3")}) {
                statement.setObject(1, id);
                try (ResultSet rows = statement.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo("n" + id);
                }
            }
        }
    }

    @Test
    void everySetterReachesItsColumn() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE probe_t SET c_name=?, c_dec=?, c_ts=?, c_date=?, c_bool=?, c_dbl=?, c_big=? WHERE id=5")) {
            statement.setString(1, "é€");
            statement.setBigDecimal(2, new BigDecimal("7.25"));
            statement.setTimestamp(3, Timestamp.valueOf("2024-01-15 08:00:00.123456"));
            statement.setDate(4, Date.valueOf("2024-01-15"));
            statement.setBoolean(5, true);
            statement.setDouble(6, 2.5);
            statement.setNull(7, Types.BIGINT);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM probe_t WHERE id = 5")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(2)).isEqualTo("é€");
            assertThat(row.getBigDecimal(3)).isEqualTo(new BigDecimal("7.25"));
            assertThat(row.getTimestamp(4)).isEqualTo(Timestamp.valueOf("2024-01-15 08:00:00.123456"));
            assertThat(row.getDate(5)).isEqualTo(Date.valueOf("2024-01-15"));
            assertThat(row.getBoolean(6)).isTrue();
            assertThat(row.getDouble(7)).isEqualTo(2.5);
            assertThat(row.getObject(8)).isNull();
        }
        try (PreparedStatement statement = connection.prepareStatement("SELECT id FROM probe_t WHERE c_ts = ?")) {
            statement.setObject(1, LocalDateTime.of(2024, 7, 1, 12, 34, 56));
            assertThat(statement.executeQuery().next()).isTrue();
        }
    }

    @Test
    void aBatchIntoATableStopsAtTheFirstFailure() throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO probe_t (id, c_name) VALUES (?, ?)")) {
            for (int id : new int[] {11, 12, 1, 13}) {
                statement.setInt(1, id);
                statement.setString(2, "b");
                statement.addBatch();
            }
            BatchUpdateException failure = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
            assertThat(failure.getUpdateCounts()).containsExactly(1, 1);
            assertThat(failure.getSQLState()).isEqualTo("23505");
        }
        assertThat(numbers("SELECT id FROM probe_t WHERE c_name = 'b' ORDER BY id"))
                .containsExactly(11L, 12L);
    }

    @Test
    void aBatchIntoAStreamIsAppendedWhole() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE STREAM batched (id BIGINT NOT NULL, \"Name\" VARCHAR, d DECIMAL(10, 2))");
        }
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO batched (d, id, \"Name\") VALUES (?, ?, ?)")) {
            for (int id = 0; id < 3000; id++) {
                statement.setBigDecimal(1, new BigDecimal(id).movePointLeft(1));
                statement.setInt(2, id);
                statement.setString(3, id == 7 ? null : "a name of some length, " + id);
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).hasSize(3000).containsOnly(1);
        }
        assertThat(
                        numbers(
                                "SELECT COUNT(*) FROM batched WHERE \"Name\" = 'a name of some length, ' || CAST(id AS VARCHAR)"))
                .containsExactly(2999L);
        assertThat(numbers("SELECT SUM(id) FROM batched")).containsExactly(2999L * 3000 / 2);
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO batched VALUES (?, ?, ?)")) {
            for (int i = 0; i < 2; i++) {
                statement.setNull(1, Types.BIGINT);
                statement.setString(2, "x");
                statement.setDouble(3, 1.5);
                statement.addBatch();
            }
            BatchUpdateException failure = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
            assertThat(failure.getSQLState()).isEqualTo("23502");
            assertThat(failure.getUpdateCounts()).isEmpty();
        }
        assertThat(numbers("SELECT COUNT(*) FROM batched")).containsExactly(3000L);
    }

    // ---- jobs and push queries

    @Test
    void anInsertSelectStartsOneJobAndNamesIt() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE STREAM copied_from (id INT)");
            statement.execute("CREATE STREAM copied_to (id INT)");
            statement.executeUpdate("INSERT INTO copied_from VALUES (1), (2), (3)");
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO copied_to SELECT id FROM copied_from")) {
                assertThat(insert.getMetaData()).isNull();
                assertThat(insert.execute()).isFalse();
                assertThat(insert.getUpdateCount()).isZero();
                assertThat(insert.unwrap(TailwaterStatement.class).jobName()).isPresent();
                assertThat(insert.getWarnings().getSQLState()).startsWith("01");
            }
            statement.execute("WAIT FOR copied_to");
            assertThat(numbers("SELECT id FROM copied_to ORDER BY id")).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void aPushQueryFollowsAStreamUntilCancelled() throws Exception {
        try (Statement statement = connection.createStatement();
                Statement push = connection.createStatement()) {
            statement.execute("CREATE STREAM followed (id INT)");
            ResultSet rows = push.executeQuery("SELECT id FROM followed EMIT CHANGES");
            assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("id");
            BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
            Future<?> reader = threads.submit((Callable<Object>) () -> {
                while (rows.next()) {
                    seen.add(rows.getInt(1));
                }
                return seen;
            });
            for (int id = 0; id < 10; id++) {
                statement.executeUpdate("INSERT INTO followed VALUES (" + id + ")");
                assertThat(seen.take()).isEqualTo(id);
            }
            push.cancel();
            assertThatThrownBy(reader::get)
                    .cause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("57014"));
            assertThat(numbers("SELECT COUNT(*) FROM followed")).containsExactly(10L);
        }
    }

    @Test
    void anUpdatingPushQueryLeadsWithItsOperation() throws SQLException {
        try (Statement statement = connection.createStatement();
                Statement push = connection.createStatement()) {
            statement.execute("CREATE STREAM counted (id INT)");
            statement.executeUpdate("INSERT INTO counted VALUES (1)");
            push.setMaxRows(3);
            ResultSet rows = push.executeQuery("SELECT COUNT(*) AS n FROM counted EMIT CHANGES");
            assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("op");
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString("op") + rows.getLong("n")).isEqualTo("+I1");
            statement.executeUpdate("INSERT INTO counted VALUES (2)");
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString("op") + rows.getLong("n")).isEqualTo("-U1");
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString("op") + rows.getLong("n")).isEqualTo("+U2");
            assertThat(rows.next()).isFalse();
        }
    }

    // ---- metadata

    @Test
    void tablesColumnsAndKeysAreDescribed() throws SQLException {
        DatabaseMetaData metadata = connection.getMetaData();
        assertThat(rows(metadata.getTables(null, null, "probe\\_t", new String[] {"TABLE"})))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("TABLE_TYPE", "TABLE")
                        .containsEntry("TABLE_CAT", connection.getCatalog())
                        .containsEntry("TABLE_SCHEM", connection.getSchema()));
        assertThat(rows(metadata.getTables(null, null, "probe%", null)))
                .extracting(row -> row.get("TABLE_NAME"))
                .containsExactly("probe_t", "probexu");
        assertThat(rows(metadata.getTables(null, "information_schema", "tables", new String[] {"SYSTEM TABLE"})))
                .hasSize(1);
        List<Map<String, Object>> columns = rows(metadata.getColumns(null, null, "probe\\_t", "%"));
        assertThat(columns)
                .extracting(row -> row.get("COLUMN_NAME"))
                .containsExactly("id", "c_name", "c_dec", "c_ts", "c_date", "c_bool", "c_dbl", "c_big");
        assertThat(columns).extracting(row -> row.get("DATA_TYPE")).containsExactly(4, 12, 3, 93, 91, 16, 8, -5);
        assertThat(columns.get(1)).containsEntry("COLUMN_SIZE", 20).containsEntry("IS_NULLABLE", "YES");
        assertThat(columns.get(2)).containsEntry("COLUMN_SIZE", 12).containsEntry("DECIMAL_DIGITS", 2);
        assertThat(columns.get(0)).containsEntry("IS_NULLABLE", "NO");
        assertThat(rows(metadata.getPrimaryKeys(null, null, "probe_t")))
                .singleElement()
                .satisfies(row ->
                        assertThat(row).containsEntry("COLUMN_NAME", "id").containsEntry("KEY_SEQ", 1));
        assertThat(rows(metadata.getSchemas()))
                .extracting(row -> row.get("TABLE_SCHEM"))
                .contains("public", "information_schema", "sys");
    }

    @Test
    void aTableOfAnotherSessionIsSeenAtOnce() throws SQLException {
        try (Connection other = connect();
                Statement statement = other.createStatement()) {
            statement.execute("CREATE TABLE just_made (id INT PRIMARY KEY)");
            assertThat(rows(connection.getMetaData().getTables(null, null, "just\\_made", null)))
                    .hasSize(1);
            statement.execute("DROP TABLE just_made");
            assertThat(rows(connection.getMetaData().getTables(null, null, "just\\_made", null)))
                    .isEmpty();
        }
    }

    @Test
    void quotedNamesAreFound() throws SQLException {
        String quote = connection.getMetaData().getIdentifierQuoteString();
        assertThat(numbers("SELECT " + quote + "id" + quote + " FROM " + quote + "probe_t" + quote + " WHERE id = 1"))
                .containsExactly(1L);
    }

    // ---- the standard client

    @Test
    void theStandardClientQueriesAndIngests() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE STREAM ingested (id BIGINT, name VARCHAR)");
        }
        Schema schema = new Schema(List.of(
                Field.nullable("id", new ArrowType.Int(64, true)), Field.nullable("name", ArrowType.Utf8.INSTANCE)));
        TableDefinitionOptions append = TableDefinitionOptions.newBuilder()
                .setIfExists(TableExistsOption.TABLE_EXISTS_OPTION_APPEND)
                .build();
        BufferAllocator allocator = new RootAllocator();
        FlightSqlClient client =
                new FlightSqlClient(FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", port()))
                        .build());
        try (VectorSchemaRoot rows = VectorSchemaRoot.create(schema, allocator)) {
            for (int row = 0; row < 10_000; row++) {
                ((BigIntVector) rows.getVector(0)).setSafe(row, row);
                ((VarCharVector) rows.getVector(1)).setSafe(row, ("row " + row).getBytes(StandardCharsets.UTF_8));
            }
            rows.setRowCount(10_000);
            assertThat(client.executeIngest(
                            rows, new FlightSqlClient.ExecuteIngestOptions("ingested", append, null, null, Map.of())))
                    .isEqualTo(10_000);
            FlightInfo info = client.execute("SELECT SUM(id) FROM ingested");
            FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket());
            long sum = 0;
            while (stream.next()) {
                if (stream.getRoot().getRowCount() > 0) {
                    sum += ((BigIntVector) stream.getRoot().getVector(0)).get(0);
                }
            }
            stream.close();
            assertThat(sum).isEqualTo(9_999L * 10_000 / 2);
        } finally {
            client.close();
            allocator.close();
        }
    }

    private interface Call {
        Object run() throws SQLException;
    }

    private static void assertState(String state, Call call) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(call::run)
                .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo(state));
    }

    private List<Long> numbers(String sql) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }

    private static List<Map<String, Object>> rows(ResultSet result) throws SQLException {
        List<Map<String, Object>> rows = new ArrayList<>();
        ResultSetMetaData columns = result.getMetaData();
        while (result.next()) {
            Map<String, Object> row = new LinkedHashMap<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                row.put(columns.getColumnLabel(i), result.getObject(i));
            }
            rows.add(row);
        }
        result.close();
        return rows;
    }
}

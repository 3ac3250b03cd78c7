package io.tailwater.server.flight;

import io.tailwater.jdbc.TailwaterResultSet;
import io.tailwater.jdbc.TailwaterSQLException;
import io.tailwater.jdbc.TailwaterStatement;
import org.junit.jupiter.api.Test;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class JdbcStatementTest extends EndpointFixture {
    JdbcStatementTest() throws SQLException {}

    // ---- bounded statements

    @Test
    void selectOneGivesOneRow() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT 1")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(1);
            assertThat(rows.next()).isFalse();
            assertThat(rows.next()).isFalse();
        }
    }

    @Test
    void rowsOfManyBatchesComeInOrder() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT n FROM series 100000")) {
            long expected = 0;
            while (rows.next()) {
                assertThat(rows.getLong(1)).isEqualTo(expected++);
                assertThat(rows.getRow()).isEqualTo((int) expected);
            }
            assertThat(expected).isEqualTo(100_000);
            assertThat(rows.isAfterLast()).isTrue();
        }
    }

    @Test
    void columnsOfAnEmptyResultAreKnown() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM all_types WHERE 1=0")) {
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(FakeSql.ALL_TYPES.size());
            assertThat(rows.next()).isFalse();
        }
    }

    @Test
    void queryLoopEnds() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute("SELECT 1")).isTrue();
            assertThat(statement.getResultSet()).isNotNull();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
        }
    }

    @Test
    void updateLoopEnds() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute("CREATE TABLE t (a INT)")).isFalse();
            assertThat(statement.getResultSet()).isNull();
            assertThat(statement.getUpdateCount()).isZero();
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
        }
    }

    @Test
    void executeQueryOfAnUpdateAndExecuteUpdateOfAQueryFail() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("CREATE TABLE t (a INT)"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> statement.executeUpdate("SELECT 1")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void runningAStatementAgainClosesItsFormerResult() throws Exception {
        try (Statement statement = connection.createStatement()) {
            ResultSet first = statement.executeQuery("SELECT n FROM quiet EMIT CHANGES");
            ResultSet second = statement.executeQuery("SELECT 1");
            assertThat(first.isClosed()).isTrue();
            assertThat(second.next()).isTrue();
            sql.openStreams.await(0);
        }
    }

    @Test
    void maxRowsIsExactAndEndsTheQuery() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(3000);
            ResultSet rows = statement.executeQuery("SELECT n FROM series 1000000000");
            int count = 0;
            while (rows.next()) {
                count++;
            }
            assertThat(count).isEqualTo(3000);
            sql.openStreams.await(0);
        }
    }

    @Test
    void anInsertSelectRunsOnceAndNamesItsJob() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute("INSERT INTO s SELECT * FROM t")).isFalse();
            assertThat(statement.getUpdateCount()).isZero();
            assertThat(statement.unwrap(TailwaterStatement.class).jobName()).contains("job_7");
            assertThat(statement.getWarnings().getSQLState()).startsWith("01");
            assertThat(statement.getWarnings().getMessage()).contains("job_7");
            assertThat(statement.getWarnings().getNextWarning().getMessage()).isEqualTo("first notice");
            assertThat(statement.getWarnings().getNextWarning().getNextWarning().getMessage())
                    .isEqualTo("second notice");
            assertThat(sql.executions).hasValue(1);
        }
    }

    @Test
    void closeOnCompletionClosesAfterTheLastRow() throws SQLException {
        Statement statement = connection.createStatement();
        statement.closeOnCompletion();
        ResultSet rows = statement.executeQuery("SELECT 1");
        while (rows.next()) {
            assertThat(statement.isClosed()).isFalse();
        }
        assertThat(statement.isClosed()).isTrue();
    }

    @Test
    void aClosedStatementSaysSo() throws SQLException {
        Statement statement = connection.createStatement();
        statement.close();
        statement.close();
        assertThatThrownBy(() -> statement.executeQuery("SELECT 1")).isInstanceOf(SQLException.class);
    }

    @Test
    void scrollingIsDowngradedWithAWarning() throws SQLException {
        try (Statement statement =
                connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
            assertThat(statement.getWarnings().getSQLState()).isEqualTo("01S02");
            assertThat(statement.getResultSetType()).isEqualTo(ResultSet.TYPE_FORWARD_ONLY);
        }
    }

    @Test
    void generatedKeysAreEmpty() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (a INT)", Statement.RETURN_GENERATED_KEYS);
            assertThat(statement.getGeneratedKeys().next()).isFalse();
        }
    }

    @Test
    void aBatchOfStatementsCountsEach() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("CREATE TABLE a");
            statement.addBatch("CREATE TABLE b");
            assertThat(statement.executeBatch()).containsExactly(0, 0);
            statement.addBatch("CREATE TABLE a");
            statement.addBatch("SELEKT");
            BatchUpdateException failure = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
            assertThat(failure.getUpdateCounts()).containsExactly(0);
            assertThat(failure.getSQLState()).isEqualTo("42601");
        }
    }

    // ---- failures

    @Test
    void aSyntaxErrorTellsWhereAndWhatToDo() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            TailwaterSQLException failure = catchThrowableOfType(
                    TailwaterSQLException.class, () -> statement.executeQuery("SELECT a,\n  größe FROM t"));
            assertThat(failure.getSQLState()).isEqualTo("42703");
            assertThat(failure.primaryMessage()).isEqualTo("column \"größe\" does not exist");
            assertThat(failure.position()).isEqualTo(12);
            assertThat(failure.hint()).contains("Did you mean \"grösse\"?");
            assertThat((Throwable) failure)
                    .hasMessageContaining("Position: line 2, column 3")
                    .hasMessageContaining("Hint: Did you mean \"grösse\"?");
        }
    }

    @Test
    void preparingFailsLikeExecuting() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> connection.prepareStatement("SELEKT 1"))
                .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("42601"));
    }

    @Test
    void aFailureAmongTheRowsComesAfterThem() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT broken FROM inside")) {
            assertThat(rows.next()).isTrue();
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(rows::next)
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("22012"));
            assertThat(rows.next()).isFalse();
        }
        assertThat(connection.isValid(5)).isTrue();
    }

    @Test
    void anUnknownSchemaIsNamed() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> connect("nowhere"))
                .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("3F000"));
    }

    @Test
    void aRefusedConnectionIs08() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection("jdbc:tailwater://127.0.0.1:1/x"))
                .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("08001"))
                .withMessageContaining("127.0.0.1:1");
    }

    @Test
    void anyHostOfSeveralWillDo() throws SQLException {
        try (Connection other =
                DriverManager.getConnection("jdbc:tailwater://127.0.0.1:1,127.0.0.1:" + endpoint.port() + "/public")) {
            assertThat(other.isValid(5)).isTrue();
        }
    }

    @Test
    void aStoppedServerIs08AndTheConnectionInvalid() throws SQLException {
        assertThat(connection.isValid(5)).isTrue();
        endpoint.close();
        try (Statement statement = connection.createStatement()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> statement.executeQuery("SELECT 1"))
                    .satisfies(failure -> assertThat(failure.getSQLState()).startsWith("08"));
        }
        assertThat(connection.isValid(5)).isFalse();
    }

    @Test
    void aClosedConnectionIs08() throws SQLException {
        Connection other = connect("");
        other.close();
        other.close();
        assertThat(other.isClosed()).isTrue();
        assertThat(other.isValid(1)).isFalse();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(other::createStatement)
                .satisfies(failure -> assertThat(failure.getSQLState()).startsWith("08"));
    }

    // ---- push queries

    @Test
    void aPushQueryDeliversEachRowAsItComes() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(1000);
            ResultSet rows = statement.executeQuery("SELECT n FROM pushed EMIT CHANGES");
            assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("n");
            for (long n = 0; n < 20; n++) {
                sql.pushed.add(n);
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isEqualTo(n);
            }
            assertThat(rows.unwrap(TailwaterResultSet.class).tick()).isPositive();
            assertThat(rows.unwrap(TailwaterResultSet.class).watermark()).isPresent();
        }
    }

    @Test
    void maxRowsEndsAPushQuery() throws Exception {
        sql.pushed.addAll(List.of(1L, 2L, 3L));
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(2);
            ResultSet rows = statement.executeQuery("SELECT n FROM pushed EMIT CHANGES");
            assertThat(rows.next()).isTrue();
            assertThat(rows.next()).isTrue();
            assertThat(rows.next()).isFalse();
            sql.openStreams.await(0);
        }
    }

    @Test
    void cancelEndsAQuietQuery() throws Exception {
        try (Statement statement = connection.createStatement()) {
            ResultSet rows = statement.executeQuery("SELECT n FROM quiet EMIT CHANGES");
            Future<?> next = threads.submit((Callable<Boolean>) rows::next);
            sql.waiting.await(1);
            statement.cancel();
            assertThatThrownBy(next::get).cause().satisfies(JdbcStatementTest::isCancelled);
            sql.openStreams.await(0);
            assertThat(statement.executeQuery("SELECT 1").next()).isTrue();
        }
    }

    @Test
    void cancelEndsAStatementThatHasNotAnsweredYet() throws Exception {
        try (Statement statement = connection.createStatement()) {
            Future<?> execution = threads.submit(() -> statement.execute("SLEEP"));
            sql.waiting.await(1);
            statement.cancel();
            assertThatThrownBy(execution::get).cause().satisfies(JdbcStatementTest::isCancelled);
            sql.waiting.await(0);
        }
    }

    @Test
    void cancelOfAnIdleStatementIsHarmless() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.cancel();
            assertThat(statement.executeQuery("SELECT 1").next()).isTrue();
        }
    }

    @Test
    void closingAResultFreesItsReader() throws Exception {
        try (Statement statement = connection.createStatement()) {
            ResultSet rows = statement.executeQuery("SELECT n FROM quiet EMIT CHANGES");
            Future<?> next = threads.submit((Callable<Boolean>) rows::next);
            sql.waiting.await(1);
            rows.close();
            assertThatThrownBy(next::get).cause().isInstanceOf(SQLException.class);
            sql.openStreams.await(0);
        }
    }

    @Test
    void abortFreesTheReaderAndTheServer() throws Exception {
        Connection other = connect("");
        ResultSet rows = other.createStatement().executeQuery("SELECT n FROM quiet EMIT CHANGES");
        Future<?> next = threads.submit((Callable<Boolean>) rows::next);
        sql.waiting.await(1);
        other.abort(Runnable::run);
        assertThatThrownBy(next::get).cause().isInstanceOf(SQLException.class);
        sql.openStreams.await(0);
        sql.openSessions.await(1);
        assertThat(other.isClosed()).isTrue();
    }

    @Test
    void theQueryTimeoutBoundsExecution() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatExceptionOfType(SQLTimeoutException.class)
                    .isThrownBy(() -> statement.execute("SLEEP"))
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("HYT00"));
        }
        assertThat(connection.isValid(5)).isTrue();
    }

    @Test
    void theQueryTimeoutBoundsTheWaitForARow() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            ResultSet rows = statement.executeQuery("SELECT n FROM quiet EMIT CHANGES");
            assertThatExceptionOfType(SQLTimeoutException.class).isThrownBy(rows::next);
            sql.openStreams.await(0);
        }
    }

    @Test
    void aSlowReaderHoldsUpItsOwnQueryOnly() throws Exception {
        try (Statement slow = connection.createStatement();
                Statement quick = connection.createStatement()) {
            ResultSet rows = slow.executeQuery("SELECT pad FROM series 1000000000");
            assertThat(rows.next()).isTrue();
            for (int i = 0; i < 50; i++) {
                assertThat(quick.executeQuery("SELECT 1").next()).isTrue();
            }
            // Windows and buffers on both sides hold some megabytes, of rows of about 40 bytes.
            sql.waiting.await(0);
            assertThat(sql.rowsPulled.get()).isLessThan(1_000_000);
            for (int i = 0; i < 200_000; i++) {
                assertThat(rows.next()).isTrue();
            }
            assertThat(rows.getString(1)).isEqualTo("a string longer than twelve bytes 200000");
        }
        sql.openStreams.await(0);
    }

    // ---- several at once

    @Test
    void resultsOfOneConnectionInterleave() throws SQLException {
        try (Statement first = connection.createStatement();
                Statement second = connection.createStatement();
                ResultSet a = first.executeQuery("SELECT n FROM series 5000");
                ResultSet b = second.executeQuery("SELECT n FROM series 5000")) {
            for (int i = 0; i < 5000; i++) {
                assertThat(a.next()).isTrue();
                assertThat(b.next()).isTrue();
                assertThat(a.getInt(1)).isEqualTo(i).isEqualTo(b.getInt(1));
            }
        }
    }

    @Test
    void eightThreadsShareAConnection() throws Exception {
        List<Future<Integer>> results = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            results.add(threads.submit(() -> {
                int rows = 0;
                for (int i = 0; i < 10; i++) {
                    try (Statement statement = connection.createStatement();
                            ResultSet result = statement.executeQuery("SELECT n FROM series 100")) {
                        while (result.next()) {
                            rows++;
                        }
                    }
                }
                return rows;
            }));
        }
        for (Future<Integer> result : results) {
            assertThat(result.get()).isEqualTo(1000);
        }
    }

    // ---- prepared statements

    @Test
    void preparingExecutesNothing() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT n FROM quiet EMIT CHANGES")) {
            assertThat(statement.getMetaData().getColumnCount()).isEqualTo(1);
            assertThat(statement.getParameterMetaData().getParameterCount()).isZero();
            assertThat(sql.executions).hasValue(0);
        }
    }

    @Test
    void parametersAreDescribedAndBound() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT ? AS x, ? AS y")) {
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(2);
            assertThat(statement.getParameterMetaData().getParameterType(1)).isEqualTo(Types.DECIMAL);
            assertThat(statement.getParameterMetaData().getPrecision(1)).isEqualTo(10);
            for (Object given : new Object[] {"3.5", 3.5, 3.5f, new java.math.BigDecimal("3.50")}) {
                statement.setObject(1, given);
                statement.setString(2, "o'größe €𝄞");
                ResultSet rows = statement.executeQuery();
                assertThat(rows.next()).isTrue();
                assertThat(rows.getBigDecimal(1)).isEqualByComparingTo("3.5");
                assertThat(rows.getString(2)).isEqualTo("o'größe €𝄞");
            }
        }
    }

    @Test
    void aLongStringSurvivesThereAndBack() throws SQLException {
        String longText = "größe €𝄞".repeat(150_000);
        try (PreparedStatement statement = connection.prepareStatement("SELECT ? AS x, ? AS y")) {
            statement.setNull(1, Types.DECIMAL);
            statement.setString(2, longText);
            ResultSet rows = statement.executeQuery();
            assertThat(rows.next()).isTrue();
            assertThat(rows.getBigDecimal(1)).isNull();
            assertThat(rows.wasNull()).isTrue();
            assertThat(rows.getString(2)).isEqualTo(longText);
        }
    }

    @Test
    void aParameterThatDoesNotFitIsRefused() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FakeSql.INSERT)) {
            statement.setObject(2, null);
            statement.setLong(1, 1L << 40);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeUpdate)
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("22003"));
            statement.setString(1, "twelve");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeUpdate)
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("22P02"));
        }
    }

    @Test
    void timestampsAreBoundAsWallClocks() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FakeSql.INSERT)) {
            statement.setInt(1, 1);
            statement.setTimestamp(2, java.sql.Timestamp.valueOf("2024-07-01 12:34:56.789012"));
            assertThat(statement.executeUpdate()).isEqualTo(1);
            statement.setObject(2, java.time.LocalDateTime.parse("2024-07-01T12:34:56.789012"));
            assertThat(statement.executeUpdate()).isEqualTo(1);
            statement.setString(2, "2024-07-01 12:34:56.789012");
            assertThat(statement.executeUpdate()).isEqualTo(1);
            assertThat(sql.inserted)
                    .allSatisfy(row -> assertThat(row).isEqualTo(List.of(1L, FakeSql.MICROS)))
                    .hasSize(3);
        }
    }

    @Test
    void aMissingParameterIsNamed() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FakeSql.INSERT)) {
            statement.setInt(1, 1);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeUpdate)
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("07001"));
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> statement.setInt(3, 1))
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("07009"));
        }
    }

    @Test
    void aBatchOfParametersIsOneRoundTrip() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FakeSql.INSERT)) {
            for (int i = 0; i < 3; i++) {
                statement.setInt(1, i);
                statement.setNull(2, Types.TIMESTAMP);
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
            assertThat(sql.inserted)
                    .containsExactly(Arrays.asList(0L, null), Arrays.asList(1L, null), Arrays.asList(2L, null));
            assertThat(statement.executeBatch()).isEmpty();
        }
    }

    @Test
    void aFailedBatchTellsHowFarItGot() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FakeSql.INSERT)) {
            for (int i : new int[] {11, 12, 13, 14}) {
                statement.setInt(1, i);
                statement.setNull(2, Types.TIMESTAMP);
                statement.addBatch();
            }
            BatchUpdateException failure = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
            assertThat(failure.getUpdateCounts()).containsExactly(1, 1);
            assertThat(failure.getSQLState()).isEqualTo("23505");
        }
    }

    // ---- the session

    @Test
    void theUrlSetsSchemaZoneAndSettings() throws SQLException {
        try (Connection other = connect("other?user=me&zone=Europe/Paris&set.limit=7")) {
            assertThat(sql.opened).last().isEqualTo("me/other/Europe/Paris");
            assertThat(sql.settings).containsEntry("limit", "7");
            assertThat(other.getSchema()).isEqualTo("other");
            other.setSchema("public");
            assertThat(sql.settings).containsEntry("schema", "public");
            assertThat(other.getSchema()).isEqualTo("public");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> other.setSchema("nowhere"))
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("3F000"));
        }
    }

    @Test
    void transactionsAreAcceptedAndDoNothing() throws SQLException {
        connection.setAutoCommit(false);
        assertThat(connection.getAutoCommit()).isFalse();
        connection.rollback();
        connection.commit();
        connection.setAutoCommit(true);
        connection.setReadOnly(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
        connection.setNetworkTimeout(threads, 5000);
        assertThat(connection.getMetaData().supportsTransactions()).isFalse();
        assertThat(connection.isValid(5)).isTrue();
    }

    @Test
    void aLeakedResultEndsWithItsConnection() throws Exception {
        Connection other = connect("");
        assertThat(other.createStatement()
                        .executeQuery("SELECT n FROM quiet EMIT CHANGES")
                        .isClosed())
                .isFalse();
        assertThat(endpoint.openResults()).isEqualTo(1);
        other.close();
        sql.openStreams.await(0);
        sql.openSessions.await(1);
    }

    private static void isCancelled(Throwable failure) {
        assertThat(failure).isInstanceOf(SQLException.class);
        assertThat(((SQLException) failure).getSQLState()).isEqualTo("57014");
    }
}

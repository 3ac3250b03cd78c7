package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.ArrowSchema;
import io.tailwater.jdbc.arrow.IpcMessage;
import io.tailwater.jdbc.wire.CallFailure;
import io.tailwater.jdbc.wire.FlightCall;
import org.jspecify.annotations.Nullable;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Executes SQL, one statement at a time. Used by one thread; {@link #cancel} and {@link #close} may come from any. */
public class TailwaterStatement implements Statement {
    /** The server knows better why it gave up, so it gets a moment to say so. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final String CANCELLED = "canceling statement due to user request";

    final TailwaterConnection connection;
    private final List<String> batch = new ArrayList<>();
    private long maxRows;
    private int queryTimeoutSeconds;
    private int fetchSize;
    private int maxFieldSize;
    private boolean escapeProcessing = true;
    private boolean poolable;
    private boolean closeOnCompletion;
    private @Nullable SQLWarning warnings;
    private @Nullable TailwaterResultSet result;
    private long updateCount = -1;
    /** One count per row of parameters. */
    private long[] batchCounts = {};

    private @Nullable String jobName;
    private volatile @Nullable FlightCall running;
    private volatile boolean closed;

    TailwaterStatement(TailwaterConnection connection) {
        this.connection = connection;
    }

    /** Name of the job that the last statement started; empty if it started none. */
    public Optional<String> jobName() {
        return Optional.ofNullable(jobName);
    }

    // ---- executing

    /** Runs the statement and notes what it gave. Returns whether that is rows. */
    final boolean run(ExecuteRequest request, String sql) throws SQLException {
        forget();
        long timeout = timeoutNanos();
        request.timeoutMillis(TimeUnit.NANOSECONDS.toMillis(timeout));
        FlightCall call = connection.channel().get(request.ticket());
        running = call;
        if (closed) {
            call.cancel("57014", "the statement was closed");
        }
        boolean rows = false;
        try {
            byte[] first = timeout == 0 ? call.take() : call.take(timeout + GRACE_NANOS);
            if (first == null) {
                throw new CallFailure("08P01", "the server's answer is empty");
            }
            ArrowSchema schema = IpcMessage.parse(first).schema();
            if (schema.remarks().containsKey("tailwater.done")) {
                done(schema.remarks());
                drain(call);
            } else {
                rows = true;
                StreamedRows source = new StreamedRows(connection, call, schema.columns());
                result = new TailwaterResultSet(
                        this,
                        schema.columns(),
                        source,
                        connection.zone(),
                        maxRows,
                        timeout == 0 ? 0 : timeout + GRACE_NANOS);
                warn(schema.remarks());
            }
            return rows;
        } catch (CallFailure e) {
            throw failed(e, sql);
        } finally {
            if (!rows) {
                running = null;
            }
        }
    }

    private SQLException failed(CallFailure failure, String sql) {
        SQLException exception = connection.failed(failure, sql);
        String counts = failure.batchCounts();
        if (counts == null) {
            return exception;
        }
        int[] done = counts.isEmpty()
                ? new int[0]
                : Arrays.stream(counts.split(",")).mapToInt(Integer::parseInt).toArray();
        return new BatchUpdateException(
                exception.getMessage(), exception.getSQLState(), exception.getErrorCode(), done, exception);
    }

    private static void drain(FlightCall call) throws CallFailure {
        while (call.take() != null) {
            // The answer to a statement without rows is its schema; nothing is expected here but the end.
        }
    }

    private void done(Map<String, String> remarks) throws SQLException {
        updateCount = Long.parseLong(remarks.getOrDefault("tailwater.update_count", "0"));
        String counts = remarks.getOrDefault("tailwater.update_counts", "");
        batchCounts = counts.isEmpty()
                ? new long[] {updateCount}
                : Arrays.stream(counts.split(",")).mapToLong(Long::parseLong).toArray();
        jobName = remarks.get("tailwater.job");
        if (jobName != null) {
            addWarning(new SQLWarning("started job " + jobName, "01000"));
        }
        warn(remarks);
        if (closeOnCompletion) {
            close();
        }
    }

    private void warn(Map<String, String> remarks) {
        Map<Integer, String> notices = new TreeMap<>();
        for (Map.Entry<String, String> remark : remarks.entrySet()) {
            if (remark.getKey().startsWith("tailwater.notice.")) {
                notices.put(
                        Integer.valueOf(remark.getKey().substring("tailwater.notice.".length())), remark.getValue());
            }
        }
        for (String notice : notices.values()) {
            addWarning(new SQLWarning(notice, "01000"));
        }
    }

    final void addWarning(SQLWarning warning) {
        if (warnings == null) {
            warnings = warning;
        } else {
            warnings.setNextWarning(warning);
        }
    }

    private void forget() throws SQLException {
        checkOpen();
        closeResult();
        updateCount = -1;
        jobName = null;
        warnings = null;
    }

    private void closeResult() throws SQLException {
        TailwaterResultSet open = result;
        result = null;
        if (open != null) {
            open.close();
        }
    }

    final void resultEnded(TailwaterResultSet ended) throws SQLException {
        if (ended == result) {
            running = null;
            if (closeOnCompletion) {
                close();
            }
        }
    }

    final void resultClosed(TailwaterResultSet ended) throws SQLException {
        if (ended == result) {
            running = null;
            if (closeOnCompletion && !closed) {
                close();
            }
        }
    }

    final void checkOpen() throws SQLException {
        if (closed) {
            throw SqlErrors.closed("statement");
        }
        connection.checkOpen();
    }

    final String text(String sql) throws SQLException {
        return escapeProcessing ? JdbcEscapes.translate(sql) : sql;
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        checkOpen();
        String text = text(sql);
        return run(ExecuteRequest.sql(text), text);
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        execute(sql);
        return rows();
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        execute(sql);
        return count();
    }

    final ResultSet rows() throws SQLException {
        TailwaterResultSet open = result;
        if (open == null) {
            throw new SQLException("the statement returned no rows; use execute or executeUpdate", "07005");
        }
        return open;
    }

    final long[] batchCounts() {
        return batchCounts.clone();
    }

    final long count() throws SQLException {
        if (result != null) {
            closeResult();
            throw new SQLException("the statement returns rows; use execute or executeQuery", "0100E");
        }
        return updateCount;
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        return narrow(executeLargeUpdate(sql));
    }

    static int narrow(long count) {
        return (int) Math.min(count, Integer.MAX_VALUE);
    }

    @Override
    public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
        return execute(sql);
    }

    @Override
    public boolean execute(String sql, int[] columnIndexes) throws SQLException {
        return execute(sql);
    }

    @Override
    public boolean execute(String sql, String[] columnNames) throws SQLException {
        return execute(sql);
    }

    @Override
    public int executeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return executeUpdate(sql);
    }

    @Override
    public int executeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return executeUpdate(sql);
    }

    @Override
    public int executeUpdate(String sql, String[] columnNames) throws SQLException {
        return executeUpdate(sql);
    }

    @Override
    public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return executeLargeUpdate(sql);
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return executeLargeUpdate(sql);
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
        return executeLargeUpdate(sql);
    }

    // ---- batches

    @Override
    public void addBatch(String sql) throws SQLException {
        checkOpen();
        batch.add(sql);
    }

    @Override
    public void clearBatch() throws SQLException {
        checkOpen();
        batch.clear();
    }

    @Override
    public int[] executeBatch() throws SQLException {
        return Arrays.stream(executeLargeBatch())
                .mapToInt(TailwaterStatement::narrow)
                .toArray();
    }

    /** Runs the statements in order, up to the first that fails. */
    @Override
    public long[] executeLargeBatch() throws SQLException {
        checkOpen();
        List<String> statements = List.copyOf(batch);
        batch.clear();
        long[] counts = new long[statements.size()];
        for (int i = 0; i < counts.length; i++) {
            try {
                counts[i] = executeLargeUpdate(statements.get(i));
            } catch (SQLException e) {
                throw new BatchUpdateException(
                        e.getMessage(), e.getSQLState(), e.getErrorCode(), Arrays.copyOf(counts, i), e);
            }
        }
        return counts;
    }

    // ---- what came out

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        checkOpen();
        return result;
    }

    @Override
    public int getUpdateCount() throws SQLException {
        return narrow(getLargeUpdateCount());
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        checkOpen();
        return updateCount;
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        return getMoreResults(CLOSE_CURRENT_RESULT);
    }

    /** False: a statement gives one result. */
    @Override
    public boolean getMoreResults(int current) throws SQLException {
        checkOpen();
        if (current == KEEP_CURRENT_RESULT) {
            result = null;
        } else {
            closeResult();
        }
        updateCount = -1;
        return false;
    }

    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        checkOpen();
        return MetadataRows.empty(
                List.of(io.tailwater.jdbc.arrow.ResultColumn.of("GENERATED_KEY", io.tailwater.jdbc.arrow.Kind.BIGINT)));
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        checkOpen();
        return warnings;
    }

    @Override
    public void clearWarnings() throws SQLException {
        checkOpen();
        warnings = null;
    }

    // ---- ending

    /** Ends the running statement, and the rows being read, with 57014. Harmless when idle. */
    @Override
    public void cancel() throws SQLException {
        checkOpen();
        FlightCall call = running;
        if (call != null) {
            call.cancel("57014", CANCELLED);
        }
    }

    @Override
    public void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        FlightCall call = running;
        if (call != null) {
            call.cancel("57014", "the statement was closed");
        }
        connection.statementClosed(this);
        closeResult();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void closeOnCompletion() throws SQLException {
        checkOpen();
        closeOnCompletion = true;
    }

    @Override
    public boolean isCloseOnCompletion() throws SQLException {
        checkOpen();
        return closeOnCompletion;
    }

    // ---- modes

    private long timeoutNanos() {
        return TimeUnit.SECONDS.toNanos(queryTimeoutSeconds);
    }

    @Override
    public int getMaxRows() throws SQLException {
        return narrow(getLargeMaxRows());
    }

    @Override
    public void setMaxRows(int max) throws SQLException {
        setLargeMaxRows(max);
    }

    @Override
    public long getLargeMaxRows() throws SQLException {
        checkOpen();
        return maxRows;
    }

    @Override
    public void setLargeMaxRows(long max) throws SQLException {
        checkOpen();
        maxRows = nonNegative(max, "maximum of rows");
    }

    @Override
    public int getQueryTimeout() throws SQLException {
        checkOpen();
        return queryTimeoutSeconds;
    }

    /**
     * {@inheritDoc}
     *
     * <p>It bounds how long execute waits for the statement's effect or first answer, and then how long each {@code ResultSet.next} waits for a row.
     */
    @Override
    public void setQueryTimeout(int seconds) throws SQLException {
        checkOpen();
        queryTimeoutSeconds = (int) nonNegative(seconds, "query time-out");
    }

    @Override
    public int getFetchSize() throws SQLException {
        checkOpen();
        return fetchSize;
    }

    /** A hint without effect: rows come as the server has them, and no more are on the way than fit a window. */
    @Override
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        fetchSize = (int) nonNegative(rows, "fetch size");
    }

    private static long nonNegative(long value, String what) throws SQLException {
        if (value < 0) {
            throw SqlErrors.invalidArgument(what + " " + value + " is negative");
        }
        return value;
    }

    @Override
    public int getFetchDirection() throws SQLException {
        checkOpen();
        return ResultSet.FETCH_FORWARD;
    }

    /** A hint without effect. */
    @Override
    public void setFetchDirection(int direction) throws SQLException {
        checkOpen();
        if (direction < ResultSet.FETCH_FORWARD || direction > ResultSet.FETCH_UNKNOWN) {
            throw SqlErrors.invalidArgument("fetch direction " + direction);
        }
    }

    @Override
    public int getMaxFieldSize() throws SQLException {
        checkOpen();
        return maxFieldSize;
    }

    /** Noted, without effect: values are never cut. */
    @Override
    public void setMaxFieldSize(int max) throws SQLException {
        checkOpen();
        maxFieldSize = (int) nonNegative(max, "maximum field size");
    }

    @Override
    public void setEscapeProcessing(boolean enable) throws SQLException {
        checkOpen();
        escapeProcessing = enable;
    }

    /** Noted, without effect: nothing can be updated through a cursor. */
    @Override
    public void setCursorName(String name) throws SQLException {
        checkOpen();
    }

    @Override
    public int getResultSetType() throws SQLException {
        checkOpen();
        return ResultSet.TYPE_FORWARD_ONLY;
    }

    @Override
    public int getResultSetConcurrency() throws SQLException {
        checkOpen();
        return ResultSet.CONCUR_READ_ONLY;
    }

    @Override
    public int getResultSetHoldability() throws SQLException {
        checkOpen();
        return ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public Connection getConnection() throws SQLException {
        checkOpen();
        return connection;
    }

    @Override
    public void setPoolable(boolean poolable) throws SQLException {
        checkOpen();
        this.poolable = poolable;
    }

    @Override
    public boolean isPoolable() throws SQLException {
        checkOpen();
        return poolable;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return Wrappers.unwrap(this, type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}

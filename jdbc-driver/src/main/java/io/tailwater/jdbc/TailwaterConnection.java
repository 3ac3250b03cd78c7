package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.ArrowSchema;
import io.tailwater.jdbc.arrow.IpcMessage;
import io.tailwater.jdbc.wire.CallFailure;
import io.tailwater.jdbc.wire.FlightChannel;
import io.tailwater.jdbc.wire.ProtoReader;
import io.tailwater.jdbc.wire.ProtoWriter;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.ClientInfoStatus;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A session on one server, over one HTTP/2 connection; the session ends with it. Thread-safe: statements of one connection run at the same time.
 *
 * <p>There are no transactions. {@code setAutoCommit}, {@code commit} and {@code rollback} are accepted and do nothing, and {@code supportsTransactions}
 * says so.
 */
final class TailwaterConnection implements Connection {
    static final String CATALOG = "tailwater";

    private static final long ROUND_TRIP_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ConnectionUrl url;
    private final FlightChannel channel;
    private final ZoneId zone;
    private final String serverVersion;
    private final Set<TailwaterStatement> statements =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private final Properties clientInfo = new Properties();
    private volatile String schema;
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile boolean autoCommit = true;
    private volatile boolean readOnly;
    private volatile int networkTimeoutMillis;
    private volatile @Nullable SQLWarning warnings;

    private TailwaterConnection(
            ConnectionUrl url, FlightChannel channel, ZoneId zone, String schema, String serverVersion) {
        this.url = url;
        this.channel = channel;
        this.zone = zone;
        this.schema = schema;
        this.serverVersion = serverVersion;
    }

    /** Tries the hosts in turn until one takes the session. */
    static TailwaterConnection open(ConnectionUrl url) throws SQLException {
        String zone = url.property("zone", "");
        try {
            if (!zone.isEmpty()) {
                zone = ZoneId.of(zone).getId();
            }
        } catch (DateTimeException e) {
            throw SqlErrors.invalidArgument("property zone = " + zone + " is no time zone");
        }
        long timeout = TimeUnit.SECONDS.toNanos(url.seconds("connectTimeout", 10));
        long deadline = System.nanoTime() + timeout;
        List<String> tried = new ArrayList<>();
        CallFailure last = null;
        for (int i = 0; i < url.hosts().size(); i++) {
            ConnectionUrl.Host host = url.hosts().get(i);
            FlightChannel channel = FlightChannel.to(host.name, host.port);
            try {
                // Those not tried yet get their share of the time.
                long left = (deadline - System.nanoTime()) / (url.hosts().size() - i);
                byte[] answer = channel.action("tailwater.OpenSession", openRequest(url, zone), left);
                return opened(url, channel, answer);
            } catch (CallFailure e) {
                channel.close();
                if (!e.isConnectionLost()
                        && !e.sqlState().equals("HYT00")
                        && !e.sqlState().equals("57P03")) {
                    throw SqlErrors.of(e, null);
                }
                tried.add(host + " (" + (e.sqlState().equals("HYT00") ? "no answer" : e.getMessage()) + ")");
                last = e;
            }
        }
        throw new SQLException("cannot connect to " + String.join(", ", tried), "08001", last);
    }

    private static byte[] openRequest(ConnectionUrl url, String zone) {
        ProtoWriter request = new ProtoWriter()
                .string(1, url.property("user", ""))
                .string(2, url.property("password", ""))
                .string(3, url.schema())
                .string(4, zone);
        for (Map.Entry<String, String> property : url.properties().entrySet()) {
            if (property.getKey().startsWith("set.")) {
                request.message(
                        5,
                        new ProtoWriter()
                                .string(1, property.getKey().substring("set.".length()))
                                .string(2, property.getValue()));
            }
        }
        return request.toBytes();
    }

    private static TailwaterConnection opened(ConnectionUrl url, FlightChannel channel, byte[] answer)
            throws CallFailure {
        String session = "";
        String schema = "";
        String version = "";
        String zone = "UTC";
        ProtoReader reader = new ProtoReader(answer);
        while (reader.next()) {
            switch (reader.field()) {
                case 1:
                    session = reader.string();
                    break;
                case 2:
                    schema = reader.string();
                    break;
                case 3:
                    version = reader.string();
                    break;
                case 4:
                    zone = reader.string();
                    break;
                default:
                    break;
            }
        }
        if (session.isEmpty()) {
            throw new CallFailure("08P01", channel.host() + " is no Tailwater server");
        }
        channel.useSession(session);
        return new TailwaterConnection(url, channel, ZoneId.of(zone), schema, version);
    }

    FlightChannel channel() {
        return channel;
    }

    ZoneId zone() {
        return zone;
    }

    ConnectionUrl url() {
        return url;
    }

    String serverVersion() {
        return serverVersion;
    }

    void statementClosed(TailwaterStatement statement) {
        statements.remove(statement);
    }

    void checkOpen() throws SQLException {
        if (closed) {
            throw SqlErrors.closed("connection");
        }
    }

    /** Makes the exception for a failed call, and remembers if the connection is lost. */
    SQLException failed(CallFailure failure, @Nullable String sql) {
        if (failure.isConnectionLost()) {
            lost = true;
        }
        return SqlErrors.of(failure, sql);
    }

    private long roundTripNanos() {
        int millis = networkTimeoutMillis;
        return millis == 0 ? ROUND_TRIP_NANOS : TimeUnit.MILLISECONDS.toNanos(millis);
    }

    // ---- statements

    @Override
    public Statement createStatement() throws SQLException {
        checkOpen();
        TailwaterStatement statement = new TailwaterStatement(this);
        statements.add(statement);
        return statement;
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        TailwaterStatement statement = (TailwaterStatement) createStatement();
        downgrade(statement, type, concurrency);
        return statement;
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        return createStatement(type, concurrency);
    }

    private static void downgrade(TailwaterStatement statement, int type, int concurrency) throws SQLException {
        if (type < ResultSet.TYPE_FORWARD_ONLY || type > ResultSet.TYPE_SCROLL_SENSITIVE) {
            throw SqlErrors.invalidArgument("result set type " + type);
        }
        if (concurrency != ResultSet.CONCUR_READ_ONLY && concurrency != ResultSet.CONCUR_UPDATABLE) {
            throw SqlErrors.invalidArgument("result set concurrency " + concurrency);
        }
        if (type != ResultSet.TYPE_FORWARD_ONLY || concurrency != ResultSet.CONCUR_READ_ONLY) {
            statement.addWarning(new SQLWarning("result sets are forward-only and read-only", "01S02"));
        }
    }

    /** Validates the statement on the server, which starts nothing there. */
    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        checkOpen();
        String text = JdbcEscapes.translate(sql);
        byte[] request = ProtoWriter.any(
                "arrow.flight.protocol.sql.ActionCreatePreparedStatementRequest",
                new ProtoWriter().string(1, text).toBytes());
        try {
            byte[] answer = channel.action("CreatePreparedStatement", request, roundTripNanos());
            TailwaterPreparedStatement statement = prepared(text, new ProtoReader(unpack(answer)));
            statements.add(statement);
            return statement;
        } catch (CallFailure e) {
            throw failed(e, text);
        }
    }

    private TailwaterPreparedStatement prepared(String sql, ProtoReader reader) throws CallFailure {
        byte[] handle = new byte[0];
        ArrowSchema result = null;
        ArrowSchema parameters = null;
        while (reader.next()) {
            ByteBuffer bytes = reader.bytes();
            if (reader.field() == 1) {
                handle = new byte[bytes.remaining()];
                bytes.get(handle);
            } else if (reader.field() == 2 && bytes.hasRemaining()) {
                result = IpcMessage.encapsulatedSchema(bytes);
            } else if (reader.field() == 3) {
                parameters = IpcMessage.encapsulatedSchema(bytes);
            }
        }
        return new TailwaterPreparedStatement(
                this,
                sql,
                handle,
                result == null ? null : result.columns(),
                parameters == null ? List.of() : parameters.columns());
    }

    private static ByteBuffer unpack(byte[] any) throws CallFailure {
        ProtoReader reader = new ProtoReader(any);
        while (reader.next()) {
            if (reader.field() == 2) {
                return reader.bytes();
            }
        }
        throw new CallFailure("08P01", "the server's answer is empty");
    }

    void closePrepared(byte[] handle) {
        if (!closed && !lost) {
            channel.actionLater(
                    "ClosePreparedStatement",
                    ProtoWriter.any(
                            "arrow.flight.protocol.sql.ActionClosePreparedStatementRequest",
                            new ProtoWriter().bytes(1, handle).toBytes()));
        }
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        PreparedStatement statement = prepareStatement(sql);
        downgrade((TailwaterStatement) statement, type, concurrency);
        return statement;
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        return prepareStatement(sql, type, concurrency);
    }

    /** No keys are generated; the statement will say so by an empty result. */
    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        return prepareStatement(sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        return prepareStatement(sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        return prepareStatement(sql);
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        throw SqlErrors.unsupported("a stored procedure");
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        throw SqlErrors.unsupported("a stored procedure");
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        throw SqlErrors.unsupported("a stored procedure");
    }

    @Override
    public String nativeSQL(String sql) throws SQLException {
        checkOpen();
        return JdbcEscapes.translate(sql);
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        checkOpen();
        return new TailwaterDatabaseMetaData(this);
    }

    // ---- transactions, which there are none of

    @Override
    public boolean getAutoCommit() throws SQLException {
        checkOpen();
        return autoCommit;
    }

    @Override
    public void setAutoCommit(boolean wanted) throws SQLException {
        checkOpen();
        autoCommit = wanted;
    }

    @Override
    public void commit() throws SQLException {
        checkOpen();
    }

    @Override
    public void rollback() throws SQLException {
        checkOpen();
    }

    @Override
    public int getTransactionIsolation() throws SQLException {
        checkOpen();
        return TRANSACTION_NONE;
    }

    /** Any level is accepted: each statement sees one consistent tick. */
    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        checkOpen();
        if (level != TRANSACTION_NONE && (level < 1 || level > TRANSACTION_SERIALIZABLE)) {
            throw SqlErrors.invalidArgument("transaction isolation " + level);
        }
    }

    @Override
    public int getHoldability() throws SQLException {
        checkOpen();
        return ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public void setHoldability(int holdability) throws SQLException {
        checkOpen();
    }

    @Override
    public Savepoint setSavepoint() throws SQLException {
        throw SqlErrors.unsupported("a savepoint");
    }

    @Override
    public Savepoint setSavepoint(String name) throws SQLException {
        throw SqlErrors.unsupported("a savepoint");
    }

    @Override
    public void rollback(Savepoint savepoint) throws SQLException {
        throw SqlErrors.unsupported("a savepoint");
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        throw SqlErrors.unsupported("a savepoint");
    }

    @Override
    public boolean isReadOnly() throws SQLException {
        checkOpen();
        return readOnly;
    }

    /** A hint, noted. */
    @Override
    public void setReadOnly(boolean wanted) throws SQLException {
        checkOpen();
        readOnly = wanted;
    }

    // ---- the session

    @Override
    public String getCatalog() throws SQLException {
        checkOpen();
        return CATALOG;
    }

    /** There is one catalog; other names are ignored, as JDBC asks. */
    @Override
    public void setCatalog(@Nullable String catalog) throws SQLException {
        checkOpen();
    }

    @Override
    public String getSchema() throws SQLException {
        checkOpen();
        return schema;
    }

    @Override
    public void setSchema(String wanted) throws SQLException {
        checkOpen();
        // SetSessionOptionsRequest: a map from names to values that are strings.
        byte[] request = new ProtoWriter()
                .message(1, new ProtoWriter().string(1, "schema").message(2, new ProtoWriter().string(1, wanted)))
                .toBytes();
        try {
            ProtoReader answer = new ProtoReader(channel.action("SetSessionOptions", request, roundTripNanos()));
            if (answer.next()) {
                throw new SQLException("schema \"" + wanted + "\" does not exist", "3F000");
            }
        } catch (CallFailure e) {
            throw failed(e, null);
        }
        schema = wanted;
    }

    /** Asks the server. */
    @Override
    public boolean isValid(int timeoutSeconds) throws SQLException {
        if (timeoutSeconds < 0) {
            throw SqlErrors.invalidArgument("time-out " + timeoutSeconds + " is negative");
        }
        if (closed || lost) {
            return false;
        }
        try {
            channel.action(
                    "tailwater.Ping",
                    new byte[0],
                    timeoutSeconds == 0 ? roundTripNanos() : TimeUnit.SECONDS.toNanos(timeoutSeconds));
            return true;
        } catch (CallFailure e) {
            lost |= e.isConnectionLost();
            return false;
        }
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

    @Override
    public void setClientInfo(String name, @Nullable String value) throws SQLClientInfoException {
        checkOpenForClientInfo();
        synchronized (clientInfo) {
            if (value == null) {
                clientInfo.remove(name);
            } else {
                clientInfo.setProperty(name, value);
            }
        }
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        checkOpenForClientInfo();
        synchronized (clientInfo) {
            clientInfo.clear();
            for (String name : properties.stringPropertyNames()) {
                clientInfo.setProperty(name, properties.getProperty(name));
            }
        }
    }

    private void checkOpenForClientInfo() throws SQLClientInfoException {
        if (closed) {
            throw new SQLClientInfoException("connection is closed", "08003", Map.<String, ClientInfoStatus>of());
        }
    }

    @Override
    public @Nullable String getClientInfo(String name) throws SQLException {
        checkOpen();
        synchronized (clientInfo) {
            return clientInfo.getProperty(name);
        }
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        checkOpen();
        synchronized (clientInfo) {
            Properties copy = new Properties();
            copy.putAll(clientInfo);
            return copy;
        }
    }

    /** Bounds round trips that wait for no rows: preparing, {@code setSchema}, {@code isValid(0)}. */
    @Override
    public void setNetworkTimeout(@Nullable Executor executor, int milliseconds) throws SQLException {
        checkOpen();
        if (milliseconds < 0) {
            throw SqlErrors.invalidArgument("time-out " + milliseconds + " is negative");
        }
        networkTimeoutMillis = milliseconds;
    }

    @Override
    public int getNetworkTimeout() throws SQLException {
        checkOpen();
        return networkTimeoutMillis;
    }

    // ---- ending

    /** Ends the statements, and with the connection the session and all it holds on the server. */
    @Override
    public void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        List<TailwaterStatement> open;
        synchronized (statements) {
            open = List.copyOf(statements);
        }
        for (TailwaterStatement statement : open) {
            statement.close();
        }
        channel.close();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** As {@link #close}, which waits for nothing either: threads that wait for rows of this connection get an exception. */
    @Override
    public void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw SqlErrors.invalidArgument("abort needs an executor");
        }
        close();
    }

    // ---- objects

    @Override
    public Map<String, Class<?>> getTypeMap() throws SQLException {
        checkOpen();
        return Map.of();
    }

    @Override
    public void setTypeMap(@Nullable Map<String, Class<?>> map) throws SQLException {
        checkOpen();
        if (map != null && !map.isEmpty()) {
            throw SqlErrors.unsupported("a type map");
        }
    }

    @Override
    public Clob createClob() throws SQLException {
        return new javax.sql.rowset.serial.SerialClob(new char[0]);
    }

    @Override
    public Blob createBlob() throws SQLException {
        return new javax.sql.rowset.serial.SerialBlob(new byte[0]);
    }

    @Override
    public NClob createNClob() throws SQLException {
        throw SqlErrors.unsupported("NCLOB");
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        throw SqlErrors.unsupported("XML");
    }

    @Override
    public Array createArrayOf(String typeName, Object[] elements) throws SQLException {
        throw SqlErrors.unsupported("ARRAY");
    }

    @Override
    public Struct createStruct(String typeName, Object[] attributes) throws SQLException {
        throw SqlErrors.unsupported("ROW");
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

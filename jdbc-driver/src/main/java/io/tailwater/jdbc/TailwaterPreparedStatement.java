package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.Kind;
import io.tailwater.jdbc.arrow.ResultColumn;
import org.jspecify.annotations.Nullable;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;

/** A statement that the server has parsed and validated, with values for its question marks. Used by one thread, as its parent. */
final class TailwaterPreparedStatement extends TailwaterStatement implements PreparedStatement {
    private static final Object UNSET = new Object();

    private final String sql;
    private final byte[] handle;
    private final @Nullable List<ResultColumn> columns;
    private final List<ResultColumn> parameters;
    private final @Nullable Object[] values;
    private final List<List<@Nullable Object>> rows = new ArrayList<>();

    /**
     * @param columns of the result; null if there is none
     */
    TailwaterPreparedStatement(
            TailwaterConnection connection,
            String sql,
            byte[] handle,
            @Nullable List<ResultColumn> columns,
            List<ResultColumn> parameters) {
        super(connection);
        this.sql = sql;
        this.handle = handle;
        this.columns = columns;
        this.parameters = parameters;
        this.values = new Object[parameters.size()];
        Arrays.fill(values, UNSET);
    }

    private List<@Nullable Object> row() throws SQLException {
        for (int i = 0; i < values.length; i++) {
            if (values[i] == UNSET) {
                throw new SQLException("parameter " + (i + 1) + " has no value", "07001");
            }
        }
        return Arrays.asList(values.clone());
    }

    @Override
    public boolean execute() throws SQLException {
        checkOpen();
        ExecuteRequest request = ExecuteRequest.prepared(handle);
        if (values.length > 0) {
            request.row(row());
        }
        return run(request, sql);
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        execute();
        return rows();
    }

    @Override
    public int executeUpdate() throws SQLException {
        return narrow(executeLargeUpdate());
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        execute();
        return count();
    }

    @Override
    public void addBatch() throws SQLException {
        checkOpen();
        rows.add(row());
    }

    @Override
    public void clearBatch() throws SQLException {
        super.clearBatch();
        rows.clear();
    }

    /** Sends all rows at once; the server executes them in order, up to the first that fails. */
    @Override
    public long[] executeLargeBatch() throws SQLException {
        checkOpen();
        if (rows.isEmpty()) {
            return super.executeLargeBatch();
        }
        if (columns != null) {
            throw new SQLException("a statement that returns rows cannot be executed as a batch", "0100E");
        }
        ExecuteRequest request = ExecuteRequest.prepared(handle);
        for (List<@Nullable Object> row : rows) {
            request.row(row);
        }
        rows.clear();
        run(request, sql);
        return batchCounts();
    }

    @Override
    public void close() throws SQLException {
        if (!isClosed()) {
            super.close();
            connection.closePrepared(handle);
        }
    }

    // ---- description

    @Override
    public @Nullable ResultSetMetaData getMetaData() throws SQLException {
        checkOpen();
        return columns == null ? null : new ResultColumns(columns);
    }

    @Override
    public ParameterMetaData getParameterMetaData() throws SQLException {
        checkOpen();
        return new ParameterColumns(parameters);
    }

    // ---- setters

    private Kind kind(int parameter) throws SQLException {
        checkOpen();
        if (parameter < 1 || parameter > values.length) {
            throw new SQLException("no parameter " + parameter + ", the statement has " + values.length, "07009");
        }
        return parameters.get(parameter - 1).kind();
    }

    private void set(int parameter, @Nullable Object value) throws SQLException {
        Kind target = kind(parameter);
        values[parameter - 1] = Parameters.of(value, target);
    }

    @Override
    public void clearParameters() throws SQLException {
        checkOpen();
        Arrays.fill(values, UNSET);
    }

    @Override
    public void setNull(int parameter, int sqlType) throws SQLException {
        set(parameter, null);
    }

    @Override
    public void setNull(int parameter, int sqlType, @Nullable String typeName) throws SQLException {
        set(parameter, null);
    }

    @Override
    public void setBoolean(int parameter, boolean value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setByte(int parameter, byte value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setShort(int parameter, short value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setInt(int parameter, int value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setLong(int parameter, long value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setFloat(int parameter, float value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setDouble(int parameter, double value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setBigDecimal(int parameter, @Nullable BigDecimal value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setString(int parameter, @Nullable String value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setNString(int parameter, @Nullable String value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setBytes(int parameter, byte @Nullable [] value) throws SQLException {
        set(parameter, value == null ? null : value.clone());
    }

    @Override
    public void setDate(int parameter, @Nullable Date value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setTime(int parameter, @Nullable Time value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setTimestamp(int parameter, @Nullable Timestamp value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setDate(int parameter, @Nullable Date value, @Nullable Calendar calendar) throws SQLException {
        set(
                parameter,
                value == null || calendar == null ? value : at(value, calendar).toLocalDate());
    }

    @Override
    public void setTime(int parameter, @Nullable Time value, @Nullable Calendar calendar) throws SQLException {
        set(
                parameter,
                value == null || calendar == null ? value : at(value, calendar).toLocalTime());
    }

    @Override
    public void setTimestamp(int parameter, @Nullable Timestamp value, @Nullable Calendar calendar)
            throws SQLException {
        boolean asIs = value == null || calendar == null || kind(parameter) == Kind.TIMESTAMP_LTZ;
        set(parameter, asIs || value == null || calendar == null ? value : at(value, calendar));
    }

    private static java.time.LocalDateTime at(java.util.Date value, Calendar calendar) {
        return Parameters.at(value, calendar.getTimeZone().toZoneId());
    }

    @Override
    public void setObject(int parameter, @Nullable Object value) throws SQLException {
        set(parameter, value);
    }

    /** The parameter's own type decides; the one given here is not needed. */
    @Override
    public void setObject(int parameter, @Nullable Object value, int sqlType) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setObject(int parameter, @Nullable Object value, int sqlType, int scale) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setURL(int parameter, @Nullable URL value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setClob(int parameter, @Nullable Clob value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setBlob(int parameter, @Nullable Blob value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setNClob(int parameter, @Nullable NClob value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setSQLXML(int parameter, @Nullable SQLXML value) throws SQLException {
        set(parameter, value);
    }

    @Override
    public void setCharacterStream(int parameter, @Nullable Reader value) throws SQLException {
        setCharacterStream(parameter, value, Long.MAX_VALUE);
    }

    @Override
    public void setCharacterStream(int parameter, @Nullable Reader value, int length) throws SQLException {
        setCharacterStream(parameter, value, (long) length);
    }

    @Override
    public void setCharacterStream(int parameter, @Nullable Reader value, long length) throws SQLException {
        set(parameter, value == null ? null : Parameters.read(value, length));
    }

    @Override
    public void setNCharacterStream(int parameter, @Nullable Reader value) throws SQLException {
        setCharacterStream(parameter, value);
    }

    @Override
    public void setNCharacterStream(int parameter, @Nullable Reader value, long length) throws SQLException {
        setCharacterStream(parameter, value, length);
    }

    @Override
    public void setClob(int parameter, @Nullable Reader value) throws SQLException {
        setCharacterStream(parameter, value);
    }

    @Override
    public void setClob(int parameter, @Nullable Reader value, long length) throws SQLException {
        setCharacterStream(parameter, value, length);
    }

    @Override
    public void setNClob(int parameter, @Nullable Reader value) throws SQLException {
        setCharacterStream(parameter, value);
    }

    @Override
    public void setNClob(int parameter, @Nullable Reader value, long length) throws SQLException {
        setCharacterStream(parameter, value, length);
    }

    @Override
    public void setAsciiStream(int parameter, @Nullable InputStream value) throws SQLException {
        setAsciiStream(parameter, value, Long.MAX_VALUE);
    }

    @Override
    public void setAsciiStream(int parameter, @Nullable InputStream value, int length) throws SQLException {
        setAsciiStream(parameter, value, (long) length);
    }

    @Override
    public void setAsciiStream(int parameter, @Nullable InputStream value, long length) throws SQLException {
        set(parameter, value == null ? null : Parameters.read(value, length, StandardCharsets.US_ASCII));
    }

    @Override
    @Deprecated
    public void setUnicodeStream(int parameter, @Nullable InputStream value, int length) throws SQLException {
        set(parameter, value == null ? null : Parameters.read(value, length, StandardCharsets.UTF_8));
    }

    @Override
    public void setBinaryStream(int parameter, @Nullable InputStream value) throws SQLException {
        setBinaryStream(parameter, value, Long.MAX_VALUE);
    }

    @Override
    public void setBinaryStream(int parameter, @Nullable InputStream value, int length) throws SQLException {
        setBinaryStream(parameter, value, (long) length);
    }

    @Override
    public void setBinaryStream(int parameter, @Nullable InputStream value, long length) throws SQLException {
        set(parameter, value == null ? null : Parameters.read(value, length));
    }

    @Override
    public void setBlob(int parameter, @Nullable InputStream value) throws SQLException {
        setBinaryStream(parameter, value);
    }

    @Override
    public void setBlob(int parameter, @Nullable InputStream value, long length) throws SQLException {
        setBinaryStream(parameter, value, length);
    }

    @Override
    public void setArray(int parameter, @Nullable Array value) throws SQLException {
        throw SqlErrors.unsupported("an ARRAY parameter");
    }

    @Override
    public void setRef(int parameter, @Nullable Ref value) throws SQLException {
        throw SqlErrors.unsupported("a REF parameter");
    }

    @Override
    public void setRowId(int parameter, @Nullable RowId value) throws SQLException {
        throw SqlErrors.unsupported("a ROWID parameter");
    }

    // ---- what only an unprepared statement can do

    private static SQLException prepared() {
        return new SQLException("this statement was prepared; it takes no SQL text", "HY010");
    }

    @Override
    public boolean execute(String text) throws SQLException {
        throw prepared();
    }

    @Override
    public ResultSet executeQuery(String text) throws SQLException {
        throw prepared();
    }

    @Override
    public long executeLargeUpdate(String text) throws SQLException {
        throw prepared();
    }

    @Override
    public void addBatch(String text) throws SQLException {
        throw prepared();
    }
}

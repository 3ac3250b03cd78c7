package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.ResultColumn;
import io.tailwater.jdbc.arrow.RowBatch;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;

/**
 * Rows read forward, once. Nothing is gathered: a row can be read as soon as its batch arrived, whatever the fetch size, so the result of a query
 * with EMIT CHANGES works like any other that takes its time. Read by one thread at a time; {@link #close} may come from any.
 */
public final class TailwaterResultSet extends ReadOnlyResultSet {
    private static final long FOREVER = Long.MAX_VALUE;

    private final @Nullable TailwaterStatement statement;
    private final List<ResultColumn> columns;
    private final RowSource source;
    private final ZoneId zone;
    private final long maxRows;
    private final long timeoutNanos;
    private @Nullable RowBatch batch;
    private int row = -1;
    private long rowNumber;
    private boolean ended;
    private boolean wasNull;
    private int fetchSize;
    private volatile boolean closed;

    /**
     * @param maxRows 0 for all
     * @param timeoutNanos how long {@link #next} may wait; 0 for ever
     */
    TailwaterResultSet(
            @Nullable TailwaterStatement statement,
            List<ResultColumn> columns,
            RowSource source,
            ZoneId zone,
            long maxRows,
            long timeoutNanos) {
        this.statement = statement;
        this.columns = columns;
        this.source = source;
        this.zone = zone;
        this.maxRows = maxRows;
        this.timeoutNanos = timeoutNanos == 0 ? FOREVER : timeoutNanos;
    }

    // ---- moving

    /**
     * {@inheritDoc}
     *
     * <p>On a query with EMIT CHANGES this waits for the next change. The statement's query time-out bounds each such wait; when it passes, the query ends
     * with HYT00.
     */
    @Override
    public boolean next() throws SQLException {
        checkOpen();
        if (ended) {
            return false;
        }
        if (maxRows > 0 && rowNumber == maxRows) {
            source.cancel("57014", "as many rows as asked for have been read");
            end();
            return false;
        }
        RowBatch current = batch;
        if (current != null && row + 1 < current.rows()) {
            row++;
            rowNumber++;
            return true;
        }
        batch = null;
        try {
            batch = source.next(timeoutNanos);
        } catch (SQLException e) {
            end();
            throw e;
        }
        if (batch == null) {
            end();
            return false;
        }
        row = 0;
        rowNumber++;
        return true;
    }

    private void end() throws SQLException {
        ended = true;
        batch = null;
        if (statement != null) {
            statement.resultEnded(this);
        }
    }

    /** Ends the query on the server at once, if it still runs. */
    @Override
    public void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        source.cancel("57014", "the result set was closed");
        if (statement != null) {
            statement.resultClosed(this);
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** Ticks the query has got through, renewed about each second by a quiet query too; -1 if unknown. */
    public long tick() {
        return source.tick();
    }

    /** Event time up to which the query has got through; empty if unknown. */
    public Optional<Instant> watermark() {
        long micros = source.watermark();
        return micros == Long.MIN_VALUE || micros == Long.MAX_VALUE
                ? Optional.empty()
                : Optional.of(Instant.EPOCH.plus(micros, java.time.temporal.ChronoUnit.MICROS));
    }

    void cancel(String sqlState, String reason) {
        source.cancel(sqlState, reason);
    }

    private void checkOpen() throws SQLException {
        if (closed) {
            throw SqlErrors.closed("result set");
        }
    }

    // ---- access

    private int index(int column) throws SQLException {
        checkOpen();
        if (column < 1 || column > columns.size()) {
            throw new SQLException("no column " + column + ", the result has " + columns.size(), "42703");
        }
        return column - 1;
    }

    private RowBatch current() throws SQLException {
        RowBatch current = batch;
        if (current == null) {
            throw new SQLException(ended ? "after the last row" : "before the first row: call next() first", "24000");
        }
        return current;
    }

    /** The value, or null, and sets {@link #wasNull}. */
    private @Nullable Object value(int column) throws SQLException {
        int index = index(column);
        Object value = current().get(index, row);
        wasNull = value == null;
        return value;
    }

    private ResultColumn column(int column) throws SQLException {
        return columns.get(index(column));
    }

    private long number(int column, long min, long max, String type) throws SQLException {
        int index = index(column);
        RowBatch rows = current();
        wasNull = rows.isNull(index, row);
        if (wasNull) {
            return 0;
        }
        if (columns.get(index).kind().isInteger()) {
            long value = rows.getLong(index, row);
            if (value < min || value > max) {
                throw SqlErrors.outOfRange(value, type);
            }
            return value;
        }
        Object value = rows.get(index, row);
        return value == null ? 0 : Conversions.toLong(value, min, max, type);
    }

    @Override
    public boolean wasNull() throws SQLException {
        checkOpen();
        return wasNull;
    }

    @Override
    public @Nullable String getString(int column) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toText(value, column(column), zone);
    }

    @Override
    public boolean getBoolean(int column) throws SQLException {
        Object value = value(column);
        return value != null && Conversions.toBoolean(value);
    }

    @Override
    public byte getByte(int column) throws SQLException {
        return (byte) number(column, Byte.MIN_VALUE, Byte.MAX_VALUE, "TINYINT");
    }

    @Override
    public short getShort(int column) throws SQLException {
        return (short) number(column, Short.MIN_VALUE, Short.MAX_VALUE, "SMALLINT");
    }

    @Override
    public int getInt(int column) throws SQLException {
        return (int) number(column, Integer.MIN_VALUE, Integer.MAX_VALUE, "INTEGER");
    }

    @Override
    public long getLong(int column) throws SQLException {
        return number(column, Long.MIN_VALUE, Long.MAX_VALUE, "BIGINT");
    }

    @Override
    public float getFloat(int column) throws SQLException {
        Object value = value(column);
        return value == null ? 0 : Conversions.toFloat(value);
    }

    @Override
    public double getDouble(int column) throws SQLException {
        int index = index(column);
        if (columns.get(index).kind() == io.tailwater.jdbc.arrow.Kind.DOUBLE) {
            RowBatch rows = current();
            wasNull = rows.isNull(index, row);
            return wasNull ? 0 : rows.getDouble(index, row);
        }
        Object value = value(column);
        return value == null ? 0 : Conversions.toDouble(value);
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toBigDecimal(value);
    }

    @Override
    @Deprecated
    public @Nullable BigDecimal getBigDecimal(int column, int scale) throws SQLException {
        BigDecimal value = getBigDecimal(column);
        return value == null ? null : value.setScale(scale, RoundingMode.HALF_UP);
    }

    @Override
    public byte @Nullable [] getBytes(int column) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toBytes(value);
    }

    @Override
    public @Nullable Date getDate(int column) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toDate(value);
    }

    @Override
    public @Nullable Time getTime(int column) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toTime(value);
    }

    @Override
    public @Nullable Timestamp getTimestamp(int column) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toTimestamp(value);
    }

    @Override
    public @Nullable Date getDate(int column, @Nullable Calendar calendar) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toDate(value, zone(calendar));
    }

    @Override
    public @Nullable Time getTime(int column, @Nullable Calendar calendar) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toTime(value, zone(calendar));
    }

    @Override
    public @Nullable Timestamp getTimestamp(int column, @Nullable Calendar calendar) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toTimestamp(value, zone(calendar));
    }

    private static ZoneId zone(@Nullable Calendar calendar) {
        return calendar == null
                ? TimeZone.getDefault().toZoneId()
                : calendar.getTimeZone().toZoneId();
    }

    @Override
    public @Nullable Object getObject(int column) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toObject(value, zone);
    }

    @Override
    public @Nullable Object getObject(int column, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getObject(column);
    }

    @Override
    public <T> @Nullable T getObject(int column, Class<T> type) throws SQLException {
        Object value = value(column);
        return value == null ? null : Conversions.toClass(value, type, column(column), zone);
    }

    @Override
    public @Nullable InputStream getAsciiStream(int column) throws SQLException {
        String value = getString(column);
        return value == null ? null : new ByteArrayInputStream(value.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    @Deprecated
    public @Nullable InputStream getUnicodeStream(int column) throws SQLException {
        String value = getString(column);
        return value == null ? null : new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_16BE));
    }

    @Override
    public @Nullable InputStream getBinaryStream(int column) throws SQLException {
        byte[] value = getBytes(column);
        return value == null ? null : new ByteArrayInputStream(value);
    }

    @Override
    public @Nullable Reader getCharacterStream(int column) throws SQLException {
        String value = getString(column);
        return value == null ? null : new StringReader(value);
    }

    @Override
    public @Nullable Reader getNCharacterStream(int column) throws SQLException {
        return getCharacterStream(column);
    }

    @Override
    public @Nullable String getNString(int column) throws SQLException {
        return getString(column);
    }

    @Override
    public @Nullable Clob getClob(int column) throws SQLException {
        String value = getString(column);
        return value == null ? null : new javax.sql.rowset.serial.SerialClob(value.toCharArray());
    }

    @Override
    public @Nullable Blob getBlob(int column) throws SQLException {
        byte[] value = getBytes(column);
        return value == null ? null : new javax.sql.rowset.serial.SerialBlob(value);
    }

    @Override
    public @Nullable URL getURL(int column) throws SQLException {
        String value = getString(column);
        try {
            return value == null ? null : new URI(value).toURL();
        } catch (URISyntaxException | MalformedURLException | IllegalArgumentException e) {
            throw SqlErrors.malformed(String.valueOf(value), "URL");
        }
    }

    @Override
    public NClob getNClob(int column) throws SQLException {
        throw SqlErrors.unsupported("NCLOB");
    }

    @Override
    public SQLXML getSQLXML(int column) throws SQLException {
        throw SqlErrors.unsupported("XML");
    }

    @Override
    public Array getArray(int column) throws SQLException {
        throw SqlErrors.unsupported("ARRAY");
    }

    @Override
    public Ref getRef(int column) throws SQLException {
        throw SqlErrors.unsupported("REF");
    }

    @Override
    public RowId getRowId(int column) throws SQLException {
        throw SqlErrors.unsupported("ROWID");
    }

    // ---- what is where

    /** The first column of this label, without regard to case if none has it exactly. */
    @Override
    public int findColumn(String label) throws SQLException {
        checkOpen();
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).label().equals(label)) {
                return i + 1;
            }
        }
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).label().equalsIgnoreCase(label)) {
                return i + 1;
            }
        }
        throw new SQLException("no column \"" + label + "\" in the result", "42703");
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        checkOpen();
        return new ResultColumns(columns);
    }

    @Override
    public @Nullable Statement getStatement() throws SQLException {
        checkOpen();
        return statement;
    }

    @Override
    public int getRow() throws SQLException {
        checkOpen();
        return batch == null ? 0 : (int) Math.min(rowNumber, Integer.MAX_VALUE);
    }

    @Override
    public boolean isBeforeFirst() throws SQLException {
        checkOpen();
        return rowNumber == 0 && !ended;
    }

    @Override
    public boolean isAfterLast() throws SQLException {
        checkOpen();
        return ended && rowNumber > 0;
    }

    @Override
    public boolean isFirst() throws SQLException {
        checkOpen();
        return rowNumber == 1 && batch != null;
    }

    /** Refused: on a stream the answer may never come. */
    @Override
    public boolean isLast() throws SQLException {
        throw SqlErrors.unsupported("isLast on a forward-only result set");
    }

    @Override
    public @Nullable String getString(String label) throws SQLException {
        return getString(findColumn(label));
    }

    @Override
    public boolean getBoolean(String label) throws SQLException {
        return getBoolean(findColumn(label));
    }

    @Override
    public byte getByte(String label) throws SQLException {
        return getByte(findColumn(label));
    }

    @Override
    public short getShort(String label) throws SQLException {
        return getShort(findColumn(label));
    }

    @Override
    public int getInt(String label) throws SQLException {
        return getInt(findColumn(label));
    }

    @Override
    public long getLong(String label) throws SQLException {
        return getLong(findColumn(label));
    }

    @Override
    public float getFloat(String label) throws SQLException {
        return getFloat(findColumn(label));
    }

    @Override
    public double getDouble(String label) throws SQLException {
        return getDouble(findColumn(label));
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(String label) throws SQLException {
        return getBigDecimal(findColumn(label));
    }

    @Override
    @Deprecated
    public @Nullable BigDecimal getBigDecimal(String label, int scale) throws SQLException {
        return getBigDecimal(findColumn(label), scale);
    }

    @Override
    public byte @Nullable [] getBytes(String label) throws SQLException {
        return getBytes(findColumn(label));
    }

    @Override
    public @Nullable Date getDate(String label) throws SQLException {
        return getDate(findColumn(label));
    }

    @Override
    public @Nullable Time getTime(String label) throws SQLException {
        return getTime(findColumn(label));
    }

    @Override
    public @Nullable Timestamp getTimestamp(String label) throws SQLException {
        return getTimestamp(findColumn(label));
    }

    @Override
    public @Nullable Date getDate(String label, @Nullable Calendar calendar) throws SQLException {
        return getDate(findColumn(label), calendar);
    }

    @Override
    public @Nullable Time getTime(String label, @Nullable Calendar calendar) throws SQLException {
        return getTime(findColumn(label), calendar);
    }

    @Override
    public @Nullable Timestamp getTimestamp(String label, @Nullable Calendar calendar) throws SQLException {
        return getTimestamp(findColumn(label), calendar);
    }

    @Override
    public @Nullable Object getObject(String label) throws SQLException {
        return getObject(findColumn(label));
    }

    @Override
    public @Nullable Object getObject(String label, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getObject(findColumn(label), map);
    }

    @Override
    public <T> @Nullable T getObject(String label, Class<T> type) throws SQLException {
        return getObject(findColumn(label), type);
    }

    @Override
    public @Nullable InputStream getAsciiStream(String label) throws SQLException {
        return getAsciiStream(findColumn(label));
    }

    @Override
    @Deprecated
    public @Nullable InputStream getUnicodeStream(String label) throws SQLException {
        return getUnicodeStream(findColumn(label));
    }

    @Override
    public @Nullable InputStream getBinaryStream(String label) throws SQLException {
        return getBinaryStream(findColumn(label));
    }

    @Override
    public @Nullable Reader getCharacterStream(String label) throws SQLException {
        return getCharacterStream(findColumn(label));
    }

    @Override
    public @Nullable Reader getNCharacterStream(String label) throws SQLException {
        return getNCharacterStream(findColumn(label));
    }

    @Override
    public @Nullable String getNString(String label) throws SQLException {
        return getNString(findColumn(label));
    }

    @Override
    public @Nullable Clob getClob(String label) throws SQLException {
        return getClob(findColumn(label));
    }

    @Override
    public @Nullable Blob getBlob(String label) throws SQLException {
        return getBlob(findColumn(label));
    }

    @Override
    public @Nullable URL getURL(String label) throws SQLException {
        return getURL(findColumn(label));
    }

    @Override
    public NClob getNClob(String label) throws SQLException {
        return getNClob(findColumn(label));
    }

    @Override
    public SQLXML getSQLXML(String label) throws SQLException {
        return getSQLXML(findColumn(label));
    }

    @Override
    public Array getArray(String label) throws SQLException {
        return getArray(findColumn(label));
    }

    @Override
    public Ref getRef(String label) throws SQLException {
        return getRef(findColumn(label));
    }

    @Override
    public RowId getRowId(String label) throws SQLException {
        return getRowId(findColumn(label));
    }

    // ---- modes

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        checkOpen();
        return null;
    }

    @Override
    public void clearWarnings() throws SQLException {
        checkOpen();
    }

    @Override
    public int getType() throws SQLException {
        checkOpen();
        return TYPE_FORWARD_ONLY;
    }

    @Override
    public int getConcurrency() throws SQLException {
        checkOpen();
        return CONCUR_READ_ONLY;
    }

    @Override
    public int getHoldability() throws SQLException {
        checkOpen();
        return HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public int getFetchDirection() throws SQLException {
        checkOpen();
        return FETCH_FORWARD;
    }

    @Override
    public void setFetchDirection(int direction) throws SQLException {
        checkOpen();
        if (direction != FETCH_FORWARD) {
            throw SqlErrors.invalidArgument("rows can be fetched forward only");
        }
    }

    @Override
    public int getFetchSize() throws SQLException {
        checkOpen();
        return fetchSize;
    }

    /** A hint without effect: rows come as the server has them. */
    @Override
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        if (rows < 0) {
            throw SqlErrors.invalidArgument("fetch size " + rows);
        }
        fetchSize = rows;
    }

    @Override
    public String getCursorName() throws SQLException {
        throw SqlErrors.unsupported("a named cursor");
    }

    @Override
    public boolean rowUpdated() throws SQLException {
        checkOpen();
        return false;
    }

    @Override
    public boolean rowInserted() throws SQLException {
        checkOpen();
        return false;
    }

    @Override
    public boolean rowDeleted() throws SQLException {
        checkOpen();
        return false;
    }

    private static SQLException forwardOnly() {
        return SqlErrors.unsupported("scrolling in a forward-only result set");
    }

    @Override
    public boolean previous() throws SQLException {
        throw forwardOnly();
    }

    @Override
    public boolean first() throws SQLException {
        throw forwardOnly();
    }

    @Override
    public boolean last() throws SQLException {
        throw forwardOnly();
    }

    @Override
    public void beforeFirst() throws SQLException {
        throw forwardOnly();
    }

    @Override
    public void afterLast() throws SQLException {
        throw forwardOnly();
    }

    @Override
    public boolean absolute(int target) throws SQLException {
        throw forwardOnly();
    }

    @Override
    public boolean relative(int rows) throws SQLException {
        throw forwardOnly();
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

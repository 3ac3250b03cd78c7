package io.tailwater.jdbc.arrow;

import io.tailwater.jdbc.wire.CallFailure;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;

/** An Arrow record batch in the message it arrived in. Immutable. */
final class ArrowBatch implements RowBatch {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);
    private static final VarHandle FLOAT = view(float[].class);
    private static final VarHandle DOUBLE = view(double[].class);
    private static final int NONE = -1;

    private final int rows;
    private final byte[] bytes;
    private final Kind[] kinds;
    private final int[] scales;
    /** Where in {@link #bytes} each column's validity bitmap, offsets and values begin; {@link #NONE} for what it lacks. */
    private final int[] validity;

    private final int[] offsets;
    private final int[] data;

    private ArrowBatch(int rows, byte[] bytes, int columns) {
        this.rows = rows;
        this.bytes = bytes;
        kinds = new Kind[columns];
        scales = new int[columns];
        validity = new int[columns];
        offsets = new int[columns];
        data = new int[columns];
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    @SuppressWarnings("ByteBufferBackingArray")
    static ArrowBatch of(RecordBatch batch, ByteBuffer body, List<ResultColumn> columns) throws CallFailure {
        if (batch.compression() != null) {
            throw new CallFailure("0A000", "this driver cannot read compressed Arrow batches");
        }
        if (batch.nodesLength() != columns.size() || batch.length() > Integer.MAX_VALUE) {
            throw new CallFailure("08P01", "a batch of " + batch.nodesLength() + " columns does not fit its schema");
        }
        // Positions below are within the array that the message arrived in, of which the body is a slice.
        ArrowBatch out = new ArrowBatch((int) batch.length(), body.array(), columns.size());
        int buffer = 0;
        for (int c = 0; c < columns.size(); c++) {
            Kind kind = columns.get(c).kind();
            out.kinds[c] = kind;
            out.scales[c] = columns.get(c).scale();
            out.offsets[c] = NONE;
            out.validity[c] = NONE;
            if (kind == Kind.NULL) {
                continue;
            }
            int bitmap = start(batch, buffer++, body, (out.rows + 7L) / 8, true);
            out.validity[c] = batch.nodes(c).nullCount() == 0 ? NONE : bitmap;
            if (kind == Kind.VARCHAR || kind == Kind.VARBINARY) {
                out.offsets[c] = start(batch, buffer++, body, 4L * out.rows + 4, false);
                out.data[c] = start(batch, buffer++, body, 0, false);
            } else {
                out.data[c] = start(batch, buffer++, body, width(kind, out.rows), false);
            }
        }
        return out;
    }

    private static int start(RecordBatch batch, int index, ByteBuffer body, long least, boolean optional)
            throws CallFailure {
        Buffer buffer = index < batch.buffersLength() ? batch.buffers(index) : null;
        if (buffer == null
                || buffer.offset() < 0
                || buffer.length() < (optional ? 0 : least)
                || buffer.offset() > body.limit() - buffer.length()) {
            throw new CallFailure("08P01", "malformed Arrow batch");
        }
        return buffer.length() < least ? NONE : body.arrayOffset() + (int) buffer.offset();
    }

    private static long width(Kind kind, long rows) {
        switch (kind) {
            case BOOLEAN:
                return (rows + 7) / 8;
            case TINYINT:
                return rows;
            case SMALLINT:
                return 2 * rows;
            case INTEGER:
            case REAL:
            case DATE:
            case INTERVAL_YEAR_MONTH:
                return 4 * rows;
            case DECIMAL:
                return 16 * rows;
            default:
                return 8 * rows;
        }
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public boolean isNull(int column, int row) {
        int bitmap = validity[column];
        return bitmap == NONE ? kinds[column] == Kind.NULL : !bit(bitmap, row);
    }

    private boolean bit(int bitmap, int row) {
        return (bytes[bitmap + (row >>> 3)] >>> (row & 7) & 1) != 0;
    }

    @Override
    public long getLong(int column, int row) {
        int at = data[column];
        switch (kinds[column]) {
            case TINYINT:
                return bytes[at + row];
            case SMALLINT:
                return (short) SHORT.get(bytes, at + 2 * row);
            case INTEGER:
            case DATE:
            case INTERVAL_YEAR_MONTH:
                return (int) INT.get(bytes, at + 4 * row);
            default:
                return (long) LONG.get(bytes, at + 8 * row);
        }
    }

    @Override
    public double getDouble(int column, int row) {
        return (double) DOUBLE.get(bytes, data[column] + 8 * row);
    }

    @Override
    public @Nullable Object get(int column, int row) {
        if (isNull(column, row)) {
            return null;
        }
        switch (kinds[column]) {
            case BOOLEAN:
                return bit(data[column], row);
            case TINYINT:
            case SMALLINT:
            case INTEGER:
                return (int) getLong(column, row);
            case BIGINT:
                return getLong(column, row);
            case DECIMAL:
                return decimal(data[column] + 16 * row, scales[column]);
            case REAL:
                return (float) FLOAT.get(bytes, data[column] + 4 * row);
            case DOUBLE:
                return getDouble(column, row);
            case VARCHAR:
                int from = offset(column, row);
                return new String(bytes, from, offset(column, row + 1) - from, StandardCharsets.UTF_8);
            case VARBINARY:
                return Arrays.copyOfRange(bytes, offset(column, row), offset(column, row + 1));
            case DATE:
                return LocalDate.ofEpochDay(getLong(column, row));
            case TIME:
                return LocalTime.ofNanoOfDay(getLong(column, row) * 1000);
            case TIMESTAMP:
                long micros = getLong(column, row);
                return LocalDateTime.ofEpochSecond(seconds(micros), nanos(micros), ZoneOffset.UTC);
            case TIMESTAMP_LTZ:
                long instant = getLong(column, row);
                return Instant.ofEpochSecond(seconds(instant), nanos(instant));
            case INTERVAL_DAY_TIME:
                long duration = getLong(column, row);
                return Duration.ofSeconds(seconds(duration), nanos(duration));
            case INTERVAL_YEAR_MONTH:
                long months = getLong(column, row);
                return Period.of((int) (months / 12), (int) (months % 12), 0);
            default:
                throw new AssertionError(kinds[column]);
        }
    }

    private int offset(int column, int row) {
        return data[column] + (int) INT.get(bytes, offsets[column] + 4 * row);
    }

    private BigDecimal decimal(int at, int scale) {
        long low = (long) LONG.get(bytes, at);
        long high = (long) LONG.get(bytes, at + 8);
        if (high == low >> 63) {
            return BigDecimal.valueOf(low, scale);
        }
        byte[] bigEndian = new byte[16];
        for (int i = 0; i < 16; i++) {
            bigEndian[i] = bytes[at + 15 - i];
        }
        return new BigDecimal(new BigInteger(bigEndian), scale);
    }

    private static long seconds(long micros) {
        return Math.floorDiv(micros, 1_000_000L);
    }

    private static int nanos(long micros) {
        return (int) Math.floorMod(micros, 1_000_000L) * 1000;
    }
}

package io.tailwater.api.batch;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Single values of a batch as Java objects, for edges, tests and rare paths; never for hot loops.
 *
 * <p>BOOLEAN is Boolean; TINYINT to BIGINT, DATE (days), TIME, TIMESTAMP, TIMESTAMP_LTZ (microseconds) and intervals are Long; DECIMAL is
 * BigDecimal of the column's scale; REAL is Float; DOUBLE is Double; VARCHAR is String; VARBINARY is byte[]; NULL is null.
 */
public final class Values {
    private Values() {}

    public static @Nullable Object get(ColumnBatch batch, int column, int row) {
        if (batch.isNull(column, row)) {
            return null;
        }
        long data = batch.data(column);
        return switch (batch.type(column).kind()) {
            case BOOLEAN -> Mem.getBit(data, row);
            case TINYINT -> (long) Mem.getByte(data + row);
            case SMALLINT -> (long) Mem.getShort(data + 2L * row);
            case INTEGER, DATE, INTERVAL_YEAR_MONTH -> (long) Mem.getInt(data + 4L * row);
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> Mem.getLong(data + 8L * row);
            case REAL -> Mem.getFloat(data + 4L * row);
            case DOUBLE -> Mem.getDouble(data + 8L * row);
            case DECIMAL -> getDecimal(data + 16L * row, batch.type(column).scale());
            case VARCHAR -> StringView.toString(data + 16L * row);
            case VARBINARY -> StringView.toBytes(data + 16L * row);
            case NULL -> null;
        };
    }

    /** Writes a value in the form that {@link #get} returns. */
    public static void set(BatchBuilder out, int column, int row, @Nullable Object value) {
        if (value == null) {
            out.setNull(column, row);
            return;
        }
        long data = out.data(column);
        switch (out.type(column).kind()) {
            case BOOLEAN -> {
                if ((Boolean) value) {
                    Mem.setBit(data, row);
                } else {
                    Mem.clearBit(data, row);
                }
            }
            case TINYINT -> Mem.putByte(data + row, ((Number) value).byteValue());
            case SMALLINT -> Mem.putShort(data + 2L * row, ((Number) value).shortValue());
            case INTEGER, DATE, INTERVAL_YEAR_MONTH -> Mem.putInt(data + 4L * row, ((Number) value).intValue());
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME ->
                Mem.putLong(data + 8L * row, ((Number) value).longValue());
            case REAL -> Mem.putFloat(data + 4L * row, ((Number) value).floatValue());
            case DOUBLE -> Mem.putDouble(data + 8L * row, ((Number) value).doubleValue());
            case DECIMAL ->
                putDecimal(
                        data + 16L * row, (BigDecimal) value, out.type(column).scale());
            case VARCHAR -> out.putString(column, row, (String) value);
            case VARBINARY -> out.putBytes(column, row, (byte[]) value, 0, ((byte[]) value).length);
            case NULL -> out.setNull(column, row);
        }
    }

    public static BigDecimal getDecimal(long address, int scale) {
        long low = Mem.getLong(address);
        long high = Mem.getLong(address + 8);
        if (high == low >> 63) {
            return BigDecimal.valueOf(low, scale);
        }
        BigInteger unscaled = BigInteger.valueOf(high)
                .shiftLeft(64)
                .add(BigInteger.valueOf(low >>> 1).shiftLeft(1).add(BigInteger.valueOf(low & 1)));
        return new BigDecimal(unscaled, scale);
    }

    /** Stores at this scale; the value must fit it exactly. */
    public static void putDecimal(long address, BigDecimal value, int scale) {
        BigInteger unscaled = value.setScale(scale).unscaledValue();
        Mem.putLong(address, unscaled.longValue());
        Mem.putLong(address + 8, unscaled.shiftRight(64).longValue());
    }
}

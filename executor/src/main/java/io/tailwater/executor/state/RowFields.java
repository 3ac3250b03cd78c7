package io.tailwater.executor.state;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

/** The loops that move one column between a batch and encoded rows, by physical width. */
final class RowFields {
    private RowFields() {}

    /** Fields at {@code to}, {@code stride} apart, from a column's values; whatever lies under a NULL is moved along. */
    static void encode(ColumnBatch batch, int column, TypeKind target, int rows, long to, int stride) {
        TypeKind source = batch.type(column).kind();
        long data = batch.data(column);
        if (source != target && source.isInteger() && target.isInteger()) {
            widen(data, source, target, rows, to, stride);
            return;
        }
        if (RowLayout.fieldBytes(source) != RowLayout.fieldBytes(target)) {
            throw new AssertionError("column of " + source + " where the layout has " + target);
        }
        switch (target) {
            case BOOLEAN -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putByte(to + (long) i * stride, (byte) (Mem.getBit(data, i) ? 1 : 0));
                }
            }
            case TINYINT -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putByte(to + (long) i * stride, Mem.getByte(data + i));
                }
            }
            case SMALLINT -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putShort(to + (long) i * stride, Mem.getShort(data + 2L * i));
                }
            }
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putInt(to + (long) i * stride, Mem.getInt(data + 4L * i));
                }
            }
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putLong(to + (long) i * stride, Mem.getLong(data + 8L * i));
                }
            }
            case REAL -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putInt(to + (long) i * stride, Float.floatToIntBits(Mem.getFloat(data + 4L * i) + 0.0f));
                }
            }
            case DOUBLE -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putLong(to + (long) i * stride, Double.doubleToLongBits(Mem.getDouble(data + 8L * i) + 0.0d));
                }
            }
            case DECIMAL, VARCHAR, VARBINARY -> {
                for (int i = 0; i < rows; i++) {
                    StringView.copySlot(data + 16L * i, to + (long) i * stride);
                }
            }
        }
    }

    private static void widen(long data, TypeKind source, TypeKind target, int rows, long to, int stride) {
        if (source.width() > target.width()) {
            throw new AssertionError("column of " + source + " where the layout has " + target);
        }
        for (int i = 0; i < rows; i++) {
            long value = loadInteger(data, source, i);
            long at = to + (long) i * stride;
            switch (target.width()) {
                case 2 -> Mem.putShort(at, (short) value);
                case 4 -> Mem.putInt(at, (int) value);
                default -> Mem.putLong(at, value);
            }
        }
    }

    /** The value of an integer-like column (BOOLEAN, integers, times, intervals) as a long. */
    static long loadInteger(long data, TypeKind kind, int row) {
        return switch (kind) {
            case BOOLEAN -> Mem.getBit(data, row) ? 1 : 0;
            case TINYINT -> Mem.getByte(data + row);
            case SMALLINT -> Mem.getShort(data + 2L * row);
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> Mem.getInt(data + 4L * row);
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> Mem.getLong(data + 8L * row);
            case REAL, DOUBLE, DECIMAL, VARCHAR, VARBINARY -> throw new AssertionError(kind);
        };
    }

    /** Values of a builder's column from the fields at {@code addresses[i] + offset}. */
    static void decode(long[] addresses, int offset, TypeKind kind, int rows, BatchBuilder out, int column) {
        long data = out.data(column);
        TypeKind target = out.type(column).kind();
        if (kind != target && kind.isInteger() && target.isInteger()) {
            narrow(addresses, offset, kind, target, rows, data);
            return;
        }
        switch (kind) {
            case BOOLEAN -> {
                for (int i = 0; i < rows; i++) {
                    if (Mem.getByte(addresses[i] + offset) != 0) {
                        Mem.setBit(data, i);
                    }
                }
            }
            case TINYINT -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putByte(data + i, Mem.getByte(addresses[i] + offset));
                }
            }
            case SMALLINT -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putShort(data + 2L * i, Mem.getShort(addresses[i] + offset));
                }
            }
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, REAL, NULL -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putInt(data + 4L * i, Mem.getInt(addresses[i] + offset));
                }
            }
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME, DOUBLE -> {
                for (int i = 0; i < rows; i++) {
                    Mem.putLong(data + 8L * i, Mem.getLong(addresses[i] + offset));
                }
            }
            case DECIMAL -> {
                for (int i = 0; i < rows; i++) {
                    StringView.copySlot(addresses[i] + offset, data + 16L * i);
                }
            }
            case VARCHAR, VARBINARY -> {
                for (int i = 0; i < rows; i++) {
                    long slot = addresses[i] + offset;
                    if (StringView.length(slot) <= StringView.INLINE) {
                        StringView.copySlot(slot, data + 16L * i);
                    } else {
                        out.putBytes(column, i, Mem.getLong(slot + 8), StringView.length(slot));
                    }
                }
            }
        }
    }

    private static void narrow(long[] addresses, int offset, TypeKind kind, TypeKind target, int rows, long data) {
        for (int i = 0; i < rows; i++) {
            long at = addresses[i] + offset;
            long value = switch (kind.width()) {
                case 1 -> Mem.getByte(at);
                case 2 -> Mem.getShort(at);
                case 4 -> Mem.getInt(at);
                default -> Mem.getLong(at);
            };
            switch (target.width()) {
                case 1 -> Mem.putByte(data + i, (byte) value);
                case 2 -> Mem.putShort(data + 2L * i, (short) value);
                case 4 -> Mem.putInt(data + 4L * i, (int) value);
                default -> Mem.putLong(data + 8L * i, value);
            }
        }
    }

    static String describe(DataType type, long field) {
        return switch (type.kind()) {
            case BOOLEAN -> String.valueOf(Mem.getByte(field) != 0);
            case TINYINT -> String.valueOf(Mem.getByte(field));
            case SMALLINT -> String.valueOf(Mem.getShort(field));
            case INTEGER, INTERVAL_YEAR_MONTH, NULL -> String.valueOf(Mem.getInt(field));
            case DATE -> java.time.LocalDate.ofEpochDay(Mem.getInt(field)).toString();
            case BIGINT, TIME, INTERVAL_DAY_TIME -> String.valueOf(Mem.getLong(field));
            case TIMESTAMP, TIMESTAMP_LTZ -> {
                long micros = Mem.getLong(field);
                yield java.time.LocalDateTime.ofEpochSecond(
                                Math.floorDiv(micros, 1_000_000L),
                                (int) Math.floorMod(micros, 1_000_000L) * 1000,
                                java.time.ZoneOffset.UTC)
                        .toString();
            }
            case REAL -> String.valueOf(Mem.getFloat(field));
            case DOUBLE -> String.valueOf(Mem.getDouble(field));
            case DECIMAL -> Values.getDecimal(field, type.scale()).toPlainString();
            case VARCHAR -> "'" + StringView.toString(field) + "'";
            case VARBINARY -> "x'" + java.util.HexFormat.of().formatHex(StringView.toBytes(field)) + "'";
        };
    }
}

package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.DataType;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes on their way into a file, and how values look there: so that {@link TextValues} reads back what was written. Owned by one writer.
 */
final class TextOutput {
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

    private byte[] bytes = new byte[1 << 16];
    private int length;

    byte[] array() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** The last byte, 0 if there is none. */
    byte last() {
        return length == 0 ? 0 : bytes[length - 1];
    }

    /** Forgets all but the first {@code to} bytes. */
    void truncate(int to) {
        length = to;
    }

    void put(char ascii) {
        room(1);
        bytes[length++] = (byte) ascii;
    }

    void put(String text) {
        put(text.getBytes(StandardCharsets.UTF_8));
    }

    void put(byte[] text) {
        room(text.length);
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    /** A value as text, without quotes. The row must not be NULL there. */
    void value(ColumnBatch batch, int column, int row) {
        DataType type = batch.type(column);
        long data = batch.data(column);
        switch (type.kind()) {
            case BOOLEAN -> put(Mem.getBit(data, row) ? "true" : "false");
            case TINYINT -> number(Mem.getByte(data + row));
            case SMALLINT -> number(Mem.getShort(data + 2L * row));
            case INTEGER -> number(Mem.getInt(data + 4L * row));
            case BIGINT -> number(Mem.getLong(data + 8L * row));
            case DECIMAL -> decimal(Values.getDecimal(data + 16L * row, type.scale()));
            case REAL -> put(Float.toString(Mem.getFloat(data + 4L * row)));
            case DOUBLE -> put(Double.toString(Mem.getDouble(data + 8L * row)));
            case VARCHAR -> text(data + 16L * row);
            case VARBINARY -> hex(data + 16L * row);
            case DATE -> date(Mem.getInt(data + 4L * row));
            case TIME -> time(Mem.getLong(data + 8L * row), type.precision());
            case TIMESTAMP -> timestamp(Mem.getLong(data + 8L * row), type.precision());
            case TIMESTAMP_LTZ -> {
                timestamp(Mem.getLong(data + 8L * row), type.precision());
                put('Z');
            }
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH, NULL -> throw new AssertionError(type);
        }
    }

    private void decimal(BigDecimal value) {
        put(value.toPlainString());
    }

    void number(long value) {
        if (value == Long.MIN_VALUE) {
            put("-9223372036854775808");
            return;
        }
        if (value < 0) {
            put('-');
        }
        digits(Math.abs(value), 1);
    }

    /** At least {@code width} digits. */
    private void digits(long value, int width) {
        int count = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            count++;
        }
        count = Math.max(count, width);
        room(count);
        long rest = value;
        for (int at = length + count - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += count;
    }

    private void text(long slot) {
        int size = StringView.length(slot);
        room(size);
        Mem.copyToArray(StringView.bytes(slot), bytes, length, size);
        length += size;
    }

    private void hex(long slot) {
        put("\\x");
        long from = StringView.bytes(slot);
        int size = StringView.length(slot);
        room(2 * size);
        for (int i = 0; i < size; i++) {
            byte b = Mem.getByte(from + i);
            bytes[length++] = HEX[(b >> 4) & 15];
            bytes[length++] = HEX[b & 15];
        }
    }

    private void date(long days) {
        // The inverse of DateTimes.daysSinceEpoch.
        long z = days + 719_468;
        long era = Math.floorDiv(z, 146_097);
        long dayOfEra = z - era * 146_097;
        long yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long shifted = (5 * dayOfYear + 2) / 153;
        long month = shifted < 10 ? shifted + 3 : shifted - 9;
        long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
        if (year < 0) {
            put('-');
        }
        digits(Math.abs(year), 4);
        put('-');
        digits(month, 2);
        put('-');
        digits(dayOfYear - (153 * shifted + 2) / 5 + 1, 2);
    }

    private void time(long micros, int precision) {
        digits(micros / 3_600_000_000L, 2);
        put(':');
        digits(micros / 60_000_000 % 60, 2);
        put(':');
        digits(micros / 1_000_000 % 60, 2);
        if (precision > 0) {
            put('.');
            long fraction = micros % 1_000_000;
            for (int digits = precision; digits < 6; digits++) {
                fraction /= 10;
            }
            digits(fraction, precision);
        }
    }

    private void timestamp(long micros, int precision) {
        date(Math.floorDiv(micros, DateTimes.DAY_MICROS));
        put(' ');
        time(Math.floorMod(micros, DateTimes.DAY_MICROS), precision);
    }

    /** Puts the bytes from {@code from} on between quotes, and doubles those among them. */
    void quote(int from, byte quote) {
        int doubled = 0;
        for (int at = from; at < length; at++) {
            doubled += bytes[at] == quote ? 1 : 0;
        }
        room(doubled + 2);
        int to = length + doubled + 1;
        bytes[to] = quote;
        for (int at = length - 1; at >= from; at--) {
            bytes[--to] = bytes[at];
            if (bytes[at] == quote) {
                bytes[--to] = quote;
            }
        }
        bytes[from] = quote;
        length += doubled + 2;
    }

    /** Makes the bytes from {@code from} on a JSON string. */
    void jsonString(int from) {
        int extra = 2;
        for (int at = from; at < length; at++) {
            extra += escapedLength(bytes[at]) - 1;
        }
        room(extra);
        int to = length + extra;
        bytes[--to] = '"';
        for (int at = length - 1; at >= from; at--) {
            byte b = bytes[at];
            switch (escapedLength(b)) {
                case 1 -> bytes[--to] = b;
                case 2 -> {
                    bytes[--to] = b == '\n' ? (byte) 'n' : b;
                    bytes[--to] = '\\';
                }
                default -> {
                    bytes[--to] = HEX[b & 15];
                    bytes[--to] = HEX[b >> 4];
                    bytes[--to] = '0';
                    bytes[--to] = '0';
                    bytes[--to] = 'u';
                    bytes[--to] = '\\';
                }
            }
        }
        bytes[from] = '"';
        length += extra;
    }

    private static int escapedLength(byte b) {
        return b == '"' || b == '\\' || b == '\n' ? 2 : b >= 0 && b < ' ' ? 6 : 1;
    }
}

package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * UTF-8 text to values of every column type, straight into a batch. Numbers are decimal digits with an optional sign, fraction and exponent; a DECIMAL with
 * more fractional digits than its scale is rounded half up; TIME and TIMESTAMP are cut to their precision; VARBINARY is hexadecimal after {@code \x}.
 */
final class TextValues {
    private static final double[] POWERS = new double[23];
    private static final long[] LONG_POWERS = new long[19];

    static {
        for (int i = 0; i < POWERS.length; i++) {
            POWERS[i] = Double.parseDouble("1e" + i);
        }
        LONG_POWERS[0] = 1;
        for (int i = 1; i < LONG_POWERS.length; i++) {
            LONG_POWERS[i] = LONG_POWERS[i - 1] * 10;
        }
    }

    private TextValues() {}

    static void parse(BatchBuilder out, int column, int row, DataType type, byte[] text, int from, int to)
            throws BadRecord {
        if (type.kind() == TypeKind.VARCHAR) {
            varchar(out, column, row, type, text, from, to);
            return;
        }
        int start = from;
        int end = to;
        while (start < end && text[start] == ' ') {
            start++;
        }
        while (start < end && text[end - 1] == ' ') {
            end--;
        }
        try {
            long at = out.data(column);
            switch (type.kind()) {
                case BOOLEAN -> RowWriter.putBoolean(out, column, row, bool(text, start, end));
                case TINYINT -> Mem.putByte(at + row, (byte) integer(text, start, end, Byte.MIN_VALUE, Byte.MAX_VALUE));
                case SMALLINT ->
                    Mem.putShort(at + 2L * row, (short) integer(text, start, end, Short.MIN_VALUE, Short.MAX_VALUE));
                case INTEGER ->
                    Mem.putInt(at + 4L * row, (int) integer(text, start, end, Integer.MIN_VALUE, Integer.MAX_VALUE));
                case BIGINT -> Mem.putLong(at + 8L * row, integer(text, start, end, Long.MIN_VALUE, Long.MAX_VALUE));
                case DECIMAL -> decimal(at + 16L * row, type, text, start, end);
                case REAL -> Mem.putFloat(at + 4L * row, real(text, start, end));
                case DOUBLE -> Mem.putDouble(at + 8L * row, floating(text, start, end));
                case VARBINARY -> varbinary(out, column, row, type, text, start, end);
                case DATE -> Mem.putInt(at + 4L * row, (int) DateTimes.days(text, start, end));
                case TIME -> Mem.putLong(at + 8L * row, cut(DateTimes.timeOfDay(text, start, end), type));
                case TIMESTAMP, TIMESTAMP_LTZ ->
                    Mem.putLong(at + 8L * row, cut(DateTimes.timestamp(text, start, end), type));
                case VARCHAR, INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH, NULL -> throw new AssertionError(type);
            }
        } catch (BadRecord e) {
            throw invalid(type, text, from, to, e);
        }
    }

    private static BadRecord invalid(DataType type, byte[] text, int from, int to, BadRecord cause) {
        String shown = new String(text, from, Math.min(to - from, 60), StandardCharsets.UTF_8);
        String reason = cause.reason().isEmpty() ? "" : " (" + cause.reason() + ")";
        return new BadRecord(null, "invalid " + type.sql() + ": \"" + shown + "\"" + reason);
    }

    /** Cuts microseconds to the type's fractional digits, towards the past. */
    static long cut(long micros, DataType type) {
        long unit = LONG_POWERS[6 - Math.min(6, type.precision())];
        return unit == 1 ? micros : Math.floorDiv(micros, unit) * unit;
    }

    private static boolean bool(byte[] text, int start, int end) throws BadRecord {
        return switch (ascii(text, start, end).toLowerCase(Locale.ROOT)) {
            case "true", "t", "yes", "y", "on", "1" -> true;
            case "false", "f", "no", "n", "off", "0" -> false;
            default -> throw new BadRecord(null, "");
        };
    }

    static long integer(byte[] text, int start, int end, long min, long max) throws BadRecord {
        int at = start;
        boolean negative = at < end && text[at] == '-';
        if (negative || (at < end && text[at] == '+')) {
            at++;
        }
        int digits = at;
        // Negative, because there is one more of them.
        long value = 0;
        for (; at < end && isDigit(text[at]); at++) {
            int digit = text[at] - '0';
            if (value < Long.MIN_VALUE / 10 || value * 10 < Long.MIN_VALUE + digit) {
                throw new BadRecord(null, "out of range");
            }
            value = value * 10 - digit;
        }
        boolean empty = at == digits;
        if (at < end && text[at] == '.') {
            // Tools that know floating point only write 12.0 for 12.
            do {
                at++;
            } while (at < end && text[at] == '0');
        }
        if (empty || at != end) {
            throw new BadRecord(null, "");
        }
        if (!negative) {
            if (value == Long.MIN_VALUE) {
                throw new BadRecord(null, "out of range");
            }
            value = -value;
        }
        if (value < min || value > max) {
            throw new BadRecord(null, "out of range");
        }
        return value;
    }

    private static void decimal(long address, DataType type, byte[] text, int start, int end) throws BadRecord {
        int at = start;
        boolean negative = at < end && text[at] == '-';
        if (negative || (at < end && text[at] == '+')) {
            at++;
        }
        long unscaled = 0;
        int digits = 0;
        int fraction = 0;
        boolean point = false;
        for (; at < end; at++) {
            if (text[at] == '.' && !point) {
                point = true;
            } else if (isDigit(text[at]) && digits < 18) {
                unscaled = unscaled * 10 + text[at] - '0';
                digits++;
                fraction += point ? 1 : 0;
            } else {
                break;
            }
        }
        int shift = type.scale() - fraction;
        if (at != end || digits == 0 || shift < 0 || digits + shift > 18) {
            slowDecimal(address, type, ascii(text, start, end));
            return;
        }
        unscaled *= LONG_POWERS[shift];
        if (type.precision() < 18 && unscaled >= LONG_POWERS[type.precision()]) {
            throw new BadRecord(null, "out of range");
        }
        long value = negative ? -unscaled : unscaled;
        Mem.putLong(address, value);
        Mem.putLong(address + 8, value >> 63);
    }

    private static void slowDecimal(long address, DataType type, String text) throws BadRecord {
        decimal(address, type, number(text));
    }

    /** Stores a number of any scale, rounded half up. */
    static void decimal(long address, DataType type, BigDecimal number) throws BadRecord {
        // A huge exponent must not become a huge number.
        if (number.precision() - (long) number.scale() > type.precision()) {
            throw new BadRecord(null, "out of range");
        }
        BigDecimal value = number.setScale(type.scale(), RoundingMode.HALF_UP);
        if (value.precision() > type.precision()) {
            throw new BadRecord(null, "out of range");
        }
        Values.putDecimal(address, value, type.scale());
    }

    static BigDecimal number(String text) throws BadRecord {
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw new BadRecord(null, "");
        }
    }

    private static float real(byte[] text, int start, int end) throws BadRecord {
        String number = floatingText(text, start, end);
        float value = Float.parseFloat(number) + 0;
        if (Float.isInfinite(value) && isDigit((byte) number.charAt(number.length() - 1))) {
            throw new BadRecord(null, "out of range");
        }
        return value;
    }

    /** Up to 15 digits and 22 places the quotient of two exact doubles is the nearest double (Clinger 1990); the rest is the JDK's. */
    private static double floating(byte[] text, int start, int end) throws BadRecord {
        int at = start;
        boolean negative = at < end && text[at] == '-';
        if (negative) {
            at++;
        }
        long digits = 0;
        int count = 0;
        int fraction = 0;
        boolean point = false;
        for (; at < end; at++) {
            if (text[at] == '.' && !point) {
                point = true;
            } else if (isDigit(text[at]) && count < 15) {
                digits = digits * 10 + text[at] - '0';
                count++;
                fraction += point ? 1 : 0;
            } else {
                break;
            }
        }
        if (at == end && count > 0) {
            double value = digits / POWERS[fraction];
            return negative ? 0 - value : value;
        }
        String number = floatingText(text, start, end);
        double value = Double.parseDouble(number) + 0;
        if (Double.isInfinite(value) && isDigit((byte) number.charAt(number.length() - 1))) {
            throw new BadRecord(null, "out of range");
        }
        return value;
    }

    /** What Java parses, less what only Java writes (hexadecimal, a trailing d). */
    private static String floatingText(byte[] text, int start, int end) throws BadRecord {
        String number = ascii(text, start, end);
        int digits = 0;
        for (int i = 0; i < number.length(); i++) {
            char c = number.charAt(i);
            if (c >= '0' && c <= '9') {
                digits++;
            } else if ("+-.eE".indexOf(c) < 0) {
                return word(number);
            }
        }
        if (digits == 0) {
            throw new BadRecord(null, "");
        }
        number(number);
        return number;
    }

    private static String word(String number) throws BadRecord {
        return switch (number.toLowerCase(Locale.ROOT)) {
            case "nan" -> "NaN";
            case "inf", "+inf", "infinity", "+infinity" -> "Infinity";
            case "-inf", "-infinity" -> "-Infinity";
            default -> throw new BadRecord(null, "");
        };
    }

    private static void varchar(BatchBuilder out, int column, int row, DataType type, byte[] text, int start, int end)
            throws BadRecord {
        int characters = characters(text, start, end);
        if (characters > type.precision()) {
            throw new BadRecord(null, "value too long for " + type.sql() + ": " + characters + " characters");
        }
        out.putBytes(column, row, text, start, end - start);
    }

    /** Code points of UTF-8 text, which is checked. */
    static int characters(byte[] text, int start, int end) throws BadRecord {
        int at = start;
        while (at < end && text[at] >= 0) {
            at++;
        }
        if (at == end) {
            return end - start;
        }
        java.nio.charset.CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        try {
            java.nio.CharBuffer decoded = decoder.decode(java.nio.ByteBuffer.wrap(text, start, end - start));
            return Character.codePointCount(decoded, 0, decoded.length());
        } catch (java.nio.charset.CharacterCodingException e) {
            throw new BadRecord(null, "invalid UTF-8");
        }
    }

    private static void varbinary(BatchBuilder out, int column, int row, DataType type, byte[] text, int start, int end)
            throws BadRecord {
        String hex = ascii(text, start, end);
        byte[] bytes;
        try {
            if (!hex.startsWith("\\x")) {
                throw new BadRecord(null, "");
            }
            bytes = java.util.HexFormat.of().parseHex(hex, 2, hex.length());
        } catch (IllegalArgumentException e) {
            throw new BadRecord(null, "");
        }
        if (bytes.length > type.precision()) {
            throw new BadRecord(null, bytes.length + " bytes");
        }
        out.putBytes(column, row, bytes, 0, bytes.length);
    }

    private static String ascii(byte[] text, int start, int end) {
        return new String(text, start, end - start, StandardCharsets.ISO_8859_1);
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }
}

package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * Text as values. White space around the text is ignored. What does not parse is 22P02, or 22007 for dates and times; what parses but does not
 * fit is 22003, or 22008. Text is given by address and length.
 */
final class TextParse {
    private static final long MAX_BEFORE_DIGIT = Long.MIN_VALUE / 10;

    private TextParse() {}

    private static boolean isSpace(byte c) {
        return c == ' ' || (c >= 9 && c <= 13);
    }

    static long skipSpace(long at, long end) {
        while (at < end && isSpace(Mem.getByte(at))) {
            at++;
        }
        return at;
    }

    static long trimEnd(long at, long end) {
        while (end > at && isSpace(Mem.getByte(end - 1))) {
            end--;
        }
        return end;
    }

    static boolean toBoolean(long bytes, int length) {
        String text = Texts.toString(bytes, length);
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "true", "t", "yes", "y", "on", "1" -> true;
            case "false", "f", "no", "n", "off", "0" -> false;
            default -> throw DataErrors.invalidText("BOOLEAN", text);
        };
    }

    /** An integer of 64 bits; {@code type} is named in errors. */
    static long toLong(long bytes, int length, String type) {
        long end = trimEnd(bytes, bytes + length);
        long at = skipSpace(bytes, end);
        boolean negative = at < end && Mem.getByte(at) == '-';
        if (negative || (at < end && Mem.getByte(at) == '+')) {
            at++;
        }
        if (at == end) {
            throw DataErrors.invalidText(type, Texts.toString(bytes, length));
        }
        long value = 0;
        for (; at < end; at++) {
            int digit = Mem.getByte(at) - '0';
            if (digit < 0 || digit > 9) {
                throw DataErrors.invalidText(type, Texts.toString(bytes, length));
            }
            if (value < MAX_BEFORE_DIGIT || value * 10 < Long.MIN_VALUE + digit) {
                checkDigits(at, end, bytes, length, type);
            }
            value = value * 10 - digit;
        }
        if (negative) {
            return value;
        }
        if (value == Long.MIN_VALUE) {
            throw DataErrors.textOutOfRange(type, Texts.toString(bytes, length));
        }
        return -value;
    }

    private static void checkDigits(long at, long end, long bytes, int length, String type) {
        for (; at < end; at++) {
            byte c = Mem.getByte(at);
            if (c < '0' || c > '9') {
                throw DataErrors.invalidText(type, Texts.toString(bytes, length));
            }
        }
        throw DataErrors.textOutOfRange(type, Texts.toString(bytes, length));
    }

    static float toFloat(long bytes, int length) {
        String text = Texts.toString(bytes, length);
        float value = (float) toDoubleSlow(text, "REAL");
        if (!isNumber(text.strip())) {
            return value;
        }
        // Once more at single precision: by way of a double it would be rounded twice.
        value = Float.parseFloat(text.strip()) + 0;
        if (Float.isInfinite(value)) {
            throw DataErrors.textOutOfRange("REAL", text);
        }
        return value;
    }

    static double toDouble(long bytes, int length) {
        long end = trimEnd(bytes, bytes + length);
        long at = skipSpace(bytes, end);
        boolean negative = at < end && Mem.getByte(at) == '-';
        long first = negative ? at + 1 : at;
        long digits = 0;
        int count = 0;
        int scale = -1;
        for (long p = first; p < end; p++) {
            int c = Mem.getByte(p);
            if (c == '.' && scale < 0) {
                scale = 0;
            } else if (c >= '0' && c <= '9' && count < 15) {
                digits = digits * 10 + c - '0';
                count++;
                scale += scale < 0 ? 0 : 1;
            } else {
                return toDoubleSlow(Texts.toString(bytes, length), "DOUBLE");
            }
        }
        if (count == 0) {
            return toDoubleSlow(Texts.toString(bytes, length), "DOUBLE");
        }
        // At most 15 digits over at most 10^15: both exact, so the quotient is the nearest double.
        double value = scale > 0 ? (double) digits / (double) Decimals.power(scale) : digits;
        return negative ? 0 - value : value;
    }

    private static double toDoubleSlow(String text, String type) {
        String stripped = text.strip();
        if (!isNumber(stripped)) {
            return switch (stripped.toLowerCase(Locale.ROOT)) {
                case "nan" -> Double.NaN;
                case "infinity", "+infinity", "inf", "+inf" -> Double.POSITIVE_INFINITY;
                case "-infinity", "-inf" -> Double.NEGATIVE_INFINITY;
                default -> throw DataErrors.invalidText(type, text);
            };
        }
        double value = Double.parseDouble(stripped) + 0;
        if (Double.isInfinite(value)) {
            throw DataErrors.textOutOfRange(type, text);
        }
        return value;
    }

    /** Digits with an optional sign, point and exponent. */
    private static boolean isNumber(String text) {
        int at = 0;
        int digits = 0;
        boolean point = false;
        if (!text.isEmpty() && (text.charAt(0) == '-' || text.charAt(0) == '+')) {
            at++;
        }
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c >= '0' && c <= '9') {
                digits++;
            } else if (c == '.' && !point) {
                point = true;
            } else {
                break;
            }
        }
        if (digits == 0 || at == text.length()) {
            return digits > 0;
        }
        return (text.charAt(at) == 'e' || text.charAt(at) == 'E') && isExponent(text, at + 1);
    }

    private static boolean isExponent(String text, int at) {
        if (at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+')) {
            at++;
        }
        // Seven digits are more than any number here can use, and few enough for an int.
        if (at == text.length() || text.length() - at > 7) {
            return false;
        }
        for (; at < text.length(); at++) {
            if (text.charAt(at) < '0' || text.charAt(at) > '9') {
                return false;
            }
        }
        return true;
    }

    /** The unscaled value at {@code scale}, half away from zero. */
    static long toDecimal(long bytes, int length, int scale, Registers r) {
        long end = trimEnd(bytes, bytes + length);
        long at = skipSpace(bytes, end);
        boolean negative = at < end && Mem.getByte(at) == '-';
        long value = 0;
        int count = 0;
        int fraction = -1;
        for (long p = negative ? at + 1 : at; p < end; p++) {
            int c = Mem.getByte(p);
            if (c == '.' && fraction < 0) {
                fraction = 0;
            } else if (c >= '0' && c <= '9' && count < 18) {
                value = value * 10 + c - '0';
                count++;
                fraction += fraction < 0 ? 0 : 1;
            } else {
                return toDecimalSlow(Texts.toString(bytes, length), scale, r);
            }
        }
        if (count == 0) {
            return toDecimalSlow(Texts.toString(bytes, length), scale, r);
        }
        long signed = negative ? -value : value;
        int up = scale - Math.max(fraction, 0);
        return up >= 0
                ? Decimals.scaleUp(signed, signed >> 63, up, r)
                : Decimals.divideByPower(signed, signed >> 63, -up, r);
    }

    private static long toDecimalSlow(String text, int scale, Registers r) {
        String stripped = text.strip();
        if (!isNumber(stripped)) {
            throw DataErrors.invalidText("DECIMAL", text);
        }
        BigDecimal value = new BigDecimal(stripped);
        if (value.signum() == 0) {
            r.high = 0;
            return 0;
        }
        if (value.precision() - (long) value.scale() > 39) {
            throw DataErrors.textOutOfRange("DECIMAL", text);
        }
        return Decimals.fromBigDecimal(value, scale, r);
    }

    static int toDate(long bytes, int length) {
        return new DatetimeText(bytes, length, "DATE").date();
    }

    static long toTime(long bytes, int length) {
        return new DatetimeText(bytes, length, "TIME").time();
    }

    static long toTimestamp(long bytes, int length) {
        long fast = fastTimestamp(bytes, length);
        return fast != Long.MIN_VALUE ? fast : new DatetimeText(bytes, length, "TIMESTAMP").timestamp();
    }

    static long toInstant(long bytes, int length, LocalZone zone) {
        long fast = fastTimestamp(bytes, length);
        return fast != Long.MIN_VALUE
                ? zone.toInstant(fast)
                : new DatetimeText(bytes, length, "TIMESTAMP WITH LOCAL TIME ZONE").instant(zone);
    }

    /** {@code yyyy-MM-dd HH:mm:ss[.ffffff]} exactly, or {@code Long.MIN_VALUE} for whatever else. */
    private static long fastTimestamp(long at, int length) {
        if (length < 19 || length == 20 || length > 26 || Mem.getByte(at + 4) != '-' || Mem.getByte(at + 7) != '-') {
            return Long.MIN_VALUE;
        }
        byte separator = Mem.getByte(at + 10);
        if ((separator != ' ' && separator != 'T') || Mem.getByte(at + 13) != ':' || Mem.getByte(at + 16) != ':') {
            return Long.MIN_VALUE;
        }
        int year = two(at) * 100 + two(at + 2);
        int month = two(at + 5);
        int day = two(at + 8);
        int hour = two(at + 11);
        int minute = two(at + 14);
        int second = two(at + 17);
        long micros = length > 19 ? fraction(at + 19, length - 19) : 0;
        // Any two digits that are none come out far below zero.
        boolean fields = year >= 1
                && month >= 1
                && month <= 12
                && day >= 1
                && hour >= 0
                && hour < 24
                && minute >= 0
                && minute < 60
                && second >= 0
                && second < 60
                && micros >= 0;
        if (!fields || two(at) < 0 || two(at + 2) < 0 || day > Datetimes.daysInMonth(year, month)) {
            return Long.MIN_VALUE;
        }
        long seconds = hour * 3600L + minute * 60L + second;
        return Datetimes.days(year, month, day) * Datetimes.DAY + seconds * Datetimes.SECOND + micros;
    }

    private static int two(long at) {
        int tens = Mem.getByte(at) - '0';
        int ones = Mem.getByte(at + 1) - '0';
        return (tens | ones) < 0 || tens > 9 || ones > 9 ? -100_000 : tens * 10 + ones;
    }

    private static long fraction(long at, int length) {
        if (Mem.getByte(at) != '.') {
            return -1;
        }
        long micros = 0;
        for (int i = 1; i <= 6; i++) {
            int digit = i < length ? Mem.getByte(at + i) - '0' : 0;
            if (digit < 0 || digit > 9) {
                return -1;
            }
            micros = micros * 10 + digit;
        }
        return micros;
    }
}

package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;

/**
 * Reads one date, time or timestamp: {@code [-]y-M-d}, {@code H:m[:s[.fraction]]}, joined by a space or T, with a zone of Z or +h[:m] where an
 * instant is wanted. Fractions past six digits are cut. Owned by one call.
 */
final class DatetimeText {
    private final long bytes;
    private final int length;
    private final String type;
    private final long end;
    private long at;

    DatetimeText(long bytes, int length, String type) {
        this.bytes = bytes;
        this.length = length;
        this.type = type;
        end = TextParse.trimEnd(bytes, bytes + length);
        at = TextParse.skipSpace(bytes, end);
    }

    /** A date; a time after it is checked and left out. */
    int date() {
        int days = parseDate();
        if (at < end) {
            separator();
            parseTime();
            parseOffset();
            finish();
        }
        return days;
    }

    long time() {
        long micros = parseTime();
        finish();
        return micros;
    }

    /** A wall-clock time. A zone other than UTC would change its meaning and is refused. */
    long timestamp() {
        long micros = parseTimestamp();
        if (at < end && parseOffset() != 0) {
            throw DataErrors.invalidDatetime(type, text());
        }
        finish();
        return micros;
    }

    long instant(LocalZone zone) {
        long micros = parseTimestamp();
        if (at == end) {
            return zone.toInstant(micros);
        }
        long offset = parseOffset();
        finish();
        return micros - offset;
    }

    private long parseTimestamp() {
        long micros = Datetimes.fromDate(parseDate());
        if (at < end) {
            separator();
            micros += parseTime();
        }
        return micros;
    }

    private String text() {
        return Texts.toString(bytes, length);
    }

    private int parseDate() {
        boolean negative = at < end && Mem.getByte(at) == '-';
        if (negative) {
            at++;
        }
        int year = number(6);
        expect('-');
        int month = number(2);
        expect('-');
        int day = number(2);
        year = negative ? -year : year;
        if (month < 1 || month > 12 || day < 1 || day > Datetimes.daysInMonth(year, month)) {
            throw DataErrors.datetimeField(text());
        }
        return Datetimes.days(year, month, day);
    }

    private void separator() {
        byte c = Mem.getByte(at);
        if (c != ' ' && c != 'T' && c != 't') {
            throw DataErrors.invalidDatetime(type, text());
        }
        at = TextParse.skipSpace(at + 1, end);
    }

    private long parseTime() {
        int hour = number(2);
        expect(':');
        int minute = number(2);
        int second = 0;
        long micros = 0;
        if (at < end && Mem.getByte(at) == ':') {
            at++;
            second = number(2);
            if (at < end && Mem.getByte(at) == '.') {
                at++;
                micros = fraction();
            }
        }
        if (hour > 23 || minute > 59 || second > 59) {
            throw DataErrors.datetimeField(text());
        }
        return (hour * 3600L + minute * 60L + second) * Datetimes.SECOND + micros;
    }

    private long fraction() {
        long micros = 0;
        int digits = 0;
        for (; at < end && isDigit(Mem.getByte(at)); at++, digits++) {
            micros = digits < 6 ? micros * 10 + Mem.getByte(at) - '0' : micros;
        }
        return digits < 6 ? micros * Decimals.power(6 - digits) : micros;
    }

    /** Microseconds east of UTC; 0 if no zone follows. */
    private long parseOffset() {
        if (at == end) {
            return 0;
        }
        byte sign = Mem.getByte(at++);
        if (sign == 'Z' || sign == 'z') {
            return 0;
        }
        if (sign != '+' && sign != '-') {
            throw DataErrors.invalidDatetime(type, text());
        }
        int hours = number(2);
        int minutes = 0;
        if (at < end) {
            if (Mem.getByte(at) == ':') {
                at++;
            }
            minutes = number(2);
        }
        if (hours > 18 || minutes > 59) {
            throw DataErrors.datetimeField(text());
        }
        long offset = (hours * 3600L + minutes * 60L) * Datetimes.SECOND;
        return sign == '-' ? -offset : offset;
    }

    private int number(int maxDigits) {
        int value = 0;
        int digits = 0;
        for (; at < end && digits < maxDigits && isDigit(Mem.getByte(at)); at++, digits++) {
            value = value * 10 + Mem.getByte(at) - '0';
        }
        if (digits == 0) {
            throw DataErrors.invalidDatetime(type, text());
        }
        return value;
    }

    private static boolean isDigit(byte c) {
        return c >= '0' && c <= '9';
    }

    private void expect(char c) {
        if (at == end || Mem.getByte(at) != c) {
            throw DataErrors.invalidDatetime(type, text());
        }
        at++;
    }

    private void finish() {
        if (at != end) {
            throw DataErrors.invalidDatetime(type, text());
        }
    }
}

package io.tailwater.connector.files;

/**
 * Dates and times as files write them: {@code 2001-01-31}, {@code 2001/1/31}, then a blank or T, {@code 10:44}, {@code 10:44:59} or {@code 10:44:59.25},
 * then nothing, {@code Z} or an offset as in {@code +02:00}, which is taken into account. Digits beyond microseconds are cut off.
 */
final class DateTimes {
    static final long DAY_MICROS = 86_400_000_000L;

    private final byte[] text;
    private final int end;
    private int at;

    private DateTimes(byte[] text, int start, int end) {
        this.text = text;
        this.at = start;
        this.end = end;
    }

    /** Days since 1970-01-01. */
    static long days(byte[] text, int start, int end) throws BadRecord {
        DateTimes parser = new DateTimes(text, start, end);
        long days = parser.date();
        parser.expectEnd();
        return days;
    }

    /** Microseconds since midnight. */
    static long timeOfDay(byte[] text, int start, int end) throws BadRecord {
        DateTimes parser = new DateTimes(text, start, end);
        long micros = parser.time();
        parser.expectEnd();
        return micros;
    }

    /** Microseconds since 1970-01-01T00:00:00, in UTC if the text has an offset. */
    static long timestamp(byte[] text, int start, int end) throws BadRecord {
        DateTimes parser = new DateTimes(text, start, end);
        long micros = parser.date() * DAY_MICROS;
        if (parser.at < end) {
            if (!parser.take(' ') && !parser.take('T')) {
                throw bad();
            }
            micros += parser.time();
            micros -= parser.offset();
        }
        parser.expectEnd();
        return micros;
    }

    private long date() throws BadRecord {
        int yearAt = at;
        int year = number(4);
        if (at - yearAt != 4 || year == 0) {
            throw bad();
        }
        char separator = take('/') ? '/' : '-';
        if (separator == '-' && !take('-')) {
            throw bad();
        }
        int month = number(2);
        if (!take(separator)) {
            throw bad();
        }
        int day = number(2);
        if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) {
            throw bad();
        }
        return daysSinceEpoch(year, month, day);
    }

    private long time() throws BadRecord {
        int hour = number(2);
        if (!take(':')) {
            throw bad();
        }
        int minute = number(2);
        long second = 0;
        long micros = 0;
        if (take(':')) {
            second = number(2);
            if (take('.')) {
                micros = fraction();
            }
        }
        if (hour > 23 || minute > 59 || second > 59) {
            throw bad();
        }
        return ((hour * 60L + minute) * 60 + second) * 1_000_000 + micros;
    }

    private long fraction() throws BadRecord {
        long micros = 0;
        int digits = 0;
        for (; at < end && isDigit(text[at]); at++, digits++) {
            if (digits < 6) {
                micros = micros * 10 + text[at] - '0';
            }
        }
        if (digits == 0) {
            throw bad();
        }
        for (; digits < 6; digits++) {
            micros *= 10;
        }
        return micros;
    }

    private long offset() throws BadRecord {
        if (at == end || take('Z')) {
            return 0;
        }
        int sign = take('+') ? 1 : take('-') ? -1 : 0;
        if (sign == 0) {
            throw bad();
        }
        int hours = number(2);
        boolean colon = take(':');
        int minutes = at < end || colon ? number(2) : 0;
        if (hours > 18 || minutes > 59) {
            throw bad();
        }
        return sign * (hours * 60L + minutes) * 60_000_000;
    }

    /** From one to {@code most} digits. */
    private int number(int most) throws BadRecord {
        int value = 0;
        int stop = Math.min(end, at + most);
        int begin = at;
        for (; at < stop && isDigit(text[at]); at++) {
            value = value * 10 + text[at] - '0';
        }
        if (at == begin) {
            throw bad();
        }
        return value;
    }

    private boolean take(char wanted) {
        if (at < end && text[at] == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void expectEnd() throws BadRecord {
        if (at != end) {
            throw bad();
        }
    }

    private static BadRecord bad() {
        return new BadRecord(null, "no date or time");
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static int daysIn(int year, int month) {
        return switch (month) {
            case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
            case 4, 6, 9, 11 -> 30;
            default -> 31;
        };
    }

    /** Gregorian date to days, by eras of 400 years that begin in March. */
    static long daysSinceEpoch(int year, int month, int day) {
        int y = month <= 2 ? year - 1 : year;
        int era = Math.floorDiv(y, 400);
        int yearOfEra = y - era * 400;
        int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097L + dayOfEra - 719_468;
    }
}

package io.tailwater.executor.expr;

/**
 * Calendar arithmetic in the proleptic Gregorian calendar. Dates are days, times microseconds. The day algorithms are Howard Hinnant's
 * ("chrono-Compatible Low-Level Date Algorithms").
 */
final class Datetimes {
    static final long SECOND = 1_000_000L;
    static final long MINUTE = 60 * SECOND;
    static final long HOUR = 60 * MINUTE;
    static final long DAY = 24 * HOUR;
    static final long WEEK = 7 * DAY;

    private static final long MAX_DAYS = Long.MAX_VALUE / DAY;

    private Datetimes() {}

    // ---- calendar

    /** Year, month and day of a date, packed: see the accessors. */
    static long civil(int days) {
        long z = days + 719_468L;
        long era = Math.floorDiv(z, 146_097L);
        int dayOfEra = (int) (z - era * 146_097);
        int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int shifted = (5 * dayOfYear + 2) / 153;
        int day = dayOfYear - (153 * shifted + 2) / 5 + 1;
        int month = shifted < 10 ? shifted + 3 : shifted - 9;
        long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
        return year << 16 | (long) month << 8 | day;
    }

    static int yearOf(long civil) {
        return (int) (civil >> 16);
    }

    static int monthOf(long civil) {
        return (int) (civil >> 8) & 0xFF;
    }

    static int dayOf(long civil) {
        return (int) civil & 0xFF;
    }

    static int days(int year, int month, int day) {
        long y = month <= 2 ? year - 1L : year;
        long era = Math.floorDiv(y, 400L);
        int yearOfEra = (int) (y - era * 400);
        int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return toInt(era * 146_097 + dayOfEra - 719_468);
    }

    static int daysInMonth(int year, int month) {
        return switch (month) {
            case 4, 6, 9, 11 -> 30;
            case 2 -> isLeap(year) ? 29 : 28;
            default -> 31;
        };
    }

    private static boolean isLeap(int year) {
        return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    private static int toInt(long days) {
        if (days != (int) days) {
            throw DataErrors.datetimeRange("DATE");
        }
        return (int) days;
    }

    // ---- conversions

    static int toDate(long timestamp) {
        return (int) Math.floorDiv(timestamp, DAY);
    }

    static long toTime(long timestamp) {
        return Math.floorMod(timestamp, DAY);
    }

    static long fromDate(int days) {
        if (days > MAX_DAYS || days < -MAX_DAYS) {
            throw DataErrors.datetimeRange("TIMESTAMP");
        }
        return days * DAY;
    }

    /** The greatest multiple of {@code unit} that is not above. */
    static long floor(long micros, long unit) {
        long rest = micros % unit;
        return subtract(micros, rest < 0 ? rest + unit : rest);
    }

    // ---- arithmetic

    static long add(long timestamp, long micros) {
        long sum = timestamp + micros;
        if (((timestamp ^ sum) & (micros ^ sum)) < 0) {
            throw DataErrors.datetimeRange("TIMESTAMP");
        }
        return sum;
    }

    static long subtract(long timestamp, long micros) {
        long difference = timestamp - micros;
        if (((timestamp ^ micros) & (timestamp ^ difference)) < 0) {
            throw DataErrors.datetimeRange("TIMESTAMP");
        }
        return difference;
    }
}

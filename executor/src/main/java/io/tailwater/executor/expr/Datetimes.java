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

    static int addDays(int date, long micros) {
        return toInt(date + Math.floorDiv(micros, DAY));
    }

    /** Around the clock. */
    static long addToTime(long time, long micros) {
        return Math.floorMod(time + micros % DAY, DAY);
    }

    /** The day stays, or becomes the month's last. */
    static int addMonths(int date, long months) {
        long civil = civil(date);
        long month = yearOf(civil) * 12L + monthOf(civil) - 1 + months;
        long year = Math.floorDiv(month, 12L);
        if (year != (int) year) {
            throw DataErrors.datetimeRange("DATE");
        }
        int ofYear = (int) Math.floorMod(month, 12L) + 1;
        return days((int) year, ofYear, Math.min(dayOf(civil), daysInMonth((int) year, ofYear)));
    }

    static long addMonthsToTimestamp(long timestamp, long months) {
        return add(fromDate(addMonths(toDate(timestamp), months)), toTime(timestamp));
    }

    /** Whole months from {@code b} to {@code a}, toward zero. */
    static long monthsBetween(long a, long b) {
        long x = civil(toDate(a));
        long y = civil(toDate(b));
        long months = (yearOf(x) - (long) yearOf(y)) * 12 + monthOf(x) - monthOf(y);
        long partX = dayOf(x) * DAY + toTime(a);
        long partY = dayOf(y) * DAY + toTime(b);
        if (months > 0 && partX < partY) {
            return months - 1;
        }
        return months < 0 && partX > partY ? months + 1 : months;
    }

    /** Start of the tumbling window of this size and offset that holds the time. */
    static long tumbleStart(long timestamp, long size, long offset) {
        if (size <= 0) {
            throw DataErrors.invalidParameter("the size of a window must be positive");
        }
        long shift = Math.floorMod(offset, size);
        return add(floor(subtract(timestamp, shift), size), shift);
    }

    // ---- fields of a timestamp

    static long year(long timestamp) {
        return yearOf(civil(toDate(timestamp)));
    }

    static long quarter(long timestamp) {
        return (monthOf(civil(toDate(timestamp))) + 2L) / 3;
    }

    static long month(long timestamp) {
        return monthOf(civil(toDate(timestamp)));
    }

    static long day(long timestamp) {
        return dayOf(civil(toDate(timestamp)));
    }

    static long dayOfYear(long timestamp) {
        int date = toDate(timestamp);
        return date - (long) days(yearOf(civil(date)), 1, 1) + 1;
    }

    /** Monday is 1. 1970-01-01 was a Thursday. */
    static long isoDayOfWeek(long timestamp) {
        return Math.floorMod(Math.floorDiv(timestamp, DAY) + 3, 7L) + 1;
    }

    /** Sunday is 0. */
    static long dayOfWeek(long timestamp) {
        return isoDayOfWeek(timestamp) % 7;
    }

    /** ISO 8601: week 1 is the one with the year's first Thursday. */
    static long week(long timestamp) {
        int thursday = toDate(timestamp) - (int) isoDayOfWeek(timestamp) + 4;
        return (thursday - (long) days(yearOf(civil(thursday)), 1, 1)) / 7 + 1;
    }

    // ---- starts of calendar units, of a timestamp

    static long floorToWeek(long timestamp) {
        // The epoch's week began on Monday, three days before.
        return subtract(floor(add(timestamp, 3 * DAY), WEEK), 3 * DAY);
    }

    /** Start of the {@code months}-month unit (1, 3 or 12) that holds the time. */
    static long floorToMonths(long timestamp, int months) {
        long civil = civil(toDate(timestamp));
        int month = (monthOf(civil) - 1) / months * months + 1;
        return fromDate(days(yearOf(civil), month, 1));
    }

    static long ceilTo(long timestamp, long unit) {
        long start = floor(timestamp, unit);
        return start == timestamp ? start : add(start, unit);
    }

    static long ceilToWeek(long timestamp) {
        long start = floorToWeek(timestamp);
        return start == timestamp ? start : add(start, WEEK);
    }

    static long ceilToMonths(long timestamp, int months) {
        long start = floorToMonths(timestamp, months);
        return start == timestamp ? start : addMonthsToTimestamp(start, months);
    }

    /** An interval times a number, half away from zero. */
    static long scaleInterval(long interval, double factor) {
        double product = interval * factor;
        if (!(Math.abs(product) < 0x1p63)) {
            throw DataErrors.outOfRange("INTERVAL");
        }
        return (long) Numbers.round(product, 0, false);
    }
}

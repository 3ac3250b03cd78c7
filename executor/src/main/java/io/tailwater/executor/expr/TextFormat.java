package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;

/**
 * Values as text, in scratch memory: each function returns the address and leaves the length in {@link Registers#length}.
 *
 * <p>Numbers read as PostgreSQL writes them: a floating-point number in the fewest digits that give it back, without a trailing {@code .0}, with
 * an exponent of at least two digits below 1e-4 and from 1e15 (REAL: 1e6) on. Dates and times are ISO 8601 with a space between; fractions show
 * as many digits as the type has. Intervals read like {@code 3 days 04:05:06.5} and {@code 1 year 2 mons}.
 */
final class TextFormat {
    private TextFormat() {}

    static long ofBoolean(boolean value, Registers r) {
        return ascii(value ? "true" : "false", r);
    }

    static long ofLong(long value, Registers r) {
        long at = r.allocate(20);
        long end = putLong(at, value);
        r.length = (int) (end - at);
        return at;
    }

    private static long putLong(long at, long value) {
        if (value < 0) {
            Mem.putByte(at++, (byte) '-');
        } else {
            value = -value;
        }
        // Negative all the way: Long.MIN_VALUE has no positive counterpart.
        int digits = 1;
        for (long rest = value / 10; rest != 0; rest /= 10) {
            digits++;
        }
        for (int i = digits - 1; i >= 0; i--) {
            Mem.putByte(at + i, (byte) ('0' - value % 10));
            value /= 10;
        }
        return at + digits;
    }

    static long ofDecimal(long low, long high, int scale, Registers r) {
        if (high != low >> 63 || low == Long.MIN_VALUE || scale > 18) {
            return ascii(new BigDecimal(Decimals.big(low, high), scale).toPlainString(), r);
        }
        long at = r.allocate(24);
        long to = at;
        if (low < 0) {
            Mem.putByte(to++, (byte) '-');
        }
        long magnitude = Math.abs(low);
        long power = Decimals.power(scale);
        to = putLong(to, magnitude / power);
        if (scale > 0) {
            Mem.putByte(to++, (byte) '.');
            to = putPadded(to, magnitude % power, scale);
        }
        r.length = (int) (to - at);
        return at;
    }

    private static long putPadded(long at, long value, int digits) {
        for (int i = digits - 1; i >= 0; i--) {
            Mem.putByte(at + i, (byte) ('0' + value % 10));
            value /= 10;
        }
        return at + digits;
    }

    static long ofFloat(float value, Registers r) {
        return ascii(text(value), r);
    }

    static long ofDouble(double value, Registers r) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return ofLong((long) value, r);
        }
        return ascii(text(value), r);
    }

    static String text(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value) || value == 0) {
            return special(value);
        }
        BigDecimal digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        // Java 17's text may be longer than needed. Up to 15 digits it is not: those are the only ones that few that
        // read back.
        for (int few = 15; few < digits.precision(); few++) {
            BigDecimal shorter = new BigDecimal(value).round(new MathContext(few));
            if (shorter.doubleValue() == value) {
                digits = shorter.stripTrailingZeros();
            }
        }
        return scientific(digits, 15);
    }

    static String text(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value) || value == 0) {
            return special(value);
        }
        BigDecimal digits = new BigDecimal(Float.toString(value)).stripTrailingZeros();
        for (int few = 6; few < digits.precision(); few++) {
            BigDecimal shorter = new BigDecimal(value).round(new MathContext(few));
            if (shorter.floatValue() == value) {
                digits = shorter.stripTrailingZeros();
            }
        }
        return scientific(digits, 6);
    }

    private static String special(double value) {
        if (value == 0) {
            return "0";
        }
        return Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }

    private static String scientific(BigDecimal value, int plainDigits) {
        int exponent = value.precision() - value.scale() - 1;
        if (exponent >= -4 && exponent < plainDigits) {
            return value.toPlainString();
        }
        String digits = value.unscaledValue().abs().toString();
        String text = (value.signum() < 0 ? "-" : "") + digits.charAt(0)
                + (digits.length() > 1 ? "." + digits.substring(1) : "") + "e" + (exponent < 0 ? "-" : "+");
        int magnitude = Math.abs(exponent);
        return text + (magnitude < 10 ? "0" : "") + magnitude;
    }

    static long ofDate(int days, Registers r) {
        long at = r.allocate(16);
        r.length = (int) (putDate(at, days) - at);
        return at;
    }

    private static long putDate(long at, int days) {
        long civil = Datetimes.civil(days);
        int year = Datetimes.yearOf(civil);
        if (year < 0) {
            Mem.putByte(at++, (byte) '-');
            year = -year;
        }
        at = year > 9999 ? putLong(at, year) : putPadded(at, year, 4);
        Mem.putByte(at, (byte) '-');
        at = putPadded(at + 1, Datetimes.monthOf(civil), 2);
        Mem.putByte(at, (byte) '-');
        return putPadded(at + 1, Datetimes.dayOf(civil), 2);
    }

    static long ofTime(long micros, int precision, Registers r) {
        long at = r.allocate(16);
        r.length = (int) (putTime(at, micros, precision) - at);
        return at;
    }

    private static long putTime(long at, long micros, int precision) {
        int seconds = (int) (micros / Datetimes.SECOND);
        at = putPadded(at, seconds / 3600, 2);
        Mem.putByte(at, (byte) ':');
        at = putPadded(at + 1, seconds / 60 % 60, 2);
        Mem.putByte(at, (byte) ':');
        at = putPadded(at + 1, seconds % 60, 2);
        if (precision > 0) {
            Mem.putByte(at, (byte) '.');
            at = putPadded(at + 1, micros % Datetimes.SECOND / Decimals.power(6 - precision), precision);
        }
        return at;
    }

    static long ofTimestamp(long micros, int precision, Registers r) {
        long at = r.allocate(40);
        long to = putDate(at, Datetimes.toDate(micros));
        Mem.putByte(to, (byte) ' ');
        to = putTime(to + 1, Datetimes.toTime(micros), precision);
        r.length = (int) (to - at);
        return at;
    }

    static long ofDayTime(long micros, Registers r) {
        long days = micros / Datetimes.DAY;
        long rest = micros % Datetimes.DAY;
        StringBuilder text = new StringBuilder();
        if (days != 0) {
            text.append(days).append(days == 1 || days == -1 ? " day" : " days");
        }
        if (rest != 0 || days == 0) {
            long magnitude = Math.abs(rest);
            long seconds = magnitude / Datetimes.SECOND;
            text.append(days == 0 ? "" : " ").append(rest < 0 ? "-" : "");
            text.append(two(seconds / 3600))
                    .append(':')
                    .append(two(seconds / 60 % 60))
                    .append(':')
                    .append(two(seconds % 60));
            long fraction = magnitude % Datetimes.SECOND;
            if (fraction != 0) {
                text.append(BigDecimal.valueOf(fraction, 6)
                        .stripTrailingZeros()
                        .toPlainString()
                        .substring(1));
            }
        }
        return ascii(text.toString(), r);
    }

    private static String two(long number) {
        return number < 10 ? "0" + number : Long.toString(number);
    }

    static long ofMonths(int months, Registers r) {
        int years = months / 12;
        int rest = months % 12;
        String text = years == 0 ? "" : years + (Math.abs(years) == 1 ? " year" : " years");
        if (rest != 0 || years == 0) {
            text += (text.isEmpty() ? "" : " ") + rest + (Math.abs(rest) == 1 ? " mon" : " mons");
        }
        return ascii(text, r);
    }

    private static long ascii(String text, Registers r) {
        return Texts.put(text.getBytes(StandardCharsets.US_ASCII), r);
    }
}

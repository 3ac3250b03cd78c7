package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.Kind;
import io.tailwater.jdbc.arrow.ResultColumn;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.UUID;

/**
 * From the values of a row (see {@link io.tailwater.jdbc.arrow.RowBatch#get}) to what a getter is asked for. What does not fit is 22003, what cannot be
 * parsed 22018, what makes no sense 07006. Naive timestamps are wall clocks; instants are shown in the session's zone.
 */
final class Conversions {
    private static final BigDecimal MIN_LONG = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final BigDecimal MAX_LONG = BigDecimal.valueOf(Long.MAX_VALUE);

    private Conversions() {}

    static long toLong(Object value, long min, long max, String type) throws SQLException {
        long result;
        if (value instanceof Long || value instanceof Integer) {
            result = ((Number) value).longValue();
        } else {
            BigDecimal exact = toBigDecimal(value).setScale(0, RoundingMode.DOWN);
            if (exact.compareTo(MIN_LONG) < 0 || exact.compareTo(MAX_LONG) > 0) {
                throw SqlErrors.outOfRange(value, type);
            }
            result = exact.longValue();
        }
        if (result < min || result > max) {
            throw SqlErrors.outOfRange(value, type);
        }
        return result;
    }

    static double toDouble(Object value) throws SQLException {
        if (value instanceof Number) {
            return ((Number) value).doubleValue();
        }
        if (value instanceof String) {
            try {
                return Double.parseDouble(((String) value).trim());
            } catch (NumberFormatException e) {
                throw SqlErrors.malformed((String) value, "DOUBLE");
            }
        }
        return toBigDecimal(value).doubleValue();
    }

    static float toFloat(Object value) throws SQLException {
        double wide = toDouble(value);
        float narrow = (float) wide;
        if (Float.isInfinite(narrow) && !Double.isInfinite(wide)) {
            throw SqlErrors.outOfRange(value, "REAL");
        }
        return narrow;
    }

    static BigDecimal toBigDecimal(Object value) throws SQLException {
        if (value instanceof BigDecimal) {
            return (BigDecimal) value;
        }
        if (value instanceof Long || value instanceof Integer) {
            return BigDecimal.valueOf(((Number) value).longValue());
        }
        if (value instanceof Boolean) {
            return (Boolean) value ? BigDecimal.ONE : BigDecimal.ZERO;
        }
        if (value instanceof Float || value instanceof Double) {
            double number = ((Number) value).doubleValue();
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                throw SqlErrors.outOfRange(value, "DECIMAL");
            }
            return new BigDecimal(value.toString());
        }
        if (value instanceof String) {
            try {
                return new BigDecimal(((String) value).trim());
            } catch (NumberFormatException e) {
                throw SqlErrors.malformed((String) value, "number");
            }
        }
        throw SqlErrors.cannotConvert(value, "a number");
    }

    static boolean toBoolean(Object value) throws SQLException {
        if (value instanceof Boolean) {
            return (Boolean) value;
        }
        if (value instanceof String) {
            switch (((String) value).trim().toLowerCase(Locale.ROOT)) {
                case "true":
                case "t":
                case "yes":
                case "y":
                case "on":
                case "1":
                    return true;
                case "false":
                case "f":
                case "no":
                case "n":
                case "off":
                case "0":
                    return false;
                default:
                    throw SqlErrors.malformed((String) value, "BOOLEAN");
            }
        }
        if (value instanceof Float || value instanceof Double) {
            return ((Number) value).doubleValue() != 0;
        }
        return toBigDecimal(value).signum() != 0;
    }

    static String toText(Object value, ResultColumn column, ZoneId zone) {
        if (value instanceof String) {
            return (String) value;
        }
        if (value instanceof BigDecimal) {
            return ((BigDecimal) value).toPlainString();
        }
        if (value instanceof LocalDateTime) {
            return timestamp((LocalDateTime) value, column.scale());
        }
        if (value instanceof Instant) {
            ZonedDateTime at = ((Instant) value).atZone(zone);
            String offset = at.getOffset().equals(ZoneOffset.UTC)
                    ? "+00:00"
                    : at.getOffset().getId();
            return timestamp(at.toLocalDateTime(), column.scale()) + offset;
        }
        if (value instanceof LocalTime) {
            return time((LocalTime) value, column.scale());
        }
        if (value instanceof byte[]) {
            return hex((byte[]) value);
        }
        if (value instanceof Duration) {
            return dayTime((Duration) value);
        }
        if (value instanceof Period) {
            Period period = (Period) value;
            String sign = period.isNegative() ? "-" : "";
            return sign + Math.abs(period.getYears()) + "-" + Math.abs(period.getMonths());
        }
        return value.toString();
    }

    private static String timestamp(LocalDateTime value, int fraction) {
        return value.toLocalDate() + " " + time(value.toLocalTime(), fraction);
    }

    private static String time(LocalTime value, int fraction) {
        StringBuilder out = new StringBuilder(15);
        two(out, value.getHour()).append(':');
        two(out, value.getMinute()).append(':');
        two(out, value.getSecond());
        fraction(out, value.getNano(), fraction);
        return out.toString();
    }

    private static String dayTime(Duration value) {
        Duration size = value.abs();
        StringBuilder out = new StringBuilder();
        out.append(value.isNegative() ? "-" : "").append(size.toDays()).append(' ');
        two(out, size.toHoursPart()).append(':');
        two(out, size.toMinutesPart()).append(':');
        two(out, size.toSecondsPart());
        fraction(out, size.toNanosPart(), 6);
        return out.toString();
    }

    private static StringBuilder two(StringBuilder out, int value) {
        return out.append((char) ('0' + value / 10)).append((char) ('0' + value % 10));
    }

    private static void fraction(StringBuilder out, int nanos, int digits) {
        int rest = nanos;
        for (int i = 0, unit = 100_000_000; i < digits; i++, unit /= 10) {
            out.append(i == 0 ? "." : "").append((char) ('0' + rest / unit));
            rest %= unit;
        }
    }

    private static String hex(byte[] bytes) {
        StringBuilder out = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            out.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return out.toString();
    }

    static byte[] toBytes(Object value) throws SQLException {
        if (value instanceof byte[]) {
            return (byte[]) value;
        }
        if (value instanceof String) {
            return ((String) value).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }
        throw SqlErrors.cannotConvert(value, "VARBINARY");
    }

    static LocalDate toLocalDate(Object value, ZoneId zone) throws SQLException {
        if (value instanceof LocalDate) {
            return (LocalDate) value;
        }
        if (value instanceof String && ((String) value).trim().length() <= 10) {
            try {
                return LocalDate.parse(((String) value).trim());
            } catch (DateTimeException e) {
                throw SqlErrors.malformed((String) value, "DATE");
            }
        }
        return toLocalDateTime(value, zone).toLocalDate();
    }

    static LocalTime toLocalTime(Object value, ZoneId zone) throws SQLException {
        if (value instanceof LocalTime) {
            return (LocalTime) value;
        }
        if (value instanceof String && ((String) value).trim().indexOf(':') == 2) {
            try {
                return LocalTime.parse(((String) value).trim());
            } catch (DateTimeException e) {
                throw SqlErrors.malformed((String) value, "TIME");
            }
        }
        return toLocalDateTime(value, zone).toLocalTime();
    }

    static LocalDateTime toLocalDateTime(Object value, ZoneId zone) throws SQLException {
        if (value instanceof LocalDateTime) {
            return (LocalDateTime) value;
        }
        if (value instanceof Instant) {
            return LocalDateTime.ofInstant((Instant) value, zone);
        }
        if (value instanceof LocalDate) {
            return ((LocalDate) value).atStartOfDay();
        }
        if (value instanceof LocalTime) {
            return LocalDate.EPOCH.atTime((LocalTime) value);
        }
        if (value instanceof String) {
            String text = ((String) value).trim();
            try {
                return text.length() <= 10
                        ? LocalDate.parse(text).atStartOfDay()
                        : LocalDateTime.parse(text.replace(' ', 'T'));
            } catch (DateTimeException e) {
                throw SqlErrors.malformed(text, "TIMESTAMP");
            }
        }
        throw SqlErrors.cannotConvert(value, "TIMESTAMP");
    }

    /** An instant as it is; a wall clock as it would be read in this zone. */
    static Instant toInstant(Object value, ZoneId zone) throws SQLException {
        return value instanceof Instant
                ? (Instant) value
                : toLocalDateTime(value, zone).atZone(zone).toInstant();
    }

    /** Through the JVM's zone, so that {@code toString} and the deprecated getters show the wall clock. */
    static Timestamp toTimestamp(Object value) throws SQLException {
        return value instanceof Instant
                ? Timestamp.from((Instant) value)
                : Timestamp.valueOf(toLocalDateTime(value, ZoneId.systemDefault()));
    }

    static Timestamp toTimestamp(Object value, ZoneId zone) throws SQLException {
        return Timestamp.from(toInstant(value, zone));
    }

    static Date toDate(Object value) throws SQLException {
        return Date.valueOf(toLocalDate(value, ZoneId.systemDefault()));
    }

    static Date toDate(Object value, ZoneId zone) throws SQLException {
        return new Date(toLocalDate(value, zone).atStartOfDay(zone).toInstant().toEpochMilli());
    }

    static Time toTime(Object value) throws SQLException {
        return toTime(value, ZoneId.systemDefault());
    }

    /** On 1970-01-01, with milliseconds, which {@link Time} prints none of. */
    static Time toTime(Object value, ZoneId zone) throws SQLException {
        LocalTime time = toLocalTime(value, zone);
        return new Time(LocalDate.EPOCH.atTime(time).atZone(zone).toInstant().toEpochMilli());
    }

    /** What {@code getObject} without a class gives; its class is {@link Kind#objectClass}. */
    static Object toObject(Object value, ZoneId sessionZone) throws SQLException {
        if (value instanceof LocalDateTime) {
            return toTimestamp(value);
        }
        if (value instanceof LocalDate) {
            return toDate(value);
        }
        if (value instanceof LocalTime) {
            return toTime(value);
        }
        if (value instanceof Instant) {
            return ((Instant) value).atZone(sessionZone).toOffsetDateTime();
        }
        return value;
    }

    static <T> T toClass(Object value, Class<T> type, ResultColumn column, ZoneId zone) throws SQLException {
        Object result = convert(value, type, column, zone);
        return type.cast(result);
    }

    private static Object convert(Object value, Class<?> type, ResultColumn column, ZoneId zone) throws SQLException {
        if (type == String.class) {
            return toText(value, column, zone);
        } else if (type == Object.class) {
            return toObject(value, zone);
        } else if (type == Boolean.class) {
            return toBoolean(value);
        } else if (type == byte[].class) {
            return toBytes(value);
        } else if (type == UUID.class) {
            try {
                return UUID.fromString(toText(value, column, zone));
            } catch (IllegalArgumentException e) {
                throw SqlErrors.malformed(toText(value, column, zone), "UUID");
            }
        } else if (Number.class.isAssignableFrom(type)) {
            return number(value, type);
        } else if (type.isInstance(value)) {
            return value;
        }
        return temporal(value, type, zone);
    }

    private static Object number(Object value, Class<?> type) throws SQLException {
        if (type == Integer.class) {
            return (int) toLong(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "INTEGER");
        } else if (type == Long.class) {
            return toLong(value, Long.MIN_VALUE, Long.MAX_VALUE, "BIGINT");
        } else if (type == BigDecimal.class) {
            return toBigDecimal(value);
        } else if (type == Double.class) {
            return toDouble(value);
        } else if (type == Float.class) {
            return toFloat(value);
        } else if (type == Short.class) {
            return (short) toLong(value, Short.MIN_VALUE, Short.MAX_VALUE, "SMALLINT");
        } else if (type == Byte.class) {
            return (byte) toLong(value, Byte.MIN_VALUE, Byte.MAX_VALUE, "TINYINT");
        } else if (type == BigInteger.class) {
            return toBigDecimal(value).toBigInteger();
        }
        throw SqlErrors.cannotConvert(value, type.getName());
    }

    private static Object temporal(Object value, Class<?> type, ZoneId zone) throws SQLException {
        if (type == LocalDateTime.class) {
            return toLocalDateTime(value, zone);
        } else if (type == LocalDate.class) {
            return toLocalDate(value, zone);
        } else if (type == LocalTime.class) {
            return toLocalTime(value, zone);
        } else if (type == Instant.class) {
            return toInstant(value, zone);
        } else if (type == OffsetDateTime.class) {
            return toInstant(value, zone).atZone(zone).toOffsetDateTime();
        } else if (type == ZonedDateTime.class) {
            return toInstant(value, zone).atZone(zone);
        } else if (type == Timestamp.class || type == java.util.Date.class) {
            return toTimestamp(value);
        } else if (type == Date.class) {
            return toDate(value);
        } else if (type == Time.class) {
            return toTime(value);
        }
        throw SqlErrors.cannotConvert(value, type.getName());
    }
}

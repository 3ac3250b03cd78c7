package io.tailwater.server.flight;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;

/**
 * Parameters as clients send them (Boolean, Long, Float, Double, BigDecimal, String, byte[], LocalDate, LocalTime, LocalDateTime, Instant) made values
 * of the parameter's type, in the form of {@link io.tailwater.api.batch.Values}.
 */
final class ParameterValues {
    private ParameterValues() {}

    /**
     * @param zone in which wall clocks and instants are converted into each other
     * @throws StreamException 22003, 22007, 22P02 or 42804 if the value does not fit the type
     */
    static @Nullable Object of(@Nullable Object value, DataType type, ZoneId zone) {
        if (value == null) {
            return null;
        }
        return switch (type.kind()) {
            case BOOLEAN -> bool(value, type);
            case TINYINT -> integer(value, type, Byte.MIN_VALUE, Byte.MAX_VALUE);
            case SMALLINT -> integer(value, type, Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER -> integer(value, type, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT, INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH -> integer(value, type, Long.MIN_VALUE, Long.MAX_VALUE);
            case DECIMAL -> decimal(value, type);
            case REAL -> real(value, type);
            case DOUBLE -> floating(value, type);
            case VARCHAR -> text(value, type);
            case VARBINARY -> bytes(value, type);
            case DATE -> localDate(value, type, zone).toEpochDay();
            case TIME -> localTime(value, type, zone).toNanoOfDay() / 1000;
            case TIMESTAMP -> {
                LocalDateTime at = localDateTime(value, type, zone);
                yield micros(at.toEpochSecond(ZoneOffset.UTC), at);
            }
            case TIMESTAMP_LTZ -> {
                Instant at = instant(value, type, zone);
                yield micros(at.getEpochSecond(), at);
            }
            case NULL -> untyped(value);
        };
    }

    /** For a parameter whose type the statement leaves open. */
    private static @Nullable Object untyped(Object value) {
        if (value instanceof LocalDate) {
            return of(value, DataType.DATE, ZoneOffset.UTC);
        } else if (value instanceof LocalTime) {
            return of(value, DataType.TIME, ZoneOffset.UTC);
        } else if (value instanceof LocalDateTime) {
            return of(value, DataType.TIMESTAMP, ZoneOffset.UTC);
        } else if (value instanceof Instant) {
            return of(value, DataType.TIMESTAMP_LTZ, ZoneOffset.UTC);
        }
        return value;
    }

    private static long integer(Object value, DataType type, long min, long max) {
        long number;
        if (value instanceof Long exact) {
            number = exact;
        } else {
            BigDecimal exact = number(value, type).setScale(0, RoundingMode.HALF_UP);
            if (exact.precision() > 19
                    || exact.compareTo(BigDecimal.valueOf(min)) < 0
                    || exact.compareTo(BigDecimal.valueOf(max)) > 0) {
                throw outOfRange(value, type);
            }
            number = exact.longValue();
        }
        if (number < min || number > max) {
            throw outOfRange(value, type);
        }
        return number;
    }

    private static BigDecimal decimal(Object value, DataType type) {
        BigDecimal scaled = number(value, type).setScale(type.scale(), RoundingMode.HALF_UP);
        if (scaled.precision() > type.precision()) {
            throw outOfRange(value, type);
        }
        return scaled;
    }

    private static float real(Object value, DataType type) {
        double wide = floating(value, type);
        float narrow = (float) wide;
        if (Float.isInfinite(narrow) && !Double.isInfinite(wide)) {
            throw outOfRange(value, type);
        }
        return narrow;
    }

    private static double floating(Object value, DataType type) {
        return value instanceof Number number
                ? number.doubleValue()
                : number(value, type).doubleValue();
    }

    private static BigDecimal number(Object value, DataType type) {
        if (value instanceof BigDecimal exact) {
            return exact;
        } else if (value instanceof Long exact) {
            return BigDecimal.valueOf(exact);
        } else if (value instanceof Boolean truth) {
            return truth ? BigDecimal.ONE : BigDecimal.ZERO;
        } else if (value instanceof Float || value instanceof Double) {
            double number = ((Number) value).doubleValue();
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                throw outOfRange(value, type);
            }
            return new BigDecimal(value.toString());
        } else if (value instanceof String text) {
            try {
                return new BigDecimal(text.trim());
            } catch (NumberFormatException e) {
                throw malformed(ErrorCode.INVALID_TEXT_REPRESENTATION, text, type);
            }
        }
        throw mismatch(value, type);
    }

    private static boolean bool(Object value, DataType type) {
        if (value instanceof Boolean truth) {
            return truth;
        } else if (value instanceof String text) {
            return switch (text.trim().toLowerCase(Locale.ROOT)) {
                case "true", "t", "1" -> true;
                case "false", "f", "0" -> false;
                default -> throw malformed(ErrorCode.INVALID_TEXT_REPRESENTATION, text, type);
            };
        }
        return number(value, type).signum() != 0;
    }

    private static String text(Object value, DataType type) {
        String text = value instanceof String given
                ? given
                : value instanceof BigDecimal decimal
                        ? decimal.toPlainString()
                        : value instanceof LocalDateTime at
                                ? at.toLocalDate() + " " + at.toLocalTime()
                                : value instanceof byte[] bytes
                                        ? new String(bytes, StandardCharsets.UTF_8)
                                        : value.toString();
        if (text.codePointCount(0, text.length()) > type.precision()) {
            throw new StreamException(ErrorCode.STRING_TOO_LONG, "parameter value too long for type " + type.sql());
        }
        return text;
    }

    private static byte[] bytes(Object value, DataType type) {
        byte[] bytes = value instanceof byte[] given
                ? given
                : value instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : null;
        if (bytes == null) {
            throw mismatch(value, type);
        }
        if (bytes.length > type.precision()) {
            throw new StreamException(ErrorCode.STRING_TOO_LONG, "parameter value too long for type " + type.sql());
        }
        return bytes;
    }

    private static LocalDate localDate(Object value, DataType type, ZoneId zone) {
        return value instanceof LocalDate date
                ? date
                : localDateTime(value, type, zone).toLocalDate();
    }

    private static LocalTime localTime(Object value, DataType type, ZoneId zone) {
        if (value instanceof LocalTime time) {
            return time;
        } else if (value instanceof String text && text.indexOf('-') < 0) {
            try {
                return LocalTime.parse(text.trim());
            } catch (DateTimeException e) {
                throw malformed(ErrorCode.INVALID_DATETIME_FORMAT, text, type);
            }
        }
        return localDateTime(value, type, zone).toLocalTime();
    }

    private static LocalDateTime localDateTime(Object value, DataType type, ZoneId zone) {
        if (value instanceof LocalDateTime at) {
            return at;
        } else if (value instanceof LocalDate date) {
            return date.atStartOfDay();
        } else if (value instanceof Instant instant) {
            return LocalDateTime.ofInstant(instant, zone);
        } else if (value instanceof String given) {
            String text = given.trim();
            try {
                return text.length() <= 10
                        ? LocalDate.parse(text).atStartOfDay()
                        : LocalDateTime.parse(text.replace(' ', 'T'));
            } catch (DateTimeException e) {
                throw malformed(ErrorCode.INVALID_DATETIME_FORMAT, text, type);
            }
        }
        throw mismatch(value, type);
    }

    private static Instant instant(Object value, DataType type, ZoneId zone) {
        if (value instanceof Instant instant) {
            return instant;
        } else if (value instanceof String text && text.matches(".*(Z|[+-]\\d\\d(:?\\d\\d)?)$") && text.length() > 10) {
            try {
                return OffsetDateTime.parse(text.trim().replace(' ', 'T')).toInstant();
            } catch (DateTimeException e) {
                throw malformed(ErrorCode.INVALID_DATETIME_FORMAT, text, type);
            }
        }
        return localDateTime(value, type, zone).atZone(zone).toInstant();
    }

    private static long micros(long seconds, TemporalAccessor fraction) {
        return Math.addExact(Math.multiplyExact(seconds, 1_000_000L), fraction.get(ChronoField.MICRO_OF_SECOND));
    }

    private static StreamException outOfRange(Object value, DataType type) {
        return new StreamException(
                ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
                "parameter value " + value + " is out of range for " + type.sql());
    }

    private static StreamException malformed(ErrorCode code, String text, DataType type) {
        String shown = text.length() > 100 ? text.substring(0, 100) + "..." : text;
        return new StreamException(code, "parameter value \"" + shown + "\" is not a valid " + type.sql());
    }

    private static StreamException mismatch(Object value, DataType type) {
        return new StreamException(
                ErrorCode.DATATYPE_MISMATCH,
                "a parameter of type " + type.sql() + " cannot take a "
                        + value.getClass().getSimpleName());
    }
}

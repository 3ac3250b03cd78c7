package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.Kind;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;

/**
 * From what a setter is given to one of the nine forms that go to the server: Boolean, Long, Double, BigDecimal, String, byte[], LocalDate, LocalTime,
 * LocalDateTime, Instant. The server makes of that a value of the parameter's type.
 */
final class Parameters {
    private Parameters() {}

    /**
     * @param target the parameter's type, which decides whether a {@link Timestamp} is a wall clock or an instant
     */
    static @Nullable Object of(@Nullable Object value, Kind target) throws SQLException {
        if (value == null
                || value instanceof Boolean
                || value instanceof Long
                || value instanceof Double
                || value instanceof BigDecimal
                || value instanceof String
                || value instanceof byte[]
                || value instanceof LocalDate
                || value instanceof LocalTime
                || value instanceof LocalDateTime
                || value instanceof Instant) {
            return value;
        }
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof Float) {
            return ((Float) value).doubleValue();
        }
        if (value instanceof BigInteger) {
            return new BigDecimal((BigInteger) value);
        }
        if (value instanceof Character || value instanceof java.util.UUID || value instanceof java.net.URL) {
            return value.toString();
        }
        if (value instanceof Duration || value instanceof Period) {
            return value.toString();
        }
        Object temporal = temporal(value, target);
        return temporal != null ? temporal : large(value);
    }

    private static @Nullable Object temporal(Object value, Kind target) {
        if (value instanceof Timestamp) {
            Timestamp timestamp = (Timestamp) value;
            return target == Kind.TIMESTAMP_LTZ ? timestamp.toInstant() : timestamp.toLocalDateTime();
        } else if (value instanceof Date) {
            return ((Date) value).toLocalDate();
        } else if (value instanceof Time) {
            return at((Time) value, ZoneId.systemDefault()).toLocalTime();
        } else if (value instanceof java.util.Date) {
            return target == Kind.TIMESTAMP_LTZ
                    ? ((java.util.Date) value).toInstant()
                    : at((java.util.Date) value, ZoneId.systemDefault());
        } else if (value instanceof Calendar) {
            Calendar calendar = (Calendar) value;
            ZoneId zone = calendar.getTimeZone().toZoneId();
            return target == Kind.TIMESTAMP_LTZ ? calendar.toInstant() : at(calendar.getTime(), zone);
        } else if (value instanceof OffsetDateTime) {
            return ((OffsetDateTime) value).toInstant();
        } else if (value instanceof ZonedDateTime) {
            return ((ZonedDateTime) value).toInstant();
        } else if (value instanceof OffsetTime) {
            return ((OffsetTime) value).toLocalTime();
        }
        return null;
    }

    private static Object large(Object value) throws SQLException {
        if (value instanceof Clob) {
            Clob clob = (Clob) value;
            return clob.getSubString(1, Math.toIntExact(clob.length()));
        } else if (value instanceof Blob) {
            Blob blob = (Blob) value;
            return blob.getBytes(1, Math.toIntExact(blob.length()));
        } else if (value instanceof SQLXML) {
            return ((SQLXML) value).getString();
        } else if (value instanceof Reader) {
            return read((Reader) value, Long.MAX_VALUE);
        } else if (value instanceof InputStream) {
            return read((InputStream) value, Long.MAX_VALUE);
        }
        throw new SQLException("a parameter cannot be a " + value.getClass().getName(), "07006");
    }

    /** The wall clock that this moment shows in this zone. */
    @SuppressWarnings("JavaUtilDate")
    static LocalDateTime at(java.util.Date moment, ZoneId zone) {
        // java.sql.Date and Time refuse toInstant.
        Instant instant = Instant.ofEpochMilli(moment.getTime());
        if (moment instanceof Timestamp) {
            instant = ((Timestamp) moment).toInstant();
        }
        return LocalDateTime.ofInstant(instant, zone);
    }

    static String read(Reader reader, long length) throws SQLException {
        StringBuilder out = new StringBuilder();
        char[] buffer = new char[4096];
        try {
            while (out.length() < length) {
                int read = reader.read(buffer, 0, (int) Math.min(buffer.length, length - out.length()));
                if (read < 0) {
                    break;
                }
                out.append(buffer, 0, read);
            }
        } catch (IOException e) {
            throw new SQLException("cannot read the parameter: " + e.getMessage(), "22000", e);
        }
        return out.toString();
    }

    static byte[] read(InputStream stream, long length) throws SQLException {
        try {
            return stream.readNBytes((int) Math.min(length, Integer.MAX_VALUE - 8));
        } catch (IOException e) {
            throw new SQLException("cannot read the parameter: " + e.getMessage(), "22000", e);
        }
    }

    static String read(InputStream stream, long length, Charset charset) throws SQLException {
        return new String(read(stream, length), charset);
    }
}

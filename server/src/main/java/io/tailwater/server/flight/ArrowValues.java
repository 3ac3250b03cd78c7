package io.tailwater.server.flight;

import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;

/** Reads single values that a client sent in Arrow vectors, in the forms that {@link ParameterValues} takes. */
final class ArrowValues {
    private ArrowValues() {}

    static @Nullable Object get(FieldVector vector, int row) {
        if (vector.isNull(row)) {
            return null;
        } else if (vector instanceof BitVector bits) {
            return bits.get(row) != 0;
        } else if (vector instanceof BigIntVector || vector instanceof UInt8Vector) {
            Object value = vector.getObject(row);
            return vector instanceof UInt8Vector ? new BigDecimal(Long.toUnsignedString((Long) value)) : value;
        } else if (vector instanceof UInt1Vector small) {
            return (long) (small.get(row) & 0xFF);
        } else if (vector instanceof UInt4Vector unsigned) {
            return unsigned.get(row) & 0xFFFF_FFFFL;
        } else if (vector instanceof DateDayVector dates) {
            return LocalDate.ofEpochDay(dates.get(row));
        } else if (vector instanceof DateMilliVector dates) {
            return LocalDate.ofEpochDay(Math.floorDiv(dates.get(row), 86_400_000L));
        } else if (vector instanceof TimeSecVector times) {
            return LocalTime.ofSecondOfDay(times.get(row));
        } else if (vector instanceof TimeMilliVector times) {
            return LocalTime.ofNanoOfDay(times.get(row) * 1_000_000L);
        } else if (vector instanceof TimeMicroVector times) {
            return LocalTime.ofNanoOfDay(times.get(row) * 1000);
        } else if (vector instanceof TimeNanoVector times) {
            return LocalTime.ofNanoOfDay(times.get(row));
        } else if (vector instanceof TimeStampVector times) {
            return timestamp(times, row);
        }
        return other(vector.getObject(row));
    }

    private static Object timestamp(TimeStampVector vector, int row) {
        ArrowType.Timestamp type = (ArrowType.Timestamp) vector.getField().getType();
        long perSecond = perSecond(type.getUnit());
        long value = vector.get(row);
        long second = Math.floorDiv(value, perSecond);
        int nanos = (int) (Math.floorMod(value, perSecond) * (1_000_000_000L / perSecond));
        return type.getTimezone() == null
                ? LocalDateTime.ofEpochSecond(second, nanos, ZoneOffset.UTC)
                : Instant.ofEpochSecond(second, nanos);
    }

    private static long perSecond(TimeUnit unit) {
        return switch (unit) {
            case SECOND -> 1;
            case MILLISECOND -> 1_000;
            case MICROSECOND -> 1_000_000;
            case NANOSECOND -> 1_000_000_000;
        };
    }

    private static Object other(Object value) {
        if (value instanceof Text text) {
            return text.toString();
        } else if (value instanceof Character unsigned) {
            return (long) unsigned;
        } else if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        return value;
    }
}

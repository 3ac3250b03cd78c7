package io.tailwater.jdbc;

import io.tailwater.jdbc.wire.ProtoWriter;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.List;

/** Builds the ticket {@code tailwater.Execute}: see {@link io.tailwater.jdbc.wire}. Owned by one thread. */
final class ExecuteRequest {
    private final ProtoWriter message = new ProtoWriter();

    static ExecuteRequest sql(String sql) {
        ExecuteRequest request = new ExecuteRequest();
        request.message.string(1, sql);
        return request;
    }

    static ExecuteRequest prepared(byte[] handle) {
        ExecuteRequest request = new ExecuteRequest();
        request.message.bytes(2, handle);
        return request;
    }

    /** The server gives up after this; 0 for never. */
    ExecuteRequest timeoutMillis(long millis) {
        message.varint(3, millis);
        return this;
    }

    /** Values for the question marks, as {@link Parameters} holds them. Several rows are executed one after the other. */
    ExecuteRequest row(List<@Nullable Object> values) {
        ProtoWriter row = new ProtoWriter();
        for (Object value : values) {
            row.message(1, value(value));
        }
        message.message(4, row);
        return this;
    }

    byte[] ticket() {
        return ProtoWriter.any("tailwater.Execute", message.toBytes());
    }

    private static ProtoWriter value(@Nullable Object value) {
        ProtoWriter out = new ProtoWriter();
        if (value == null) {
            return out;
        } else if (value instanceof Boolean) {
            return out.varint(1, (Boolean) value ? 1 : 0);
        } else if (value instanceof Long) {
            return out.sint(2, (Long) value);
        } else if (value instanceof Double) {
            return out.fixed64(3, Double.doubleToLongBits((Double) value));
        } else if (value instanceof BigDecimal) {
            return out.string(4, value.toString());
        } else if (value instanceof String) {
            return out.string(5, (String) value);
        } else if (value instanceof byte[]) {
            return out.bytes(6, (byte[]) value);
        } else if (value instanceof LocalDate) {
            return out.sint(7, ((LocalDate) value).toEpochDay());
        } else if (value instanceof LocalTime) {
            return out.sint(8, ((LocalTime) value).toNanoOfDay() / 1000);
        } else if (value instanceof LocalDateTime) {
            LocalDateTime at = (LocalDateTime) value;
            return out.sint(9, micros(at.toEpochSecond(ZoneOffset.UTC), at));
        } else if (value instanceof Instant) {
            Instant at = (Instant) value;
            return out.sint(10, micros(at.getEpochSecond(), at));
        }
        throw new AssertionError(value.getClass());
    }

    private static long micros(long seconds, TemporalAccessor fraction) {
        return Math.addExact(Math.multiplyExact(seconds, 1_000_000L), fraction.get(ChronoField.MICRO_OF_SECOND));
    }
}

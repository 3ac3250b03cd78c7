package io.tailwater.planner.physical;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.TypeKind;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;

/** Dates and times written as text in SQL: {@code 2020-01-31}, {@code 10:20:30.123456}, both with a blank or T between. */
final class DateTimes {
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendPattern("H:mm")
            .optionalStart()
            .appendPattern(":ss")
            .optionalStart()
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .optionalEnd()
            .optionalEnd()
            .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter DATE = new DateTimeFormatterBuilder()
            .appendPattern("u-M-d")
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);
    private static final long MICROS = 1_000_000;

    private DateTimes() {}

    /** Days for DATE, else microseconds. */
    static long parse(String text, TypeKind kind, ZoneId zone) {
        String trimmed = text.strip();
        try {
            return switch (kind) {
                case DATE ->
                    (trimmed.length() > 10 ? dateTime(trimmed).toLocalDate() : LocalDate.parse(trimmed, DATE))
                            .toEpochDay();
                case TIME -> LocalTime.parse(trimmed, TIME).toNanoOfDay() / 1_000;
                case TIMESTAMP -> micros(dateTime(trimmed));
                case TIMESTAMP_LTZ -> instant(trimmed, zone);
                default -> throw new AssertionError(kind);
            };
        } catch (DateTimeException e) {
            throw new StreamException(
                    ErrorCode.INVALID_DATETIME_FORMAT,
                    "invalid input syntax for type " + kind + ": \"" + text + "\"",
                    -1,
                    "write 2020-01-31, 10:20:30 or 2020-01-31 10:20:30",
                    e);
        }
    }

    private static long instant(String text, ZoneId zone) {
        int zoneAt = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
        if (text.endsWith("Z") || zoneAt > 10) {
            OffsetDateTime at = OffsetDateTime.parse(text.replace(' ', 'T'));
            return micros(at.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime());
        }
        return micros(
                dateTime(text).atZone(zone).withZoneSameInstant(ZoneOffset.UTC).toLocalDateTime());
    }

    private static LocalDateTime dateTime(String text) {
        int space = text.indexOf(' ');
        int split = space > 0 ? space : text.indexOf('T');
        if (split < 0) {
            return LocalDate.parse(text, DATE).atStartOfDay();
        }
        return LocalDateTime.of(
                LocalDate.parse(text.substring(0, split), DATE),
                LocalTime.parse(text.substring(split + 1).strip(), TIME));
    }

    static long micros(LocalDateTime at) {
        return Math.addExact(Math.multiplyExact(at.toEpochSecond(ZoneOffset.UTC), MICROS), at.getNano() / 1_000);
    }
}

package io.tailwater.executor.expr;

import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Functions of dates and times, against tables and against {@code java.time}. */
final class DatetimeTest {
    private static final DataType TIMESTAMP = DataType.TIMESTAMP;
    private static final DataType LTZ = DataType.TIMESTAMP_LTZ;
    private static final DataType DATE = DataType.DATE;
    private static final DataType TIME = DataType.TIME;
    private static final DataType BIGINT = DataType.BIGINT;
    private static final DataType DAY_TIME = new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, true);
    private static final DataType YEAR_MONTH = new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, true);
    private static final long HOUR = 3_600_000_000L;
    private static final long DAY = 24 * HOUR;

    private static Scalar.Operand unit(String name) {
        return Scalar.of(DataType.VARCHAR.notNull(), name);
    }

    private static Scalar.Operand ts(String iso) {
        return Scalar.of(TIMESTAMP, CastTest.micros(iso));
    }

    private static Scalar.Operand date(String iso) {
        return Scalar.of(DATE, CastTest.day(iso));
    }

    static Stream<Arguments> cases() {
        return Stream.of(
                // function, result type, expected, operands
                of(
                        Function.PLUS,
                        TIMESTAMP,
                        CastTest.micros("2020-03-01T01:00:00"),
                        ts("2020-02-29T23:00:00"),
                        Scalar.of(DAY_TIME, 2 * HOUR)),
                of(
                        Function.MINUS,
                        TIMESTAMP,
                        CastTest.micros("2020-02-28T23:00:00"),
                        ts("2020-02-29T23:00:00"),
                        Scalar.of(DAY_TIME, DAY)),
                of(
                        Function.PLUS,
                        TIMESTAMP,
                        CastTest.micros("2020-02-29T23:00:00"),
                        ts("2020-01-31T23:00:00"),
                        Scalar.of(YEAR_MONTH, 1)),
                of(
                        Function.MINUS,
                        TIMESTAMP,
                        CastTest.micros("2019-02-28T23:00:00"),
                        ts("2020-02-29T23:00:00"),
                        Scalar.of(YEAR_MONTH, 12)),
                of(
                        Function.PLUS,
                        TIMESTAMP,
                        ErrorCode.DATETIME_FIELD_OVERFLOW,
                        Scalar.of(TIMESTAMP, Long.MAX_VALUE),
                        Scalar.of(DAY_TIME, 1)),
                of(Function.PLUS, DATE, CastTest.day("2020-03-01"), date("2020-02-29"), Scalar.of(DAY_TIME, DAY)),
                of(Function.PLUS, DATE, CastTest.day("2021-02-28"), date("2020-02-29"), Scalar.of(YEAR_MONTH, 12)),
                of(
                        Function.PLUS,
                        TIMESTAMP,
                        CastTest.micros("2020-02-29T01:00:00"),
                        date("2020-02-29"),
                        Scalar.of(DAY_TIME, HOUR)),
                of(
                        Function.PLUS,
                        DATE,
                        ErrorCode.DATETIME_FIELD_OVERFLOW,
                        Scalar.of(DATE, Integer.MAX_VALUE),
                        Scalar.of(DAY_TIME, DAY)),
                of(Function.PLUS, TIME, HOUR, Scalar.of(TIME, 23 * HOUR), Scalar.of(DAY_TIME, 2 * HOUR)),
                of(Function.MINUS, TIME, 23 * HOUR, Scalar.of(TIME, HOUR), Scalar.of(DAY_TIME, 2 * HOUR)),
                of(
                        Function.PLUS,
                        LTZ,
                        CastTest.micros("2020-03-29T10:00:00"),
                        Scalar.of(LTZ, CastTest.micros("2020-03-28T10:00:00")),
                        Scalar.of(DAY_TIME, DAY)),
                // A month on, the clock on the wall shows the same, an hour of summer time less.
                of(
                        Function.PLUS,
                        LTZ,
                        CastTest.micros("2020-04-15T10:00:00"),
                        Scalar.of(LTZ, CastTest.micros("2020-03-15T11:00:00")),
                        Scalar.of(YEAR_MONTH, 1)),
                of(Function.PLUS, TIMESTAMP, null, Scalar.of(TIMESTAMP, null), Scalar.of(DAY_TIME, HOUR)),
                of(Function.MINUS, DAY_TIME, 25 * HOUR, ts("2020-03-01T01:00:00"), ts("2020-02-29T00:00:00")),
                of(Function.MINUS, DAY_TIME, DAY, date("2020-03-01"), date("2020-02-29")),
                of(Function.MINUS, YEAR_MONTH, 11L, date("2020-03-01"), date("2019-03-02")),
                of(Function.MINUS, BIGINT, 366L, date("2021-01-01"), date("2020-01-01")),
                of(Function.PLUS, DAY_TIME, 3 * HOUR, Scalar.of(DAY_TIME, HOUR), Scalar.of(DAY_TIME, 2 * HOUR)),
                of(Function.MINUS, YEAR_MONTH, -1L, Scalar.of(YEAR_MONTH, 1), Scalar.of(YEAR_MONTH, 2)),
                of(Function.TIMES, DAY_TIME, 6 * HOUR, Scalar.of(DAY_TIME, 2 * HOUR), Scalar.of(BIGINT, 3)),
                of(Function.TIMES, DAY_TIME, HOUR, Scalar.of(DAY_TIME, 2 * HOUR), Scalar.of(DataType.DOUBLE, 0.5)),
                of(Function.DIVIDE, DAY_TIME, HOUR, Scalar.of(DAY_TIME, 2 * HOUR), Scalar.of(BIGINT, 2)),
                of(
                        Function.DIVIDE,
                        DAY_TIME,
                        ErrorCode.DIVISION_BY_ZERO,
                        Scalar.of(DAY_TIME, 2 * HOUR),
                        Scalar.of(BIGINT, 0)),
                of(
                        Function.TIMES,
                        YEAR_MONTH,
                        ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
                        Scalar.of(YEAR_MONTH, Integer.MAX_VALUE),
                        Scalar.of(BIGINT, 2)),
                of(Function.NEGATE, DAY_TIME, -HOUR, Scalar.of(DAY_TIME, HOUR)),
                of(Function.EXTRACT, BIGINT, 5L, unit("HOUR"), Scalar.of(TIME, 5 * HOUR + 1)),
                of(Function.EXTRACT, BIGINT, 14L, unit("HOUR"), Scalar.of(LTZ, Scalar.CLOCK)),
                of(Function.EXTRACT, BIGINT, Scalar.CLOCK / 1_000_000, unit("EPOCH"), Scalar.of(LTZ, Scalar.CLOCK)),
                of(Function.EXTRACT, BIGINT, 56789L, unit("MILLISECOND"), ts("2020-02-29T12:34:56.789012")),
                of(Function.EXTRACT, BIGINT, 56789012L, unit("MICROSECOND"), ts("2020-02-29T12:34:56.789012")),
                of(Function.EXTRACT, BIGINT, 3L, unit("DAY"), Scalar.of(DAY_TIME, 3 * DAY + 5 * HOUR)),
                of(Function.EXTRACT, BIGINT, 5L, unit("HOUR"), Scalar.of(DAY_TIME, 3 * DAY + 5 * HOUR)),
                of(Function.EXTRACT, BIGINT, 1L, unit("YEAR"), Scalar.of(YEAR_MONTH, 14)),
                of(Function.EXTRACT, BIGINT, 2L, unit("MONTH"), Scalar.of(YEAR_MONTH, 14)),
                of(Function.EXTRACT, BIGINT, null, unit("YEAR"), Scalar.of(TIMESTAMP, null)),
                of(Function.EXTRACT, BIGINT, 0L, unit("HOUR"), date("2020-02-29")),
                of(Function.FLOOR_TO, DATE, CastTest.day("2020-01-01"), date("2020-02-29"), unit("QUARTER")),
                of(
                        Function.FLOOR_TO,
                        LTZ,
                        CastTest.micros("2020-06-30T22:00:00"),
                        Scalar.of(LTZ, CastTest.micros("2020-07-01T10:00:00")),
                        unit("DAY")),
                of(Function.FLOOR_TO, TIME, 5 * HOUR, Scalar.of(TIME, 5 * HOUR + 7), unit("HOUR")),
                of(
                        Function.CEIL_TO,
                        TIMESTAMP,
                        CastTest.micros("2020-03-01T00:00:00"),
                        ts("2020-02-29T00:00:00"),
                        unit("MONTH")),
                of(
                        Function.CEIL_TO,
                        TIMESTAMP,
                        CastTest.micros("2020-02-01T00:00:00"),
                        ts("2020-02-01T00:00:00"),
                        unit("MONTH")),
                of(
                        Function.CEIL_TO,
                        TIMESTAMP,
                        CastTest.micros("2020-03-02T00:00:00"),
                        ts("2020-02-29T00:00:00"),
                        unit("WEEK")),
                of(
                        Function.CEIL_TO,
                        TIMESTAMP,
                        CastTest.micros("2020-02-29T13:00:00"),
                        ts("2020-02-29T12:00:00.000001"),
                        unit("HOUR")),
                of(
                        Function.TIMESTAMP_DIFF,
                        BIGINT,
                        23L,
                        ts("2020-03-01T00:00:00"),
                        ts("2020-02-29T00:00:01"),
                        unit("HOUR")),
                of(
                        Function.TIMESTAMP_DIFF,
                        BIGINT,
                        -23L,
                        ts("2020-02-29T00:00:01"),
                        ts("2020-03-01T00:00:00"),
                        unit("HOUR")),
                of(
                        Function.TIMESTAMP_DIFF,
                        DataType.INTEGER,
                        11L,
                        ts("2021-02-28T00:00:00"),
                        ts("2020-02-29T00:00:00"),
                        unit("MONTH")),
                of(
                        Function.TIMESTAMP_DIFF,
                        BIGINT,
                        0L,
                        ts("2021-02-28T00:00:00"),
                        ts("2020-02-29T00:00:00"),
                        unit("YEAR")),
                of(Function.TIMESTAMP_DIFF, BIGINT, 1L, date("2020-03-08"), date("2020-02-29"), unit("WEEK")),
                of(
                        Function.TUMBLE_START,
                        TIMESTAMP,
                        -10L,
                        Scalar.of(TIMESTAMP, -1),
                        Scalar.of(DAY_TIME, 10),
                        Scalar.of(DAY_TIME, 0)),
                of(
                        Function.TUMBLE_START,
                        TIMESTAMP,
                        10L,
                        Scalar.of(TIMESTAMP, 10),
                        Scalar.of(DAY_TIME, 10),
                        Scalar.of(DAY_TIME, 0)),
                of(
                        Function.TUMBLE_START,
                        TIMESTAMP,
                        3L,
                        Scalar.of(TIMESTAMP, 12),
                        Scalar.of(DAY_TIME, 10),
                        Scalar.of(DAY_TIME, 3)),
                of(
                        Function.TUMBLE_START,
                        TIMESTAMP,
                        -3L,
                        Scalar.of(TIMESTAMP, 2),
                        Scalar.of(DAY_TIME, 10),
                        Scalar.of(DAY_TIME, -13)),
                of(
                        Function.TUMBLE_START,
                        TIMESTAMP,
                        null,
                        Scalar.of(TIMESTAMP, null),
                        Scalar.of(DAY_TIME, 10),
                        Scalar.of(DAY_TIME, 0)),
                of(Function.TICK_TIME, LTZ, Scalar.CLOCK),
                of(Function.TICK_TIME, TIMESTAMP, Scalar.CLOCK + 2 * HOUR),
                of(Function.TICK_TIME, DataType.timestamp(0), Scalar.CLOCK + 2 * HOUR),
                format("2020-02-29", "yyyy-MM-dd"),
                format("2020/02/29 12.34:56,789", "yyyy/MM/dd HH.mm:ss,SSS"),
                format("12", "HH"),
                format("20", "yy"),
                format("Sat, 29 Feb 2020", "EEE, d MMM yyyy"),
                format("o'clock 12", "'o''clock' HH"),
                of(
                        Function.DATE_FORMAT,
                        DataType.VARCHAR,
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        ts("2020-02-29T12:34:56"),
                        Scalar.of(DataType.VARCHAR, "yyyy-bb")),
                of(
                        Function.DATE_FORMAT,
                        DataType.VARCHAR,
                        ErrorCode.INVALID_PARAMETER_VALUE,
                        ts("2020-02-29T12:34:56"),
                        Scalar.of(DataType.VARCHAR, "VV")),
                of(
                        Function.DATE_FORMAT,
                        DataType.VARCHAR,
                        "14:26",
                        Scalar.of(LTZ, Scalar.CLOCK),
                        Scalar.of(DataType.VARCHAR, "HH:mm")),
                of(
                        Function.DATE_FORMAT,
                        DataType.VARCHAR,
                        "29.02.2020",
                        Scalar.of(DataType.VARCHAR, "2020-02-29 12:34:56"),
                        Scalar.of(DataType.VARCHAR, "dd.MM.yyyy")),
                of(
                        Function.DATE_FORMAT,
                        DataType.VARCHAR,
                        null,
                        Scalar.of(TIMESTAMP, null),
                        Scalar.of(DataType.VARCHAR, "HH:mm")));
    }

    private static Arguments format(String expected, String pattern) {
        return of(
                Function.DATE_FORMAT,
                DataType.VARCHAR,
                expected,
                ts("2020-02-29T12:34:56.789012"),
                Scalar.of(DataType.VARCHAR, pattern));
    }

    private static Arguments of(
            Function function, DataType type, @Nullable Object expected, Scalar.Operand... operands) {
        return arguments(function, type, operands, expected);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void datetimeFunctionsGiveTheValueOrTheError(
            Function function, DataType type, Scalar.Operand[] operands, @Nullable Object expected) {
        ArithmeticTest.check(function, type, operands, expected);
    }

    @Test
    void fieldsAndCalendarUnitsAgreeWithJavaTime() {
        Random random = new Random(11);
        for (int i = 0; i < 4000; i++) {
            long micros = random.nextLong(-100_000L * DAY, 100_000L * DAY);
            LocalDateTime time = LocalDateTime.ofEpochSecond(
                    Math.floorDiv(micros, 1_000_000L), (int) Math.floorMod(micros, 1_000_000L) * 1000, ZoneOffset.UTC);
            LocalDate date = time.toLocalDate();
            assertThat(Datetimes.year(micros)).isEqualTo(time.getYear());
            assertThat(Datetimes.month(micros)).isEqualTo(time.getMonthValue());
            assertThat(Datetimes.day(micros)).isEqualTo(time.getDayOfMonth());
            assertThat(Datetimes.dayOfYear(micros)).isEqualTo(time.getDayOfYear());
            assertThat(Datetimes.isoDayOfWeek(micros))
                    .isEqualTo(time.getDayOfWeek().getValue());
            assertThat(Datetimes.dayOfWeek(micros))
                    .isEqualTo(time.getDayOfWeek().getValue() % 7);
            assertThat(Datetimes.quarter(micros)).isEqualTo(time.get(IsoFields.QUARTER_OF_YEAR));
            assertThat(Datetimes.week(micros)).isEqualTo(time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
            assertThat(Datetimes.days(date.getYear(), date.getMonthValue(), date.getDayOfMonth()))
                    .isEqualTo((int) date.toEpochDay());
            assertThat(Datetimes.floorToWeek(micros))
                    .isEqualTo(midnight(date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY))));
            assertThat(Datetimes.floorToMonths(micros, 1)).isEqualTo(midnight(date.withDayOfMonth(1)));
            assertThat(Datetimes.floorToMonths(micros, 12)).isEqualTo(midnight(date.withDayOfYear(1)));
            int months = random.nextInt(-500, 500);
            assertThat(Datetimes.addMonths((int) date.toEpochDay(), months))
                    .isEqualTo((int) date.plusMonths(months).toEpochDay());
            long other = random.nextLong(-100_000L * DAY, 100_000L * DAY);
            LocalDateTime otherTime = LocalDateTime.ofEpochSecond(
                    Math.floorDiv(other, 1_000_000L), (int) Math.floorMod(other, 1_000_000L) * 1000, ZoneOffset.UTC);
            assertThat(Datetimes.monthsBetween(micros, other)).isEqualTo(ChronoUnit.MONTHS.between(otherTime, time));
        }
    }

    private static long midnight(LocalDate date) {
        return date.toEpochDay() * DAY;
    }

    @Test
    void localTimesAgreeWithJavaTimeInZonesOfAllKinds() {
        Random random = new Random(5);
        for (String name : new String[] {
            "UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "+03:30"
        }) {
            ZoneId id = ZoneId.of(name);
            LocalZone zone = new LocalZone(id);
            for (int i = 0; i < 3000; i++) {
                // Runs of near times, so that the remembered span is used and left.
                long micros = random.nextLong(0, 20_000) * DAY + random.nextLong(-3 * DAY, 3 * DAY);
                Instant instant = Instant.ofEpochSecond(
                        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
                LocalDateTime local = LocalDateTime.ofInstant(instant, id);
                long localMicros = ChronoUnit.MICROS.between(LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), local);
                assertThat(zone.toLocal(micros)).as(name).isEqualTo(localMicros);
                LocalDateTime wall = LocalDateTime.ofEpochSecond(
                        Math.floorDiv(micros, 1_000_000L),
                        (int) Math.floorMod(micros, 1_000_000L) * 1000,
                        ZoneOffset.UTC);
                Instant meant =
                        ZonedDateTime.of(wall, id).withEarlierOffsetAtOverlap().toInstant();
                assertThat(zone.toInstant(micros))
                        .as(name)
                        .isEqualTo(meant.getEpochSecond() * 1_000_000L + meant.getNano() / 1000);
            }
        }
    }
}

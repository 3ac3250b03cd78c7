package io.tailwater.executor.expr;

import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Every conversion: values, rounding, what is out of range, what does not parse. TRY_CAST gives the same value, or NULL for the error. */
final class CastTest {
    private static final DataType BOOLEAN = DataType.BOOLEAN;
    private static final DataType TINYINT = DataType.TINYINT;
    private static final DataType SMALLINT = DataType.SMALLINT;
    private static final DataType INTEGER = DataType.INTEGER;
    private static final DataType BIGINT = DataType.BIGINT;
    private static final DataType REAL = DataType.REAL;
    private static final DataType DOUBLE = DataType.DOUBLE;
    private static final DataType VARCHAR = DataType.VARCHAR;
    private static final DataType VARBINARY = DataType.VARBINARY;
    private static final DataType DATE = DataType.DATE;
    private static final DataType TIME = DataType.TIME;
    private static final DataType TIMESTAMP = DataType.TIMESTAMP;
    private static final DataType LTZ = DataType.TIMESTAMP_LTZ;
    private static final DataType DAY_TIME = new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, true);
    private static final DataType YEAR_MONTH = new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, true);
    private static final ErrorCode RANGE = ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE;
    private static final ErrorCode TEXT = ErrorCode.INVALID_TEXT_REPRESENTATION;
    private static final ErrorCode FORMAT = ErrorCode.INVALID_DATETIME_FORMAT;
    private static final ErrorCode FIELD = ErrorCode.DATETIME_FIELD_OVERFLOW;

    private static DataType dec(int precision, int scale) {
        return DataType.decimal(precision, scale);
    }

    private static BigDecimal big(String text) {
        return new BigDecimal(text);
    }

    static long micros(String iso) {
        LocalDateTime time = LocalDateTime.parse(iso);
        return ChronoUnit.MICROS.between(LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), time);
    }

    static long day(String iso) {
        return LocalDate.parse(iso).toEpochDay();
    }

    static Stream<Arguments> numbers() {
        return Stream.of(
                // from type, value, to type, expected
                arguments(TINYINT, -128L, BIGINT, -128L),
                arguments(BIGINT, 127L, TINYINT, 127L),
                arguments(BIGINT, 128L, TINYINT, RANGE),
                arguments(BIGINT, -32769L, SMALLINT, RANGE),
                arguments(INTEGER, 32767L, SMALLINT, 32767L),
                arguments(BIGINT, 2147483648L, INTEGER, RANGE),
                arguments(INTEGER, -5L, BIGINT, -5L),
                arguments(SMALLINT, -5L, INTEGER, -5L),
                arguments(BIGINT, 7L, BOOLEAN, true),
                arguments(INTEGER, 0L, BOOLEAN, false),
                arguments(BOOLEAN, true, INTEGER, 1L),
                arguments(BOOLEAN, false, BIGINT, 0L),
                arguments(BIGINT, 9007199254740993L, DOUBLE, 0x1p53),
                arguments(INTEGER, 16777217L, REAL, 16777216f),
                arguments(REAL, 0.1f, DOUBLE, (double) 0.1f),
                arguments(DOUBLE, 0.1, REAL, 0.1f),
                arguments(DOUBLE, 1e300, REAL, RANGE),
                arguments(DOUBLE, Double.NaN, REAL, Float.NaN),
                arguments(DOUBLE, Double.NEGATIVE_INFINITY, REAL, Float.NEGATIVE_INFINITY),
                arguments(DOUBLE, 2.5, BIGINT, 2L),
                arguments(DOUBLE, 3.5, INTEGER, 4L),
                arguments(DOUBLE, -2.5, BIGINT, -2L),
                arguments(DOUBLE, -0.4, BIGINT, 0L),
                arguments(DOUBLE, 9.3e18, BIGINT, RANGE),
                arguments(DOUBLE, -0x1p63, BIGINT, Long.MIN_VALUE),
                arguments(DOUBLE, Double.NaN, BIGINT, RANGE),
                arguments(DOUBLE, 300d, TINYINT, RANGE),
                arguments(REAL, 1.5f, SMALLINT, 2L),
                arguments(BIGINT, Long.MAX_VALUE, dec(19, 0), big("9223372036854775807")),
                arguments(BIGINT, Long.MAX_VALUE, dec(18, 0), RANGE),
                arguments(BIGINT, 12L, dec(5, 3), big("12.000")),
                arguments(BIGINT, 100L, dec(5, 3), RANGE),
                arguments(INTEGER, -7L, dec(38, 30), big("-7").setScale(30)),
                arguments(TINYINT, 127L, dec(3, 0), big("127")),
                arguments(dec(5, 2), big("1.25"), dec(5, 1), big("1.3")),
                arguments(dec(5, 2), big("-1.25"), dec(5, 1), big("-1.3")),
                arguments(dec(5, 2), big("-1.24"), dec(5, 1), big("-1.2")),
                arguments(dec(5, 2), big("999.99"), dec(4, 1), RANGE),
                arguments(dec(5, 2), big("999.99"), dec(5, 2), big("999.99")),
                arguments(dec(5, 2), big("1.25"), dec(38, 20), big("1.25").setScale(20)),
                arguments(dec(38, 0), big("12345678901234567890123456789012345678"), dec(38, 2), RANGE),
                arguments(
                        dec(38, 20),
                        big("123456789012345678.12345678901234567890"),
                        dec(20, 2),
                        big("123456789012345678.12")),
                arguments(dec(38, 20), big("-999999999999999999.99999999999999999999"), dec(20, 2), RANGE),
                arguments(dec(38, 38), big("0.99999999999999999999999999999999999999"), dec(1, 0), big("1")),
                arguments(dec(38, 38), big("-0.5").setScale(38), dec(1, 0), big("-1")),
                arguments(dec(5, 2), big("2.50"), BIGINT, 3L),
                arguments(dec(5, 2), big("-2.50"), INTEGER, -3L),
                arguments(dec(5, 2), big("300.00"), TINYINT, RANGE),
                arguments(dec(38, 0), big("99999999999999999999"), BIGINT, RANGE),
                arguments(dec(38, 20), big("1234567.5").setScale(20), BIGINT, 1234568L),
                arguments(dec(10, 2), big("1.10"), DOUBLE, 1.1),
                arguments(
                        dec(38, 10),
                        big("1234567890123456789012345678.0123456789"),
                        DOUBLE,
                        Double.parseDouble("1234567890123456789012345678.0123456789")),
                arguments(dec(10, 2), big("0.10"), REAL, 0.1f),
                arguments(DOUBLE, 0.1, dec(20, 20), big("0.1").setScale(20)),
                arguments(DOUBLE, 1.005, dec(10, 2), big("1.01")),
                arguments(DOUBLE, -7d, dec(3, 1), big("-7.0")),
                arguments(DOUBLE, 1e38, dec(38, 0), RANGE),
                arguments(DOUBLE, Double.NaN, dec(38, 0), RANGE),
                arguments(DOUBLE, Double.POSITIVE_INFINITY, dec(38, 0), RANGE),
                arguments(DOUBLE, 1e-300, dec(38, 10), big("0").setScale(10)),
                arguments(DOUBLE, 100d, dec(2, 0), RANGE),
                arguments(REAL, 0.1f, dec(20, 10), big("0.1").setScale(10)));
    }

    static Stream<Arguments> toText() {
        return Stream.of(
                arguments(BOOLEAN, true, VARCHAR, "true"),
                arguments(BOOLEAN, false, VARCHAR, "false"),
                arguments(BIGINT, Long.MIN_VALUE, VARCHAR, "-9223372036854775808"),
                arguments(BIGINT, 0L, VARCHAR, "0"),
                arguments(INTEGER, 12345L, DataType.varchar(5), "12345"),
                arguments(INTEGER, 12345L, DataType.varchar(4), ErrorCode.STRING_TOO_LONG),
                arguments(TINYINT, -7L, VARCHAR, "-7"),
                arguments(dec(10, 2), big("-0.05"), VARCHAR, "-0.05"),
                arguments(dec(10, 0), big("7"), VARCHAR, "7"),
                arguments(
                        dec(38, 10),
                        big("1234567890123456789012345678.0123456789"),
                        VARCHAR,
                        "1234567890123456789012345678.0123456789"),
                arguments(dec(38, 30), big("-1").setScale(30), VARCHAR, "-1.000000000000000000000000000000"),
                arguments(DOUBLE, 1d, VARCHAR, "1"),
                arguments(DOUBLE, -0.0, VARCHAR, "0"),
                arguments(DOUBLE, 0.1, VARCHAR, "0.1"),
                arguments(DOUBLE, 1e14, VARCHAR, "100000000000000"),
                arguments(DOUBLE, 1e15, VARCHAR, "1e+15"),
                arguments(DOUBLE, (double) 123456789012345680L, VARCHAR, "1.2345678901234568e+17"),
                arguments(DOUBLE, 0.0001, VARCHAR, "0.0001"),
                arguments(DOUBLE, 0.00001, VARCHAR, "1e-05"),
                arguments(DOUBLE, 2e-300, VARCHAR, "2e-300"),
                arguments(DOUBLE, Double.parseDouble("2e23"), VARCHAR, "2e+23"),
                arguments(DOUBLE, Double.MIN_VALUE, VARCHAR, "4.9e-324"),
                arguments(DOUBLE, Double.MAX_VALUE, VARCHAR, "1.7976931348623157e+308"),
                arguments(DOUBLE, -1234.5, VARCHAR, "-1234.5"),
                arguments(DOUBLE, Double.NaN, VARCHAR, "NaN"),
                arguments(DOUBLE, Double.NEGATIVE_INFINITY, VARCHAR, "-Infinity"),
                arguments(REAL, 0.1f, VARCHAR, "0.1"),
                arguments(REAL, 1e6f, VARCHAR, "1e+06"),
                arguments(REAL, 123456f, VARCHAR, "123456"),
                arguments(DATE, day("2020-02-29"), VARCHAR, "2020-02-29"),
                arguments(DATE, day("0001-01-01"), VARCHAR, "0001-01-01"),
                arguments(DATE, day("1969-12-31"), VARCHAR, "1969-12-31"),
                arguments(DATE, LocalDate.of(12345, 6, 7).toEpochDay(), VARCHAR, "12345-06-07"),
                arguments(TIME, 45_296_789_012L, VARCHAR, "12:34:56.789012"),
                arguments(new DataType(TypeKind.TIME, 0, 0, true), 45_296_000_000L, VARCHAR, "12:34:56"),
                arguments(TIMESTAMP, micros("2020-02-29T12:34:56.789012"), VARCHAR, "2020-02-29 12:34:56.789012"),
                arguments(DataType.timestamp(3), micros("2020-02-29T12:34:56.700"), VARCHAR, "2020-02-29 12:34:56.700"),
                arguments(DataType.timestamp(0), micros("1960-01-01T00:00:00"), VARCHAR, "1960-01-01 00:00:00"),
                arguments(TIMESTAMP, -1L, VARCHAR, "1969-12-31 23:59:59.999999"),
                arguments(LTZ, micros("2020-07-01T10:00:00"), VARCHAR, "2020-07-01 12:00:00.000000"),
                arguments(LTZ, micros("2020-01-01T10:00:00"), VARCHAR, "2020-01-01 11:00:00.000000"),
                arguments(DAY_TIME, 3 * 86_400_000_000L + 14_706_500_000L, VARCHAR, "3 days 04:05:06.5"),
                arguments(DAY_TIME, -1_000_000L, VARCHAR, "-00:00:01"),
                arguments(DAY_TIME, 86_400_000_000L, VARCHAR, "1 day"),
                arguments(DAY_TIME, 0L, VARCHAR, "00:00:00"),
                arguments(YEAR_MONTH, 14L, VARCHAR, "1 year 2 mons"),
                arguments(YEAR_MONTH, -3L, VARCHAR, "-3 mons"),
                arguments(YEAR_MONTH, 24L, VARCHAR, "2 years"),
                arguments(VARCHAR, "日本語の文", DataType.varchar(3), "日本語"),
                arguments(VARCHAR, "abc", DataType.varchar(5), "abc"),
                arguments(VARBINARY, "größe".getBytes(StandardCharsets.UTF_8), VARCHAR, "größe"),
                arguments(VARBINARY, new byte[] {(byte) 0xC3}, VARCHAR, TEXT));
    }

    static Stream<Arguments> fromText() {
        return Stream.of(
                arguments("true", BOOLEAN, true),
                arguments(" F ", BOOLEAN, false),
                arguments("yes", BOOLEAN, true),
                arguments("OFF", BOOLEAN, false),
                arguments("2", BOOLEAN, TEXT),
                arguments("9223372036854775807", BIGINT, Long.MAX_VALUE),
                arguments("-9223372036854775808", BIGINT, Long.MIN_VALUE),
                arguments("9223372036854775808", BIGINT, RANGE),
                arguments("-99999999999999999999", BIGINT, RANGE),
                arguments("99999999999999999999x", BIGINT, TEXT),
                arguments("  +42\n", BIGINT, 42L),
                arguments("", BIGINT, TEXT),
                arguments("-", BIGINT, TEXT),
                arguments("1.5", BIGINT, TEXT),
                arguments("١", BIGINT, TEXT),
                arguments("300", TINYINT, RANGE),
                arguments("-32768", SMALLINT, -32768L),
                arguments("2147483648", INTEGER, RANGE),
                arguments("1.5", DOUBLE, 1.5),
                arguments(" -0.001 ", DOUBLE, -0.001),
                arguments("1e3", DOUBLE, 1000d),
                arguments("1e400", DOUBLE, RANGE),
                arguments("123456789.123456789123456789", DOUBLE, Double.parseDouble("123456789.123456789123456789")),
                arguments("NaN", DOUBLE, Double.NaN),
                arguments("-Infinity", DOUBLE, Double.NEGATIVE_INFINITY),
                arguments("1d", DOUBLE, TEXT),
                arguments("0x10", DOUBLE, TEXT),
                arguments(".", DOUBLE, TEXT),
                arguments("1.5.2", DOUBLE, TEXT),
                arguments("0.1", REAL, 0.1f),
                arguments("1e39", REAL, RANGE),
                arguments("1.00000005960464477539062500000001", REAL, Math.nextUp(1f)),
                arguments("12.345", dec(5, 2), big("12.35")),
                arguments("-12.345", dec(5, 2), big("-12.35")),
                arguments("1000", dec(5, 2), RANGE),
                arguments("1e2", dec(5, 2), big("100.00")),
                arguments("1e-10", dec(5, 2), big("0.00")),
                arguments(
                        "12345678901234567890123456789012345678",
                        dec(38, 0),
                        big("12345678901234567890123456789012345678")),
                arguments("123456789012345678901234567890123456789", dec(38, 0), RANGE),
                arguments("1e9999999", dec(38, 0), RANGE),
                arguments("NaN", dec(38, 0), TEXT),
                arguments("", dec(38, 0), TEXT),
                arguments("2020-02-29", DATE, day("2020-02-29")),
                arguments(" 2020-2-9 ", DATE, day("2020-02-09")),
                arguments("2020-02-29 12:34:56", DATE, day("2020-02-29")),
                arguments("2019-02-29", DATE, FIELD),
                arguments("2019-13-01", DATE, FIELD),
                arguments("20190101", DATE, FORMAT),
                arguments("2019-01-01x", DATE, FORMAT),
                arguments("", DATE, FORMAT),
                arguments("12:34:56.789", TIME, 45_296_789_000L),
                arguments("12:34", TIME, 45_240_000_000L),
                arguments("24:00:00", TIME, FIELD),
                arguments("12:34:56.7899999", DataType.TIME, 45_296_789_999L),
                arguments("12", TIME, FORMAT),
                arguments("2020-02-29 12:34:56.789012", TIMESTAMP, micros("2020-02-29T12:34:56.789012")),
                arguments("2020-02-29T12:34:56Z", TIMESTAMP, micros("2020-02-29T12:34:56")),
                arguments("2020-02-29 12:34:56+00:00", TIMESTAMP, micros("2020-02-29T12:34:56")),
                arguments("2020-02-29 12:34:56+02", TIMESTAMP, FORMAT),
                arguments("2020-02-29", TIMESTAMP, micros("2020-02-29T00:00:00")),
                arguments("2020-02-29 1:2", TIMESTAMP, micros("2020-02-29T01:02:00")),
                arguments("1969-12-31 23:59:59.9", TIMESTAMP, -100_000L),
                arguments("2020-02-29 12:34:56.789999", DataType.timestamp(3), micros("2020-02-29T12:34:56.789")),
                arguments("1969-12-31 23:59:59.9999", DataType.timestamp(3), -1000L),
                arguments("2020-02-30 12:34:56", TIMESTAMP, FIELD),
                arguments("2020-02-29 12:60:56", TIMESTAMP, FIELD),
                arguments("2020-02-29 12:3x:56", TIMESTAMP, FORMAT),
                arguments("2020-0-29 12:34:56", TIMESTAMP, FIELD),
                arguments("nonsense", TIMESTAMP, FORMAT),
                arguments("2020-07-01 12:00:00", LTZ, micros("2020-07-01T10:00:00")),
                arguments("2020-07-01 12:00:00Z", LTZ, micros("2020-07-01T12:00:00")),
                arguments("2020-07-01 12:00:00.5-03:30", LTZ, micros("2020-07-01T15:30:00.5")),
                arguments("größe", VARBINARY, "größe".getBytes(StandardCharsets.UTF_8)),
                arguments(
                        "größe", new DataType(TypeKind.VARBINARY, 2, 0, true), "gr".getBytes(StandardCharsets.UTF_8)));
    }

    static Stream<Arguments> datetimes() {
        return Stream.of(
                arguments(DATE, day("2020-02-29"), TIMESTAMP, micros("2020-02-29T00:00:00")),
                arguments(DATE, day("2020-07-01"), LTZ, micros("2020-06-30T22:00:00")),
                arguments(DATE, (long) Integer.MAX_VALUE, TIMESTAMP, FIELD),
                arguments(TIMESTAMP, micros("1969-12-31T23:00:00"), DATE, day("1969-12-31")),
                arguments(TIMESTAMP, micros("1969-12-31T23:00:00"), TIME, 82_800_000_000L),
                arguments(TIMESTAMP, micros("2020-07-01T12:00:00"), LTZ, micros("2020-07-01T10:00:00")),
                // Clocks skip this hour: they are taken to run on.
                arguments(TIMESTAMP, micros("2020-03-29T02:30:00"), LTZ, micros("2020-03-29T01:30:00")),
                // Clocks show this hour twice: the earlier is meant.
                arguments(TIMESTAMP, micros("2020-10-25T02:30:00"), LTZ, micros("2020-10-25T00:30:00")),
                arguments(TIMESTAMP, micros("2020-10-25T03:30:00"), LTZ, micros("2020-10-25T02:30:00")),
                arguments(LTZ, micros("2020-10-25T00:30:00"), TIMESTAMP, micros("2020-10-25T02:30:00")),
                arguments(LTZ, micros("2020-10-25T01:30:00"), TIMESTAMP, micros("2020-10-25T02:30:00")),
                arguments(LTZ, micros("1890-01-01T00:00:00"), TIMESTAMP, micros("1890-01-01T00:53:28")),
                arguments(LTZ, micros("2020-06-30T23:00:00"), DATE, day("2020-07-01")),
                arguments(LTZ, micros("2020-06-30T23:00:00"), TIME, 3_600_000_000L),
                arguments(TIMESTAMP, -1L, DataType.timestamp(0), -1_000_000L),
                arguments(TIME, 1_999_999L, new DataType(TypeKind.TIME, 1, 0, true), 1_900_000L));
    }

    @ParameterizedTest
    @MethodSource({"numbers", "toText", "datetimes"})
    void valuesConvertOrAreRefused(DataType from, Object value, DataType to, @Nullable Object expected) {
        check(Scalar.of(from, value), to, expected);
    }

    @ParameterizedTest
    @MethodSource("fromText")
    void textParsesOrIsRefused(String text, DataType to, @Nullable Object expected) {
        check(Scalar.of(VARCHAR, text), to, expected);
    }

    private static void check(Scalar.Operand operand, DataType to, @Nullable Object expected) {
        ArithmeticTest.check(Function.CAST, to, new Scalar.Operand[] {operand}, expected);
        Object lenient = Scalar.eval(Function.TRY_CAST, to, operand);
        if (expected instanceof ErrorCode) {
            assertThat(lenient).isNull();
        } else {
            assertThat(lenient).isEqualTo(expected);
        }
        assertThat(Scalar.eval(Function.CAST, to, Scalar.of(operand.type(), null)))
                .isNull();
    }

    @Test
    void floatingPointIsWrittenInTheFewestDigitsThatReadBack() {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            BigDecimal few = new BigDecimal(
                    BigInteger.valueOf(random.nextLong(1, 1_000_000_000_000_000L)), random.nextInt(-200, 200));
            String text = TextFormat.text(few.doubleValue());
            assertThat(new BigDecimal(text)).isEqualByComparingTo(few);
            double any = Double.longBitsToDouble(random.nextLong());
            if (!Double.isNaN(any)) {
                assertThat(Double.parseDouble(TextFormat.text(any))).isEqualTo(any);
            }
            float small = Float.intBitsToFloat(random.nextInt());
            if (!Float.isNaN(small)) {
                assertThat(Float.parseFloat(TextFormat.text(small))).isEqualTo(small);
            }
        }
    }

    @Test
    void conversionsThatMeanNothingAreRefused() {
        for (List<DataType> pair : List.of(
                List.of(BOOLEAN, DATE),
                List.of(DATE, BIGINT),
                List.of(BIGINT, TIMESTAMP),
                List.of(DOUBLE, BOOLEAN),
                List.of(TIME, TIMESTAMP),
                List.of(VARCHAR, DAY_TIME),
                List.of(BIGINT, VARBINARY),
                List.of(VARBINARY, BIGINT))) {
            Object value = pair.get(0).kind() == TypeKind.BOOLEAN
                    ? (Object) true
                    : pair.get(0).kind() == TypeKind.DOUBLE
                            ? (Object) 1d
                            : pair.get(0).kind() == TypeKind.VARCHAR
                                    ? "x"
                                    : pair.get(0).kind() == TypeKind.VARBINARY ? new byte[1] : (Object) 1L;
            assertThatThrownBy(() -> Scalar.eval(Function.CAST, pair.get(1), Scalar.of(pair.get(0), value)))
                    .isInstanceOfSatisfying(
                            StreamException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.FEATURE_NOT_SUPPORTED));
        }
    }
}

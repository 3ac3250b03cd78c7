package io.tailwater.executor.expr;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.OperatorContext.TickClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.ZoneOffset;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Arithmetic by type: results, NULLs, overflow and division by zero. */
final class ArithmeticTest {
    private static final DataType BIGINT = DataType.BIGINT;
    private static final DataType INTEGER = DataType.INTEGER;
    private static final DataType SMALLINT = DataType.SMALLINT;
    private static final DataType TINYINT = DataType.TINYINT;
    private static final DataType DOUBLE = DataType.DOUBLE;
    private static final DataType REAL = DataType.REAL;

    static Stream<Arguments> cases() {
        return Stream.of(
                        // function, result type, operand types, operands, expected value or error
                        binary(Function.PLUS, BIGINT, 1, 2, 3),
                        binary(Function.PLUS, BIGINT, Long.MAX_VALUE, 1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.PLUS, BIGINT, null, 1, null),
                        binary(Function.MINUS, BIGINT, Long.MIN_VALUE, 1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.MINUS, BIGINT, 5, 7, -2),
                        binary(Function.TIMES, BIGINT, 3_000_000_000L, 3_000_000_000L, 9_000_000_000_000_000_000L),
                        binary(
                                Function.TIMES,
                                BIGINT,
                                4_000_000_000L,
                                3_000_000_000L,
                                ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.TIMES, BIGINT, Long.MIN_VALUE, -1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.DIVIDE, BIGINT, -7, 2, -3),
                        binary(Function.DIVIDE, BIGINT, 7, 0, ErrorCode.DIVISION_BY_ZERO),
                        binary(Function.DIVIDE, BIGINT, Long.MIN_VALUE, -1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.DIVIDE, BIGINT, null, 0, null),
                        binary(Function.MOD, BIGINT, -7, 3, -1),
                        binary(Function.MOD, BIGINT, 7, -3, 1),
                        binary(Function.MOD, BIGINT, Long.MIN_VALUE, -1, 0),
                        binary(Function.MOD, BIGINT, 7, 0, ErrorCode.DIVISION_BY_ZERO),
                        binary(Function.PLUS, INTEGER, Integer.MAX_VALUE, 1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.TIMES, INTEGER, 65536, -32768, Integer.MIN_VALUE),
                        binary(Function.TIMES, INTEGER, 65536, 32768, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.DIVIDE, INTEGER, Integer.MIN_VALUE, -1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.DIVIDE, INTEGER, -9, 4, -2),
                        binary(Function.MINUS, SMALLINT, Short.MIN_VALUE, 1, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.PLUS, SMALLINT, 300, 400, 700),
                        binary(Function.PLUS, TINYINT, 100, 28, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.TIMES, TINYINT, 8, -16, -128),
                        unary(Function.NEGATE, BIGINT, Long.MIN_VALUE, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        unary(Function.NEGATE, INTEGER, Integer.MIN_VALUE, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        unary(Function.NEGATE, TINYINT, 7, -7),
                        unary(Function.ABS, BIGINT, -7, 7),
                        unary(Function.ABS, BIGINT, Long.MIN_VALUE, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        unary(Function.SIGN, BIGINT, -7, -1),
                        unary(Function.SIGN, INTEGER, 0, 0),
                        unary(Function.FLOOR, BIGINT, -7, -7),
                        unary(Function.CEIL, BIGINT, null, null),
                        binary(Function.PLUS, DOUBLE, 1.5, 2.25, 3.75),
                        binary(Function.PLUS, DOUBLE, 1e308, 1e308, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.TIMES, DOUBLE, Double.POSITIVE_INFINITY, 2d, Double.POSITIVE_INFINITY),
                        binary(Function.MINUS, DOUBLE, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.NaN),
                        binary(Function.DIVIDE, DOUBLE, 1d, 0d, ErrorCode.DIVISION_BY_ZERO),
                        binary(Function.DIVIDE, DOUBLE, 1d, 8d, 0.125),
                        binary(Function.MOD, DOUBLE, -7.5, 2d, -1.5),
                        binary(Function.TIMES, REAL, 1e30f, 1e30f, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        binary(Function.PLUS, REAL, 0.1f, 0.2f, 0.1f + 0.2f),
                        binary(Function.DIVIDE, REAL, 1f, 3f, 1f / 3f),
                        unary(Function.NEGATE, DOUBLE, 1.5, -1.5),
                        unary(Function.ABS, DOUBLE, -1.5, 1.5),
                        unary(Function.SIGN, DOUBLE, -1.5, -1d),
                        unary(Function.FLOOR, DOUBLE, -1.5, -2d),
                        unary(Function.CEIL, DOUBLE, -1.5, -1d),
                        unary(Function.ROUND, DOUBLE, 2.5, 3d),
                        unary(Function.ROUND, DOUBLE, -2.5, -3d),
                        unary(Function.ROUND, DOUBLE, 0.49999999999999994, 0d),
                        unary(Function.TRUNCATE, DOUBLE, -2.9, -2d),
                        unary(Function.SQRT, DOUBLE, 2.25, 1.5),
                        unary(Function.SQRT, DOUBLE, -1d, ErrorCode.INVALID_ARGUMENT_FOR_POWER),
                        unary(Function.EXP, DOUBLE, 0d, 1d),
                        unary(Function.EXP, DOUBLE, 1000d, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE),
                        unary(Function.LN, DOUBLE, 1d, 0d),
                        unary(Function.LN, DOUBLE, 0d, ErrorCode.INVALID_ARGUMENT_FOR_LOGARITHM),
                        unary(Function.LOG10, DOUBLE, 1000d, 3d),
                        unary(Function.LOG10, DOUBLE, -1d, ErrorCode.INVALID_ARGUMENT_FOR_LOGARITHM),
                        binary(Function.POWER, DOUBLE, 2d, 10d, 1024d),
                        binary(Function.POWER, DOUBLE, -8d, 0.5, ErrorCode.INVALID_ARGUMENT_FOR_POWER),
                        binary(Function.POWER, DOUBLE, 0d, -1d, ErrorCode.INVALID_ARGUMENT_FOR_POWER),
                        binary(Function.POWER, DOUBLE, 10d, 400d, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE))
                .flatMap(s -> s);
    }

    private static Stream<Arguments> binary(
            Function function, DataType type, @Nullable Object a, @Nullable Object b, @Nullable Object expected) {
        return Stream.of(arguments(
                function, type, new Scalar.Operand[] {Scalar.of(type, a), Scalar.of(type, b)}, widened(expected)));
    }

    private static Stream<Arguments> unary(
            Function function, DataType type, @Nullable Object a, @Nullable Object expected) {
        return Stream.of(arguments(function, type, new Scalar.Operand[] {Scalar.of(type, a)}, widened(expected)));
    }

    private static @Nullable Object widened(@Nullable Object value) {
        return value instanceof Integer i ? Long.valueOf(i) : value;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void arithmeticGivesTheValueOrTheError(
            Function function, DataType type, Scalar.Operand[] operands, @Nullable Object expected) {
        check(function, type, operands, expected);
    }

    static void check(Function function, DataType type, Scalar.Operand[] operands, @Nullable Object expected) {
        if (expected instanceof ErrorCode code) {
            assertThatThrownBy(() -> Scalar.eval(function, type, operands))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(code));
        } else {
            assertThat(Scalar.eval(function, type, operands)).isEqualTo(expected);
        }
    }

    static Stream<Arguments> decimals() {
        return Stream.of(
                // function, left type, left, right type, right, result type, expected
                decimal(Function.PLUS, 10, 2, "1.25", 10, 3, "2.125", 12, 3, "3.375"),
                decimal(Function.PLUS, 38, 0, "99999999999999999999999999999999999999", 38, 0, "1", 38, 0, null),
                decimal(
                        Function.PLUS,
                        38,
                        0,
                        "99999999999999999999999999999999999998",
                        38,
                        0,
                        "1",
                        38,
                        0,
                        "99999999999999999999999999999999999999"),
                decimal(
                        Function.MINUS,
                        20,
                        2,
                        "-123456789012345678.90",
                        5,
                        4,
                        "0.0001",
                        25,
                        4,
                        "-123456789012345678.9001"),
                decimal(Function.TIMES, 19, 0, "9223372036854775807", 3, 3, "0.908", 23, 3, "8374821809464136432.756"),
                decimal(
                        Function.TIMES,
                        19,
                        0,
                        "-9223372036854775808",
                        3,
                        3,
                        "0.908",
                        22,
                        3,
                        "-8374821809464136433.664"),
                decimal(Function.TIMES, 9, 4, "12345.6789", 9, 4, "-98765.4321", 18, 8, "-1219326311.12635269"),
                decimal(
                        Function.TIMES,
                        38,
                        10,
                        "1234567890123456789012345678.0123456789",
                        38,
                        10,
                        "10.5000000000",
                        38,
                        6,
                        "12962962846296296284629629619.129630"),
                decimal(Function.TIMES, 38, 0, "12345678901234567890123456789012345678", 38, 0, "10", 38, 0, null),
                decimal(
                        Function.TIMES,
                        30,
                        0,
                        "123456789012345678901234567890",
                        4,
                        0,
                        "1000",
                        34,
                        0,
                        "123456789012345678901234567890000"),
                decimal(Function.DIVIDE, 10, 2, "1.00", 10, 0, "3", 20, 6, "0.333333"),
                decimal(Function.DIVIDE, 10, 2, "2.00", 10, 0, "-3", 20, 6, "-0.666667"),
                decimal(Function.DIVIDE, 38, 0, "12345678901234567890123456789012345678", 2, 1, "0.1", 38, 0, null),
                decimal(
                        Function.DIVIDE,
                        38,
                        0,
                        "-12345678901234567890123456789012345678",
                        2,
                        1,
                        "1.5",
                        38,
                        0,
                        "-8230452600823045260082304526008230452"),
                decimal(
                        Function.DIVIDE,
                        19,
                        0,
                        "9223372036854775807",
                        1,
                        0,
                        "7",
                        38,
                        18,
                        "1317624576693539401.000000000000000000"),
                decimal(Function.DIVIDE, 4, 1, "10.5", 4, 1, "0.0", 10, 4, "/0"),
                decimal(Function.MOD, 10, 2, "-7.50", 10, 1, "2.0", 10, 2, "-1.50"),
                decimal(Function.MOD, 38, 0, "12345678901234567890123456789012345678", 20, 0, "97", 20, 0, "44"),
                decimal(
                        Function.MOD,
                        38,
                        0,
                        "12345678901234567890123456789012345678",
                        5,
                        4,
                        "0.0007",
                        20,
                        4,
                        "0.0001"));
    }

    private static Arguments decimal(
            Function function,
            int p1,
            int s1,
            String a,
            int p2,
            int s2,
            String b,
            int p,
            int s,
            @Nullable String expected) {
        Object outcome = expected == null
                ? ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE
                : expected.equals("/0") ? ErrorCode.DIVISION_BY_ZERO : new BigDecimal(expected);
        return arguments(
                function,
                DataType.decimal(p, s),
                new Scalar.Operand[] {
                    Scalar.of(DataType.decimal(p1, s1), new BigDecimal(a)),
                    Scalar.of(DataType.decimal(p2, s2), new BigDecimal(b))
                },
                outcome);
    }

    @ParameterizedTest
    @MethodSource("decimals")
    void decimalArithmeticIsExactOrRefused(
            Function function, DataType type, Scalar.Operand[] operands, @Nullable Object expected) {
        check(function, type, operands, expected);
    }

    static Stream<Arguments> roundings() {
        DataType small = DataType.decimal(5, 2);
        DataType large = DataType.decimal(38, 10);
        String digits = "1234567890123456789012345678.5000000000";
        return Stream.of(
                // function, result type, expected, operand type, operand [, digits]
                rounding(Function.ROUND, small, "2.50", small, "2.45", 1),
                rounding(Function.ROUND, small, "-2.50", small, "-2.45", 1),
                rounding(Function.ROUND, small, "250.00", small, "245.00", -1),
                rounding(Function.ROUND, small, null, small, "995.00", -1),
                rounding(Function.ROUND, small, "0.00", small, "445.00", -50),
                rounding(Function.ROUND, small, "2.45", small, "2.45", 7),
                rounding(Function.ROUND, DataType.decimal(4, 0), "3", small, "2.50", 0),
                rounding(Function.ROUND, large, "1234567890123456789012345679.0000000000", large, digits, 0),
                rounding(Function.ROUND, large, "1234567890123460000000000000.0000000000", large, digits, -13),
                rounding(Function.TRUNCATE, small, "-2.40", small, "-2.49", 1),
                rounding(Function.TRUNCATE, large, "1234567890123456789012345678.0000000000", large, digits, 0),
                rounding(Function.FLOOR, DataType.decimal(4, 0), "-3", small, "-2.01", null),
                rounding(Function.FLOOR, DataType.decimal(4, 0), "2", small, "2.99", null),
                rounding(Function.CEIL, DataType.decimal(4, 0), "-2", small, "-2.99", null),
                rounding(Function.CEIL, DataType.decimal(4, 0), "1000", small, "999.01", null),
                rounding(Function.CEIL, DataType.decimal(29, 0), "1234567890123456789012345679", large, digits, null),
                rounding(
                        Function.FLOOR,
                        DataType.decimal(29, 0),
                        "-1234567890123456789012345679",
                        large,
                        "-" + digits,
                        null),
                rounding(Function.ABS, small, "2.45", small, "-2.45", null),
                rounding(Function.ABS, large, digits, large, "-" + digits, null),
                rounding(Function.NEGATE, large, "-" + digits, large, digits, null),
                rounding(Function.NEGATE, small, "2.45", small, "-2.45", null),
                rounding(Function.SIGN, DataType.decimal(1, 0), "-1", large, "-" + digits, null),
                rounding(Function.SIGN, DataType.decimal(1, 0), "0", small, "0.00", null));
    }

    private static Arguments rounding(
            Function function,
            DataType type,
            @Nullable String expected,
            DataType from,
            String value,
            @Nullable Integer digits) {
        Scalar.Operand operand = Scalar.of(from, new BigDecimal(value));
        Scalar.Operand[] operands = digits == null
                ? new Scalar.Operand[] {operand}
                : new Scalar.Operand[] {operand, Scalar.of(INTEGER, digits)};
        Object outcome = expected == null ? ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE : new BigDecimal(expected);
        return arguments(function, type, operands, outcome);
    }

    @ParameterizedTest
    @MethodSource("roundings")
    void decimalsRoundHalfAwayFromZero(
            Function function, DataType type, Scalar.Operand[] operands, @Nullable Object expected) {
        check(function, type, operands, expected);
    }

    @Test
    void integersRoundAtTens() {
        Scalar.Operand[] operands = {Scalar.of(BIGINT, -1250), Scalar.of(INTEGER, -2)};
        check(Function.ROUND, BIGINT, operands, -1300L);
        check(Function.TRUNCATE, BIGINT, operands, -1200L);
        check(
                Function.ROUND,
                BIGINT,
                new Scalar.Operand[] {Scalar.of(BIGINT, Long.MAX_VALUE), Scalar.of(INTEGER, -1)},
                ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE);
        check(Function.ROUND, DOUBLE, new Scalar.Operand[] {Scalar.of(DOUBLE, 1.005), Scalar.of(INTEGER, 2)}, 1.01);
    }

    @Test
    void wideDivisionAgreesWithBigInteger() {
        Random random = new Random(9);
        Registers r = new Registers(MemoryAccount.unlimited("test"), ZoneOffset.UTC, new TickClock());
        for (int i = 0; i < 20_000; i++) {
            BigInteger value = new BigInteger(random.nextInt(1, 127), random)
                    .multiply(BigInteger.valueOf(random.nextInt(2) * 2L - 1));
            long low = value.longValue();
            long high = value.shiftRight(64).longValue();
            int digits = random.nextInt(0, 38);
            long rounded = Decimals.divideByPower(low, high, digits, r);
            BigInteger expected = new BigDecimal(value, digits)
                    .setScale(0, RoundingMode.HALF_UP)
                    .unscaledValue();
            assertThat(Decimals.big(rounded, r.high)).isEqualTo(expected);
            long divisor = random.nextLong() >>> random.nextInt(1, 63);
            if (divisor != 0) {
                long a = random.nextLong() >> random.nextInt(63);
                int shift = random.nextInt(0, 19);
                BigDecimal quotient = new BigDecimal(BigInteger.valueOf(a).multiply(BigInteger.TEN.pow(shift)))
                        .divide(BigDecimal.valueOf(-divisor), 0, RoundingMode.HALF_UP);
                long result = Decimals.divide(a, a >> 63, -divisor, -divisor >> 63, shift, r);
                assertThat(Decimals.big(result, r.high)).isEqualTo(quotient.unscaledValue());
            }
        }
    }
}

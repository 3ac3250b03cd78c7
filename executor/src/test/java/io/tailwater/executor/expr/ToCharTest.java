package io.tailwater.executor.expr;

import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.type.DataType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;

/** Against what PostgreSQL gives. */
final class ToCharTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "-0.1|99.99|  -.10",
                "-0.1|FM9.99|-.1",
                "0.1|0.9| 0.1",
                "12|9990999.9|    0012.0",
                "12|FM9990999.9|0012.",
                "485|999| 485",
                "-485|999|-485",
                "485|9 9 9| 4 8 5",
                "1485|9,999| 1,485",
                "12|9,999|    12",
                "148.5|999.999| 148.500",
                "148.5|FM999.999|148.5",
                "148.5|FM999.990|148.500",
                "3148.5|9G999D999| 3,148.500",
                "-485|999S|485-",
                "-485|999MI|485-",
                "485|999MI|485 ",
                "485|FM999MI|485",
                "485|S999|+485",
                "12|S9999|  +12",
                "-485|999PR|<485>",
                "485|999PR| 485 ",
                "0|FM999.99|0.",
                "0|99.99|   .00",
                "0|999|   0",
                "0.5|990.00|   0.50",
                "485|\"Good number:\"999|Good number: 485",
                "485.8|\"Pre:\"999\" Post:\" .999|Pre: 485 Post: .800",
                "1485|999| ###",
                "-1485|999|-###",
                "0.005|FM0.00|0.01",
                "-0.004|FM0.00|0.00",
                "12345678901234567890123456789.5|FM99999999999999999999999999999.9|12345678901234567890123456789.5"
            })
    void aNumberIsWrittenAsPostgreSqlDoes(String number, String pattern, String expected) {
        ArithmeticTest.check(
                Function.TO_CHAR,
                DataType.VARCHAR,
                operands(Scalar.of(DataType.decimal(38, 4), new BigDecimal(number).setScale(4)), pattern),
                expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "YYYY-MM-DD HH24:MI:SS.US|2020-02-09 00:34:56.789012",
                "HH12:MI AM HH:MI p.m.|12:34 AM 12:34 a.m.",
                "MONTH|FEBRUARY ",
                "Month|February ",
                "FMmonth|february",
                "MON Mon mon|FEB Feb feb",
                "DAY|SUNDAY   ",
                "FMDay, FMDD HH24|Sunday, 9 00",
                "Dy dy|Sun sun",
                "DDD FMDDD D ID|040 40 1 7",
                "WW W IW IYYY|06 2 06 2020",
                "YYY YY Y CC Q|020 20 0 21 1",
                "DDth FMDDth DDTH|09th 9th 09TH",
                "MS US FF1 FF2|789 789012 7 78",
                "SSSS|2096",
                "\"YYYY\" YYYY|YYYY 2020"
            })
    void aTimestampIsWrittenAsPostgreSqlDoes(String pattern, String expected) {
        ArithmeticTest.check(Function.TO_CHAR, DataType.VARCHAR, operands(time(), pattern), expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"YYYY TZ", "Y,YYY", "J", "TMMonth"})
    void otherPatternsOfTimesAreRefused(String pattern) {
        ArithmeticTest.check(
                Function.TO_CHAR, DataType.VARCHAR, operands(time(), pattern), ErrorCode.INVALID_PARAMETER_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9.9EEEE", "RN", "9V9", "L9", "9.9.9"})
    void otherPatternsOfNumbersAreRefused(String pattern) {
        ArithmeticTest.check(
                Function.TO_CHAR,
                DataType.VARCHAR,
                operands(Scalar.of(DataType.BIGINT, 7L), pattern),
                ErrorCode.INVALID_PARAMETER_VALUE);
    }

    private static Scalar.Operand time() {
        LocalDateTime time = LocalDateTime.parse("2020-02-09T00:34:56.789012");
        long micros = time.toEpochSecond(ZoneOffset.UTC) * 1_000_000 + time.get(ChronoField.MICRO_OF_SECOND);
        return Scalar.of(DataType.timestamp(6), micros);
    }

    private static Scalar.Operand[] operands(Scalar.Operand value, String pattern) {
        return new Scalar.Operand[] {value, Scalar.of(DataType.VARCHAR, pattern)};
    }
}

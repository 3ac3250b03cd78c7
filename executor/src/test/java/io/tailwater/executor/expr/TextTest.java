package io.tailwater.executor.expr;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.OperatorContext.TickClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Functions of text, each with ASCII, with characters of two to four bytes, at the corners, and with NULL. */
final class TextTest {
    private static final String LONG = "The quick brown fox jumps over the lazy dog";
    private static final String URL = "https://www.nexmark.com/item/1/x.html?q=17&channel_id=42&z=1";

    static Stream<Arguments> texts() {
        return Stream.of(
                        text(Function.LOWER, LONG.toLowerCase(java.util.Locale.ROOT), LONG),
                        text(Function.LOWER, "@[`{azaz09", "@[`{AZaz09"),
                        text(Function.LOWER, "i", "I"),
                        text(Function.LOWER, "éà ünïcode", "ÉÀ ÜNÏCODE"),
                        text(Function.LOWER, "", ""),
                        text(Function.LOWER, null, (Object) null),
                        text(Function.UPPER, "THE 09 QUICK @[`{ BROWN", "The 09 quick @[`{ brown"),
                        text(Function.UPPER, "STRASSE", "straße"),
                        text(Function.UPPER, "I", "i"),
                        text(Function.INITCAP, "Hello World_A 1st Élan", "hELLO wORLD_a 1ST éLAN"),
                        text(Function.CONCAT, "abc", "a", "b", "c"),
                        text(Function.CONCAT, LONG + URL, LONG, URL),
                        text(Function.CONCAT, "", "", ""),
                        text(Function.CONCAT, null, "a", null),
                        text(Function.SUBSTRING, "quick", LONG, 5, 5),
                        text(Function.SUBSTRING, LONG.substring(4), LONG, 5),
                        text(Function.SUBSTRING, LONG, LONG, -3),
                        text(Function.SUBSTRING, "Th", LONG, -1, 4),
                        text(Function.SUBSTRING, "", LONG, 100, 3),
                        text(Function.SUBSTRING, "", LONG, -10, 3),
                        text(Function.SUBSTRING, "", LONG, 3, 0),
                        text(Function.SUBSTRING, "bc", "abc", 2, Integer.MAX_VALUE),
                        text(Function.SUBSTRING, ErrorCode.INVALID_PARAMETER_VALUE, "abc", 2, -1),
                        text(Function.SUBSTRING, "本語", "日本語", 2, 5),
                        text(Function.SUBSTRING, "x😀", "😀x😀", 2, 2),
                        text(Function.SUBSTRING, null, "abc", null),
                        text(Function.TRIM_BOTH, "a b", "  a b ", " "),
                        text(Function.TRIM_LEADING, "a b ", "  a b ", " "),
                        text(Function.TRIM_TRAILING, "  a b", "  a b ", " "),
                        text(Function.TRIM_BOTH, "b", "xyxbyx", "xy"),
                        text(Function.TRIM_BOTH, "b", "éübüé", "üé"),
                        text(Function.TRIM_BOTH, "", "xxxx", "x"),
                        text(Function.TRIM_BOTH, "xx", "xx", ""),
                        text(Function.REPLACE, "b-b-", "aa", "a", "b-"),
                        text(Function.REPLACE, "bb", "abcabc", "bc", "").replaceExpected("aa"),
                        text(Function.REPLACE, LONG.replace("o", "00"), LONG, "o", "00"),
                        text(Function.REPLACE, "abc", "abc", "", "x"),
                        text(Function.LEFT, "The", LONG, 3),
                        text(Function.LEFT, "日本", "日本語", 2),
                        text(Function.LEFT, "日本", "日本語", -1),
                        text(Function.LEFT, "", "abc", -5),
                        text(Function.LEFT, "abc", "abc", 50),
                        text(Function.RIGHT, "dog", LONG, 3),
                        text(Function.RIGHT, "語", "日本語", 1),
                        text(Function.RIGHT, "本語", "日本語", -1),
                        text(Function.RIGHT, "", "abc", 0),
                        text(Function.LPAD, "xyxabc", "abc", 6, "xy"),
                        text(Function.LPAD, "  abc", "abc", 5),
                        text(Function.LPAD, "ab", "abc", 2, "x"),
                        text(Function.LPAD, "日日日本", "本", 4, "日"),
                        text(Function.LPAD, "", "abc", -1, "x"),
                        text(Function.RPAD, "abcxyx", "abc", 6, "xy"),
                        text(Function.RPAD, "abc", "abc", 6, ""),
                        text(Function.RPAD, ErrorCode.INVALID_PARAMETER_VALUE, "abc", Integer.MAX_VALUE, "x"),
                        text(Function.REPEAT, "ababab", "ab", 3),
                        text(Function.REPEAT, "", "ab", -3),
                        text(Function.REPEAT, ErrorCode.INVALID_PARAMETER_VALUE, LONG, Integer.MAX_VALUE),
                        text(Function.REVERSE, "cba", "abc"),
                        text(Function.REVERSE, "😀語é", "é語😀"),
                        text(Function.SPLIT_INDEX, "item", URL, "/", 3),
                        text(Function.SPLIT_INDEX, "www.nexmark.com", URL, "/", 2),
                        text(Function.SPLIT_INDEX, "", URL, "/", 1),
                        text(Function.SPLIT_INDEX, "x.html?q=17&channel_id=42&z=1", URL, "/", 5),
                        text(Function.SPLIT_INDEX, null, URL, "/", 6),
                        text(Function.SPLIT_INDEX, null, URL, "/", -1),
                        text(Function.SPLIT_INDEX, null, "", "/", 0),
                        text(Function.SPLIT_INDEX, "b", "a<>b<>c", "<>", 1),
                        text(Function.SPLIT_INDEX, "", "a,", ",", 1),
                        text(Function.SPLIT_PART, "www.nexmark.com", URL, "/", 3),
                        text(Function.SPLIT_PART, "", URL, "/", 7),
                        text(Function.SPLIT_PART, "c", "a<>b<>c", "<>", -1),
                        text(Function.SPLIT_PART, "a", "a<>b<>c", "<>", -3),
                        text(Function.SPLIT_PART, "", "a<>b<>c", "<>", -4),
                        text(Function.SPLIT_PART, "", "", "/", 1),
                        text(Function.SPLIT_PART, "abc", "abc", "", -1),
                        text(Function.SPLIT_PART, ErrorCode.INVALID_PARAMETER_VALUE, "a", "/", 0),
                        text(Function.REGEXP_EXTRACT, "42", URL, "(&|^)channel_id=([^&]*)", 2),
                        text(Function.REGEXP_EXTRACT, "&channel_id=42", URL, "(&|^)channel_id=([^&]*)"),
                        text(Function.REGEXP_EXTRACT, null, "https://x?a=1", "(&|^)channel_id=([^&]*)", 2),
                        text(Function.REGEXP_EXTRACT, "ü", "größe=ü&x", "größe=([^&]*)", 1),
                        text(Function.REGEXP_EXTRACT, null, "b", "(a)|b", 1),
                        text(Function.REGEXP_EXTRACT, ErrorCode.INVALID_PARAMETER_VALUE, "b", "(a)|b", 2),
                        text(Function.REGEXP_EXTRACT, ErrorCode.INVALID_REGULAR_EXPRESSION, "b", "(a", 0),
                        text(Function.REGEXP_REPLACE, "x-1 x-22", "a1 a22", "a(\\d+)", "x-$1"),
                        text(Function.REGEXP_REPLACE, "abc", "abc", "z", "x"),
                        text(Function.REGEXP_REPLACE, ErrorCode.INVALID_PARAMETER_VALUE, "a", "a", "$1"),
                        text(Function.MD5, "5d41402abc4b2a76b9719d911017c592", "hello"))
                .map(TextCase::arguments);
    }

    private record TextCase(Function function, @Nullable Object expected, List<@Nullable Object> operands) {
        TextCase replaceExpected(String other) {
            return new TextCase(function, other, operands);
        }

        Arguments arguments() {
            Scalar.Operand[] all = operands.stream()
                    .map(o -> Scalar.of(o instanceof Integer ? DataType.INTEGER : DataType.VARCHAR, o))
                    .toArray(Scalar.Operand[]::new);
            return org.junit.jupiter.params.provider.Arguments.arguments(function, all, expected);
        }
    }

    private static TextCase text(Function function, @Nullable Object expected, @Nullable Object... operands) {
        return new TextCase(function, expected, Arrays.asList(operands));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void textFunctionsGiveTheTextOrTheError(Function function, Scalar.Operand[] operands, @Nullable Object expected) {
        ArithmeticTest.check(function, DataType.VARCHAR, operands, expected);
    }

    static Stream<Arguments> tests() {
        return Stream.of(
                arguments(Function.LIKE, true, new String[] {"abc", "abc"}),
                arguments(Function.LIKE, false, new String[] {"abc", "ABC"}),
                arguments(Function.LIKE, true, new String[] {"abc", "a%"}),
                arguments(Function.LIKE, true, new String[] {"abc", "%c"}),
                arguments(Function.LIKE, true, new String[] {"abc", "%b%"}),
                arguments(Function.LIKE, false, new String[] {"abc", "%d%"}),
                arguments(Function.LIKE, true, new String[] {"abc", "a_c"}),
                arguments(Function.LIKE, false, new String[] {"abc", "a_"}),
                arguments(Function.LIKE, true, new String[] {"日本語", "日_語"}),
                arguments(Function.LIKE, true, new String[] {"日本語", "__語"}),
                arguments(Function.LIKE, true, new String[] {"日本語", "日%_"}),
                arguments(Function.LIKE, false, new String[] {"日本語", "____"}),
                arguments(Function.LIKE, true, new String[] {"", ""}),
                arguments(Function.LIKE, true, new String[] {"", "%"}),
                arguments(Function.LIKE, false, new String[] {"", "_"}),
                arguments(Function.LIKE, true, new String[] {"aXbXc", "a%X%c"}),
                arguments(Function.LIKE, false, new String[] {"ab", "ab%b"}),
                arguments(Function.LIKE, true, new String[] {"mississippi", "%s_i%p_"}),
                arguments(
                        Function.LIKE, true, new String[] {URL, "https://www.nexmark.com/item/1/%q=17&channel_id=42&z=1"
                        }),
                arguments(Function.LIKE, false, new String[] {URL, "https://www.nexmark.com/item/2/%"}),
                arguments(Function.LIKE, false, new String[] {"https://", "https://www%"}),
                arguments(Function.LIKE, true, new String[] {"a%c", "a!%c", "!"}),
                arguments(Function.LIKE, false, new String[] {"abc", "a!%c", "!"}),
                arguments(Function.LIKE, true, new String[] {"a\\c", "a\\c"}),
                arguments(Function.LIKE, null, new String[] {null, "a"}),
                arguments(Function.LIKE, ErrorCode.INVALID_PARAMETER_VALUE, new String[] {"a", "a!", "!"}),
                arguments(Function.ILIKE, true, new String[] {"ABC", "a%C"}),
                arguments(Function.ILIKE, true, new String[] {"GRÖSSE ist I", "größe%".replace("ß", "ss")}),
                arguments(Function.STARTS_WITH, true, new String[] {LONG, "The quick brown fox"}),
                arguments(Function.STARTS_WITH, false, new String[] {"a", "ab"}),
                arguments(Function.REGEXP_LIKE, true, new String[] {LONG, "f.x\\b"}),
                arguments(Function.REGEXP_LIKE, false, new String[] {LONG, "^fox"}),
                arguments(Function.REGEXP_LIKE, true, new String[] {"größe", "r.{1}ß"}));
    }

    @ParameterizedTest
    @MethodSource("tests")
    void textTestsAnswer(Function function, @Nullable Object expected, @Nullable String[] operands) {
        Scalar.Operand[] all =
                Stream.of(operands).map(o -> Scalar.of(DataType.VARCHAR, o)).toArray(Scalar.Operand[]::new);
        ArithmeticTest.check(function, DataType.BOOLEAN, all, expected);
    }

    static Stream<Arguments> numbers() {
        return Stream.of(
                arguments(Function.CHAR_LENGTH, 43L, new String[] {LONG}),
                arguments(Function.CHAR_LENGTH, 9L, new String[] {"日本語の文字列です"}),
                arguments(Function.CHAR_LENGTH, 3L, new String[] {"😀x😀"}),
                arguments(Function.OCTET_LENGTH, 9L, new String[] {"😀x😀"}),
                arguments(Function.POSITION, 17L, new String[] {"fox", LONG}),
                arguments(Function.POSITION, 3L, new String[] {"語", "日本語"}),
                arguments(Function.POSITION, 0L, new String[] {"x", "日本語"}),
                arguments(Function.POSITION, 1L, new String[] {"", "abc"}),
                arguments(Function.COUNT_CHAR, 4L, new String[] {LONG, "o"}),
                arguments(Function.COUNT_CHAR, 2L, new String[] {"😀x😀", "😀"}),
                arguments(Function.COUNT_CHAR, 0L, new String[] {"abc", ""}),
                arguments(Function.COUNT_CHAR, null, new String[] {"abc", null}));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void textMeasuresCount(Function function, @Nullable Object expected, @Nullable String[] operands) {
        Scalar.Operand[] all =
                Stream.of(operands).map(o -> Scalar.of(DataType.VARCHAR, o)).toArray(Scalar.Operand[]::new);
        ArithmeticTest.check(function, DataType.BIGINT, all, expected);
    }

    @Test
    void requireLengthDropsBlanksAndRefusesTheRest() {
        Scalar.Operand column = Scalar.of(DataType.VARCHAR, "name");
        DataType three = DataType.varchar(3);
        assertThat(Scalar.eval(Function.REQUIRE_LENGTH, three, Scalar.of(DataType.VARCHAR, "日本語"), column))
                .isEqualTo("日本語");
        assertThat(Scalar.eval(Function.REQUIRE_LENGTH, three, Scalar.of(DataType.VARCHAR, "abc  "), column))
                .isEqualTo("abc");
        ArithmeticTest.check(
                Function.REQUIRE_LENGTH,
                three,
                new Scalar.Operand[] {Scalar.of(DataType.VARCHAR, "abcd"), column},
                ErrorCode.STRING_TOO_LONG);
        DataType bytes = new DataType(io.tailwater.common.type.TypeKind.VARBINARY, 2, 0, true);
        ArithmeticTest.check(
                Function.REQUIRE_LENGTH,
                bytes,
                new Scalar.Operand[] {Scalar.of(DataType.VARBINARY, "abc".getBytes(StandardCharsets.UTF_8)), column},
                ErrorCode.STRING_TOO_LONG);
    }

    @Test
    void theRequiredPartOfARegexIsNeverMoreThanItMustHold() {
        assertThat(required("(&|^)channel_id=([^&]*)")).isEqualTo("channel_id= after 1");
        assertThat(required("abc?d")).isEqualTo("ab after 0");
        assertThat(required("ab+cde")).isEqualTo("cde after -1");
        assertThat(required("abc|d")).isEmpty();
        assertThat(required("a\\.b\\d[x]yz")).isEqualTo("a.b after 0");
        assertThat(required("\\d[^x]?(a|bc|(?:d.)?e)\\bxyzzy")).isEqualTo("xyzzy after 5");
        assertThat(required("(a*)xyz")).isEqualTo("xyz after -1");
        assertThat(required("(a)\\1xyz")).isEqualTo("xyz after -1");
        assertThat(required("a??\\p{L}xyz")).isEqualTo("xyz after -1");
        assertThat(required("(?i)abc")).isEmpty();
        assertThat(required("\\Qa*\\Eb")).isEmpty();
        assertThat(required("[[a]&&b]xyz")).isEmpty();
        assertThat(required("a{0}b")).isEqualTo("b after -1");
    }

    private static String required(String regex) {
        Regex.Required part = Regex.requiredPart(regex);
        return part.text().isEmpty() ? "" : part.text() + " after " + Regex.longest(regex, 0, part.start());
    }

    @Test
    void regexesFindWhatJavaFindsWithOrWithoutTheirShortCuts() {
        String[] regexes = {
            "(&|^)id=([^&]*)",
            "[ab]?id=(.)?",
            "(?:x|yy|^)id=(\\d+)$",
            "\\bid=(a|b)",
            "i?d=()",
            "(a+)id=",
            "^(.*)id=",
            "id(=)?",
            "(d=)id="
        };
        Random random = new Random(2);
        Registers r = new Registers(MemoryAccount.unlimited("test"), ZoneOffset.UTC, new TickClock());
        try (r) {
            for (int i = 0; i < 3000; i++) {
                StringBuilder text = new StringBuilder();
                for (int part = random.nextInt(6); part > 0; part--) {
                    text.append(new String[] {"id=", "&", "a", "b", "1", "x", "yy", " ", "d="}[random.nextInt(9)]);
                }
                String regex = regexes[random.nextInt(regexes.length)];
                Matcher matcher = Pattern.compile(regex).matcher(text);
                boolean found = matcher.find();
                long bytes = Texts.put(text.toString().getBytes(StandardCharsets.UTF_8), r);
                int length = r.length;
                long pattern = Texts.put(regex.getBytes(StandardCharsets.UTF_8), r);
                int patternLength = r.length;
                Regex ours = new Regex();
                assertThat(ours.find(bytes, length, pattern, patternLength, false))
                        .as(regex + " in " + text)
                        .isEqualTo(found);
                long group = ours.extract(bytes, length, pattern, patternLength, 1, false, r);
                String expected = found ? matcher.group(1) : null;
                assertThat(group == 0 ? null : Texts.toString(group, r.length))
                        .as(regex + " in " + text)
                        .isEqualTo(expected);
                r.resetScratch();
            }
        }
    }
}

package io.tailwater.jdbc;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class LikePatternTest {
    @ParameterizedTest
    @CsvSource({
        "abc, abc, true",
        "abc, abd, false",
        "abc, ab, false",
        "ab, abc, false",
        "a_c, abc, true",
        "a_c, ac, false",
        "%, '', true",
        "%, abc, true",
        "a%, abc, true",
        "%c, abc, true",
        "%b%, abc, true",
        "%d%, abc, false",
        "a\\_c, a_c, true",
        "a\\_c, abc, false",
        "a\\%, a%, true",
        "a\\%, ab, false",
        "a\\\\b, a\\b, true",
        "%_, '', false",
        "%a%b, xaxaxb, true",
        "'', '', true",
        "'', a, false",
    })
    void patternsMatchAsTheyShould(String pattern, String name, boolean matches) {
        assertThat(new LikePattern(pattern).matches(name)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "NULL",
            value = {"abc, abc", "a\\_c, a_c", "a_c, NULL", "a%, NULL", "NULL, NULL"})
    void onlyPatternsWithoutWildcardsAreLiteral(String pattern, String literal) {
        assertThat(new LikePattern(pattern).literal()).isEqualTo(literal);
    }
}

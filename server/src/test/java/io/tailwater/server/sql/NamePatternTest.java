package io.tailwater.server.sql;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class NamePatternTest {
    @Test
    void matchesAsLikeDoes() {
        assertThat(NamePattern.matches(null, "x")).isTrue();
        assertThat(NamePattern.matches("%", "")).isTrue();
        assertThat(NamePattern.matches("bi_s%", "bids_by_day")).isTrue();
        assertThat(NamePattern.matches("%_BY_%", "bids_by_day")).isTrue();
        assertThat(NamePattern.matches("%by", "bids_by_day")).isFalse();
        assertThat(NamePattern.matches("a\\_b", "a_b")).isTrue();
        assertThat(NamePattern.matches("a\\_b", "axb")).isFalse();
        assertThat(NamePattern.matches("I%", "index")).isTrue();
        assertThat(NamePattern.matches("abc", "ab")).isFalse();
    }
}

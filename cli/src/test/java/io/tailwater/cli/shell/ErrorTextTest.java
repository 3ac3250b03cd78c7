package io.tailwater.cli.shell;

import org.junit.jupiter.api.Test;

import java.sql.SQLException;

import static org.assertj.core.api.Assertions.assertThat;

final class ErrorTextTest {
    @Test
    void theCaretStandsUnderThePosition() {
        assertThat(ErrorText.place("SELECT a,\n       b\nFROM t", 17)).isEqualTo("LINE 2:        b\n               ^");
    }

    @Test
    void theCaretMayStandAtTheEndAndAtTheBeginning() {
        assertThat(ErrorText.place("SELECT", 6)).isEqualTo("LINE 1: SELECT\n              ^");
        assertThat(ErrorText.place("x", 0)).isEqualTo("LINE 1: x\n        ^");
        assertThat(ErrorText.place("a\n", 2)).isEqualTo("LINE 2: \n        ^");
    }

    @Test
    void aLongLineIsCutRoundThePosition() {
        String sql = "x".repeat(500) + "!" + "y".repeat(500);
        String[] lines = ErrorText.place(sql, 500).split("\n");
        assertThat(lines[0]).startsWith("LINE 1: ...x").endsWith("y...").hasSizeLessThan(120);
        assertThat(lines[0].charAt(lines[1].indexOf('^'))).isEqualTo('!');
    }

    @Test
    void tabsKeepTheCaretInItsPlace() {
        assertThat(ErrorText.place("\tSELECT x", 8)).isEqualTo("LINE 1: \tSELECT x\n        \t       ^");
    }

    @Test
    void anyOtherErrorHasItsMessageAndState() {
        assertThat(ErrorText.of(new SQLException("gone", "08006"), "SELECT 1")).isEqualTo("ERROR: gone [08006]");
    }
}

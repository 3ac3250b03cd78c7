package io.tailwater.cli.shell;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class HelpTest {
    @Test
    void theOverviewListsTheStatements() {
        assertThat(Help.overview())
                .contains("Ctrl-C")
                .contains("  CREATE STREAM\n")
                .contains("  WAIT FOR\n");
    }

    @Test
    void aStatementIsFoundByItsFirstWordsInAnyCase() {
        assertThat(Help.statement("select")).startsWith("SELECT\n").contains("EMIT CHANGES");
        assertThat(Help.statement("Create"))
                .contains("CREATE STREAM\n")
                .contains("CREATE TABLE\n")
                .contains("CREATE MATERIALIZED VIEW\n");
        assertThat(Help.statement("fly")).isEqualTo("No help for 'fly'; 'help' lists the statements.");
    }

    @Test
    void everyCommandOfTheShellIsExplained() {
        assertThat(Help.commands())
                .contains("\\d ", "\\dt", "\\jobs", "\\timing", "\\x", "\\format", "\\o", "\\i", "\\?", "\\q");
    }
}

package io.tailwater.cli.shell;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class StatementTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 FROM t EMIT CHANGES",
                "select * from t emit\n changes -- now\n",
                "SELECT 1 FROM t EMIT /* x */ CHANGES "
            })
    void aPushQueryIsTold(String sql) {
        assertThat(StatementRunner.isPush(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 FROM t -- EMIT CHANGES",
                "SELECT 1 AS emit_changes FROM changes",
                "SELECT 'EMIT CHANGES'"
            })
    void otherQueriesAreNot(String sql) {
        assertThat(StatementRunner.isPush(sql)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-- x\nselect 1", "SHOW JOBS", "describe t", "EXPLAIN SELECT 1"})
    void readingStatementsLeaveTheCatalogAlone(String sql) {
        assertThat(StatementRunner.isQuery(sql)).isTrue();
        assertThat(StatementRunner.isQuery("CREATE " + sql)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\d", "  \\jobs ", "\\", "quit", "EXIT;", "help", "help create table"})
    void linesOfTheShellItselfAreTold(String line) {
        assertThat(MetaCommands.isCommand(line)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT 1", "helpful", "quit_job", "", "-- \\d"})
    void otherLinesAreSql(String line) {
        assertThat(MetaCommands.isCommand(line)).isFalse();
    }
}

package io.tailwater.cli.shell;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

final class CommandTagTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE STREAM S(A INT) | 0 | CREATE STREAM",
                "CREATE OR REPLACE VIEW V AS SELECT 1 | 0 | CREATE VIEW",
                "CREATE MATERIALIZED VIEW V AS SELECT 1 | 0 | CREATE MATERIALIZED VIEW",
                "CREATE TABLE IF NOT EXISTS T (A INT PRIMARY KEY) | 0 | CREATE TABLE",
                "DROP MATERIALIZED VIEW V CASCADE | 0 | DROP MATERIALIZED VIEW",
                "DROP JOB J | 0 | DROP JOB",
                "CREATE RECOVERY POINT P | 0 | CREATE RECOVERY POINT",
                "DROP RECOVERY POINT IF EXISTS P | 0 | DROP RECOVERY POINT",
                "ALTER JOB J ROLLBACK TO RECOVERY POINT P | 0 | ALTER JOB",
                "INSERT INTO T VALUES (1), (2) | 2 | INSERT 0 2",
                "UPSERT INTO T VALUES (1) | 1 | UPSERT 1",
                "UPDATE T SET A = 1 | 0 | UPDATE 0",
                "DELETE FROM T | 7 | DELETE 7",
                "WAIT FOR J | 0 | WAIT",
                "SET ZONE = 'UTC' | 0 | SET"
            })
    void aStatementIsTaggedAsInPostgreSql(String words, long count, String tag) {
        assertThat(CommandTag.of(words, count)).isEqualTo(tag);
    }
}

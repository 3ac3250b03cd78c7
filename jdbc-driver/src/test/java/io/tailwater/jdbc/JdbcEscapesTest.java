package io.tailwater.jdbc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.sql.SQLException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JdbcEscapesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT {d '2024-07-01'} | SELECT DATE '2024-07-01'",
                "SELECT {ts '2024-07-01 12:00:00'}, {t '12:00:00'} | SELECT TIMESTAMP '2024-07-01 12:00:00', TIME '12:00:00'",
                "SELECT {fn UCASE(a)} | SELECT UPPER(a)",
                "SELECT {fn ucase({fn LCASE(a)})} | SELECT UPPER(LOWER(a))",
                "SELECT {fn NOW()} | SELECT LOCALTIMESTAMP",
                "SELECT {fn ABS(-1)} | SELECT ABS(-1)",
                "SELECT a LIKE 'x!%' {escape '!'} | SELECT a LIKE 'x!%' ESCAPE '!'",
                "SELECT * FROM {oj a LEFT JOIN b ON a.x = b.x} | SELECT * FROM a LEFT JOIN b ON a.x = b.x",
                "SELECT '{d' , \"{fn\" -- {ts | SELECT '{d' , \"{fn\" -- {ts",
                "SELECT /* {d */ 1 | SELECT /* {d */ 1",
                "SELECT 'it''s {' | SELECT 'it''s {'",
            })
    void escapesBecomePlainSql(String given, String expected) throws SQLException {
        assertThat(JdbcEscapes.translate(given)).isEqualTo(expected);
    }

    @Test
    void anEscapeThatNeverEndsIsASyntaxError() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> JdbcEscapes.translate("SELECT {d '2024-07-01'"))
                .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("42601"));
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> JdbcEscapes.translate("{nope}"))
                .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("42601"));
    }
}

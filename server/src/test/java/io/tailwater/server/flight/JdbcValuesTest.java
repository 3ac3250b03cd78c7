package io.tailwater.server.flight;

import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Every type through every getter. The tests run in an odd time zone and a Turkish locale. */
class JdbcValuesTest extends EndpointFixture {
    private final Statement statement = connection.createStatement();
    private final ResultSet row = statement.executeQuery("SELECT * FROM all_types");

    JdbcValuesTest() throws SQLException {
        assertThat(row.next()).isTrue();
    }

    @Test
    void textOfEveryTypeIsStable() throws SQLException {
        List<String> texts = new ArrayList<>();
        for (int i = 1; i <= FakeSql.ALL_TYPES.size(); i++) {
            texts.add(row.getString(i));
        }
        assertThat(texts)
                .containsExactly(
                        "true",
                        "-7",
                        "-300",
                        "42",
                        "9007199254740993",
                        "10.50",
                        "1.5",
                        "-2.25",
                        "größer als zwölf",
                        "0001ff",
                        "2024-07-01",
                        "12:34:56.789012",
                        "2024-07-01 12:34:56.789012",
                        "2024-07-01 12:34:56.789",
                        "2024-07-01 12:34:56.789012+00:00",
                        "-1 02:03:04.000005",
                        "1-2",
                        null);
    }

    @Test
    void objectsAreOfTheClassThatTheMetadataNames() throws SQLException {
        ResultSetMetaData metadata = row.getMetaData();
        for (int i = 1; i < FakeSql.ALL_TYPES.size(); i++) {
            assertThat(row.getObject(i).getClass().getName())
                    .as(metadata.getColumnName(i))
                    .isEqualTo(metadata.getColumnClassName(i));
        }
    }

    @Test
    void metadataDescribesTheColumns() throws SQLException {
        ResultSetMetaData metadata = row.getMetaData();
        assertThat(metadata.getColumnCount()).isEqualTo(FakeSql.ALL_TYPES.size());
        assertThat(metadata.getColumnType(4)).isEqualTo(Types.INTEGER);
        assertThat(metadata.isNullable(4)).isEqualTo(ResultSetMetaData.columnNoNulls);
        assertThat(metadata.isNullable(5)).isEqualTo(ResultSetMetaData.columnNullable);
        assertThat(metadata.getPrecision(6)).isEqualTo(12);
        assertThat(metadata.getScale(6)).isEqualTo(2);
        assertThat(metadata.getColumnDisplaySize(6)).isEqualTo(14);
        assertThat(metadata.getPrecision(9)).isEqualTo(20);
        assertThat(metadata.getColumnDisplaySize(9)).isEqualTo(20);
        assertThat(metadata.getScale(13)).isEqualTo(6);
        assertThat(metadata.getPrecision(13)).isEqualTo(26);
        assertThat(metadata.getScale(14)).isEqualTo(3);
        assertThat(metadata.getColumnType(15)).isEqualTo(Types.TIMESTAMP_WITH_TIMEZONE);
        assertThat(metadata.getColumnTypeName(9)).isEqualTo("VARCHAR");
        assertThat(metadata.isSigned(6)).isTrue();
        assertThat(metadata.isSigned(9)).isFalse();
        for (int i = 1; i <= metadata.getColumnCount(); i++) {
            assertThat(metadata.getTableName(i)).isNotNull();
            assertThat(metadata.getSchemaName(i)).isNotNull();
            assertThat(metadata.getCatalogName(i)).isNotNull();
        }
    }

    @Test
    void numbersConvertExactly() throws SQLException {
        assertThat(row.getInt("c_dec")).isEqualTo(10);
        assertThat(row.getLong("c_dec")).isEqualTo(10);
        assertThat(row.getDouble("c_dec")).isEqualTo(10.5);
        assertThat(row.getBigDecimal("c_big")).isEqualTo(new BigDecimal("9007199254740993"));
        assertThat(row.getByte("c_int")).isEqualTo((byte) 42);
        assertThat(row.getShort("c_small")).isEqualTo((short) -300);
        assertThat(row.getFloat("c_real")).isEqualTo(1.5f);
        assertThat(row.getBoolean("c_int")).isTrue();
        assertThat(row.getInt("c_bool")).isEqualTo(1);
        assertThat(row.getObject("c_tiny")).isEqualTo(-7);
        assertThat(row.getObject("c_big", Long.class)).isEqualTo(9007199254740993L);
        assertThat(row.getObject("c_int", BigDecimal.class)).isEqualTo(new BigDecimal("42"));
    }

    @Test
    void whatDoesNotFitIs22003() {
        assertState("22003", () -> row.getInt("c_big"));
        assertState("22003", () -> row.getByte("c_small"));
        assertState("22003", () -> row.getObject("c_big", Integer.class));
        assertState("22018", () -> row.getInt("c_name"));
        assertState("07006", () -> row.getInt("c_date"));
    }

    @Test
    void naiveTimestampsAreWallClocks() throws SQLException {
        LocalDateTime wallClock = LocalDateTime.parse("2024-07-01T12:34:56.789012");
        assertThat(row.getTimestamp("c_ts")).isEqualTo(Timestamp.valueOf(wallClock));
        assertThat(row.getObject("c_ts", LocalDateTime.class)).isEqualTo(wallClock);
        Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"), Locale.ROOT);
        assertThat(row.getTimestamp("c_ts", utc).toInstant()).isEqualTo(Instant.parse("2024-07-01T12:34:56.789012Z"));
        assertThat(row.getDate("c_ts")).isEqualTo(Date.valueOf("2024-07-01"));
    }

    @Test
    void zonedTimestampsAreInstants() throws SQLException {
        Instant instant = Instant.parse("2024-07-01T12:34:56.789012Z");
        assertThat(row.getTimestamp("c_ltz").toInstant()).isEqualTo(instant);
        assertThat(row.getObject("c_ltz", Instant.class)).isEqualTo(instant);
        assertThat(row.getObject("c_ltz", OffsetDateTime.class).toInstant()).isEqualTo(instant);
        assertThat(row.getObject("c_ltz")).isEqualTo(OffsetDateTime.parse("2024-07-01T12:34:56.789012Z"));
    }

    @Test
    void otherTypesHaveTheirJavaTimeClasses() throws SQLException {
        assertThat(row.getObject("c_date", LocalDate.class)).isEqualTo(LocalDate.of(2024, 7, 1));
        assertThat(row.getDate("c_date")).isEqualTo(Date.valueOf("2024-07-01"));
        assertThat(row.getObject("c_time", LocalTime.class)).isEqualTo(LocalTime.parse("12:34:56.789012"));
        assertThat(row.getTime("c_time")).hasToString("12:34:56");
        assertThat(row.getObject("c_day")).isEqualTo(Duration.parse("-P1DT2H3M4.000005S"));
        assertThat(row.getObject("c_year")).isEqualTo(Period.of(1, 2, 0));
        assertThat(row.getBytes("c_bin")).containsExactly(0, 1, 0xFF);
    }

    @Test
    void nullsAreNullInEveryGetter() throws SQLException {
        assertThat(row.next()).isTrue();
        for (int i = 1; i <= FakeSql.ALL_TYPES.size(); i++) {
            if (i != 4) {
                assertThat(row.getObject(i)).isNull();
                assertThat(row.wasNull()).isTrue();
                assertThat(row.getString(i)).isNull();
                assertThat(row.getLong(i)).isZero();
                assertThat(row.wasNull()).isTrue();
                assertThat(row.getDouble(i)).isZero();
                assertThat(row.getBoolean(i)).isFalse();
                assertThat(row.getTimestamp(i)).isNull();
                assertThat(row.getObject(i, LocalDate.class)).isNull();
            }
        }
        assertThat(row.getInt(4)).isEqualTo(43);
        assertThat(row.wasNull()).isFalse();
    }

    @Test
    void misuseIsAnSqlExceptionNeverUnchecked() throws SQLException {
        assertThatThrownBy(() -> row.getInt(0)).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> row.getInt(99)).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> row.getInt("nope")).isInstanceOf(SQLException.class);
        assertThat(row.findColumn("C_INT")).isEqualTo(4);
        try (Statement other = connection.createStatement();
                ResultSet before = other.executeQuery("SELECT 1")) {
            assertState("24000", () -> before.getInt(1));
            assertThat(before.next()).isTrue();
            assertThat(before.rowUpdated()).isFalse();
            assertThat(before.rowInserted()).isFalse();
            assertThat(before.rowDeleted()).isFalse();
            assertThat(before.next()).isFalse();
            assertState("24000", () -> before.getInt(1));
        }
        row.close();
        assertThatThrownBy(row::next).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> row.getInt(1)).isInstanceOf(SQLException.class);
    }

    private interface Getter {
        Object get() throws SQLException;
    }

    private static void assertState(String state, Getter getter) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(getter::get)
                .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo(state));
    }
}

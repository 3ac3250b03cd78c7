package io.tailwater.jdbc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ConnectionUrlTest {
    @Test
    void hostsSchemaAndPropertiesAreFound() throws SQLException {
        ConnectionUrl url = ConnectionUrl.parse(
                "jdbc:tailwater://h1:1,h2,[::1]:3/s%20x?user=me&password=a%26b&connectTimeout=7", new Properties());
        assertThat(url.hosts()).extracting(Object::toString).containsExactly("h1:1", "h2:7480", "[::1]:3");
        assertThat(url.schema()).isEqualTo("s x");
        assertThat(url.property("password", "")).isEqualTo("a&b");
        assertThat(url.seconds("connectTimeout", 5)).isEqualTo(7);
        assertThat(url).asString().doesNotContain("a&b");
    }

    @Test
    void anEmptyPathLeavesTheSchemaToTheProperties() throws SQLException {
        Properties given = new Properties();
        given.setProperty("schema", "other");
        assertThat(ConnectionUrl.parse("jdbc:tailwater://h:1/", given).schema()).isEqualTo("other");
        assertThat(ConnectionUrl.parse("jdbc:tailwater://h:1", null).schema()).isEmpty();
        assertThat(ConnectionUrl.parse("jdbc:tailwater://h:1/public", given).schema())
                .isEqualTo("public");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:tailwater:",
                "jdbc:tailwater:h:1/",
                "jdbc:tailwater://",
                "jdbc:tailwater://:1/",
                "jdbc:tailwater://h:x/",
                "jdbc:tailwater://h:99999/",
                "jdbc:tailwater://h,/",
                "jdbc:tailwater://h/?=v",
            })
    void malformedUrlsAreRefused(String url) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> ConnectionUrl.parse(url, null))
                .withMessageContaining("malformed URL");
    }

    @Test
    void malformedPropertiesAreRefusedWithoutConnecting() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection("jdbc:tailwater://h/?zone=Mars"))
                .withMessageContaining("Mars");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> DriverManager.getConnection("jdbc:tailwater://h/?connectTimeout=soon"))
                .withMessageContaining("soon");
    }

    @Test
    void driverManagerFindsTheDriverAndForeignUrlsAreNotItsOwn() throws SQLException {
        TailwaterDriver driver = (TailwaterDriver) DriverManager.getDriver("jdbc:tailwater://h/");
        assertThat(driver.acceptsURL("jdbc:postgresql://h/")).isFalse();
        assertThat(driver.connect("jdbc:postgresql://h/", new Properties())).isNull();
        assertThat(driver.getPropertyInfo("jdbc:tailwater://h/", null)).isNotEmpty();
    }
}

package io.tailwater.server.flight;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import static org.assertj.core.api.Assertions.assertThat;

class JdbcDriverTest {
    private final FakeSql sql = new FakeSql();
    private FlightEndpoint endpoint;
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        endpoint = FlightEndpoint.start(sql, "127.0.0.1", 0);
        connection = DriverManager.getConnection("jdbc:tailwater://127.0.0.1:" + endpoint.port() + "/", "", "");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        endpoint.close();
        assertThat(sql.openStreams).hasValue(0);
        assertThat(sql.openSessions).hasValue(0);
        assertThat(endpoint.allocatedBytes()).isZero();
        assertThat(FakeSql.MEMORY.usedBytes()).isZero();
    }

    @Test
    void selectOneGivesOne() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT 1")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(1);
            assertThat(rows.next()).isFalse();
        }
    }
}

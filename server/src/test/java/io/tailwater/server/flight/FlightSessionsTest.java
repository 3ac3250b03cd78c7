package io.tailwater.server.flight;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(60)
class FlightSessionsTest {
    private final AtomicLong now = new AtomicLong();
    private final Clock clock = new Clock() {
        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public long wallMicros() {
            return now.get() / 1000;
        }
    };
    private final FakeSql sql = new FakeSql();
    private final FlightEndpoint endpoint =
            FlightEndpoint.start(sql, "127.0.0.1", 0, ZoneId.of("Asia/Kathmandu"), clock, Duration.ofMinutes(10));

    @AfterEach
    void close() {
        endpoint.close();
        assertThat(sql.openSessions.get()).isZero();
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:tailwater://127.0.0.1:" + endpoint.port());
    }

    @Test
    void anIdleSessionIsClosedAndItsConnectionInvalid() throws SQLException {
        try (Connection idle = connect();
                Connection busy = connect();
                ResultSet rows = busy.createStatement().executeQuery("SELECT n FROM quiet EMIT CHANGES")) {
            now.addAndGet(Duration.ofMinutes(9).toNanos());
            endpoint.closeIdleSessions();
            assertThat(endpoint.openSessions()).isEqualTo(2);
            now.addAndGet(Duration.ofMinutes(2).toNanos());
            endpoint.closeIdleSessions();
            assertThat(endpoint.openSessions()).isEqualTo(1);
            assertThat(idle.isValid(5)).isFalse();
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> idle.createStatement().execute("SELECT 1"))
                    .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("08006"));
            assertThat(busy.isValid(5)).isTrue();
            assertThat(rows.isClosed()).isFalse();
        }
    }

    @Test
    void aSessionWithoutZoneHasTheServers() throws SQLException {
        try (Connection connection = connect();
                ResultSet row = connection.createStatement().executeQuery("SELECT * FROM all_types")) {
            assertThat(sql.opened).containsExactly("//Asia/Kathmandu");
            assertThat(row.next()).isTrue();
            assertThat(row.getString("c_ltz")).isEqualTo("2024-07-01 18:19:56.789012+05:45");
            assertThat(row.getString("c_ts")).isEqualTo("2024-07-01 12:34:56.789012");
        }
    }

    @Test
    void useKeepsASessionAlive() throws SQLException {
        try (Connection connection = connect()) {
            for (int i = 0; i < 5; i++) {
                now.addAndGet(Duration.ofMinutes(9).toNanos());
                assertThat(connection.isValid(5)).isTrue();
                endpoint.closeIdleSessions();
            }
            assertThat(endpoint.openSessions()).isEqualTo(1);
        }
    }

    @Test
    void aTakenPortIsNamed() {
        assertThatExceptionOfType(StreamException.class)
                .isThrownBy(() -> FlightEndpoint.start(sql, "127.0.0.1", endpoint.port(), ZoneOffset.UTC))
                .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.OBJECT_IN_USE))
                .withMessageContaining(String.valueOf(endpoint.port()));
    }

    @Test
    void aRunningQueryEndsWithTheEndpoint() throws SQLException {
        try (Connection connection = connect();
                ResultSet rows = connection.createStatement().executeQuery("SELECT n FROM quiet EMIT CHANGES")) {
            endpoint.close();
            assertThat(sql.openStreams.get()).isZero();
            assertThatExceptionOfType(SQLException.class).isThrownBy(rows::next);
        }
    }
}

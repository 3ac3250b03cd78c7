package io.tailwater.server.flight;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import static org.assertj.core.api.Assertions.assertThat;

/** An endpoint on a {@link FakeSql}, a connection to it, and the check that nothing of either is left. */
@Timeout(60)
class EndpointFixture {
    final FakeSql sql = new FakeSql();
    final ExecutorService threads = Executors.newCachedThreadPool();
    final FlightEndpoint endpoint = FlightEndpoint.start(sql, "127.0.0.1", 0, ZoneOffset.UTC);
    final Connection connection = connect("");

    EndpointFixture() throws SQLException {}

    final Connection connect(String tail) throws SQLException {
        return DriverManager.getConnection("jdbc:tailwater://127.0.0.1:" + endpoint.port() + "/" + tail);
    }

    @BeforeEach
    void hasOneSession() {
        assertThat(endpoint.openSessions()).isEqualTo(1);
    }

    @AfterEach
    void nothingIsLeft() throws SQLException, InterruptedException {
        connection.close();
        sql.openSessions.await(0);
        sql.openStreams.await(0);
        endpoint.close();
        threads.shutdownNow();
        assertThat(endpoint.openSessions()).isZero();
        assertThat(endpoint.openResults()).isZero();
        assertThat(endpoint.openPreparedStatements()).isZero();
        assertThat(endpoint.allocatedBytes()).isZero();
        assertThat(FakeSql.MEMORY.usedBytes()).isZero();
    }
}

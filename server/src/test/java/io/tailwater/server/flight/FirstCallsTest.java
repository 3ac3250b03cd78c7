package io.tailwater.server.flight;

import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

final class FirstCallsTest extends EndpointFixture {
    FirstCallsTest() throws SQLException {}

    @Test
    void everyQueryIsReadToItsEndAndNoSessionStays() throws InterruptedException {
        FirstCalls.make(
                "127.0.0.1", endpoint.port(), List.of("SELECT n FROM series(100000)", "SELECT n FROM series(7)"));
        assertThat(sql.rowsPulled).hasValue(100_007);
        assertThat(sql.opened).hasSizeGreaterThan(1);
        sql.openSessions.await(1);
    }

    @Test
    void aQueryThatFailsEndsTheVisitAndNoSessionStays() throws InterruptedException {
        assertThatExceptionOfType(StreamException.class)
                .isThrownBy(() -> FirstCalls.make(
                        "127.0.0.1", endpoint.port(), List.of("SELECT broken FROM inside", "SELECT n FROM series(7)")))
                .withMessageContaining("division by zero");
        assertThat(sql.rowsPulled).hasValue(0);
        sql.openSessions.await(1);
    }
}

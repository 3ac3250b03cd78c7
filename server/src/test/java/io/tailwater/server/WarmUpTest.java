package io.tailwater.server;

import io.tailwater.common.settings.Settings;
import io.tailwater.server.launch.RunningServer;
import io.tailwater.server.sql.SqlService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

final class WarmUpTest {
    private static final Settings SETTINGS = Settings.of(Map.of());

    @TempDir
    Path dir;

    @Test
    void aWarmedServerServes() throws Exception {
        Settings settings = Settings.of(Map.of("data.dir", dir.toString(), "sql.port", "0"));
        AtomicBoolean owned = new AtomicBoolean();
        try (RunningServer server = new WarmUp(StandaloneServer::start).start(settings, () -> owned.set(true));
                Connection connection = DriverManager.getConnection("jdbc:tailwater://localhost:" + server.port());
                ResultSet row = connection.createStatement().executeQuery("SELECT 1")) {
            assertThat(owned).isTrue();
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(1);
        }
    }

    @Test
    void aServerThatNobodyCanCallStarts() throws IOException {
        try (RunningServer server = new Deaf(portOfNobody())) {
            assertThat(new WarmUp((settings, owned) -> server).start(SETTINGS)).isSameAs(server);
        }
    }

    @Test
    void aServerThatDoesNotAnswerStarts() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                RunningServer server = new Deaf(silent.getLocalPort())) {
            assertThat(new WarmUp((settings, owned) -> server).start(SETTINGS)).isSameAs(server);
        }
    }

    @Test
    void aFailedStartFails() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> new WarmUp((settings, owned) -> {
                            throw new IllegalStateException("broken");
                        })
                        .start(SETTINGS))
                .withMessage("broken");
    }

    private static int portOfNobody() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Has a port, and nothing behind it. Immutable. */
    private record Deaf(int port) implements RunningServer {
        @Override
        public SqlService sql() {
            throw new AssertionError("the warm-up comes by the wire");
        }

        @Override
        public long[] takeTickNanos() {
            return new long[0];
        }

        @Override
        public void close() {}
    }
}

package io.tailwater.endtoend;

import io.tailwater.endtoend.Command.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

final class StandaloneTest {
    @TempDir
    Path dir;

    @Test
    void sigtermStopsItCleanlyAndItLogsToItsDirectory() throws IOException {
        try (Server server = Server.start(dir)) {
            assertThat(server.stop()).isZero();
        }
        assertThat(Files.readString(dir.resolve("log/tailwater.log")))
                .contains("Ready on port")
                .contains("Stopped");
    }

    @Test
    void aSecondServerOnTheSameDirectoryIsRefused() {
        try (Server server = Server.start(dir)) {
            Result second = Command.tailwater("standalone", "--data-dir", dir.toString(), "--port", "0");
            assertThat(second.status()).isEqualTo(1);
            assertThat(second.err())
                    .contains("ERROR: ")
                    .contains(dir.toString())
                    .contains("HINT: ")
                    .doesNotContain("\tat ");
            assertThat(second.out()).isEmpty();
            assertThat(server.sql("-e", "SELECT 1").status()).isZero();
        }
    }

    @Test
    void aSecondServerOnTheSamePortIsRefused(@TempDir Path other) {
        try (Server server = Server.start(dir)) {
            Result second = Command.tailwater(
                    "standalone", "--data-dir", other.toString(), "--port", String.valueOf(server.port()));
            assertThat(second.status()).isEqualTo(1);
            assertThat(second.err())
                    .contains("ERROR: ")
                    .contains("port")
                    .contains(String.valueOf(server.port()))
                    .contains("HINT: ")
                    .doesNotContain("\tat ");
            assertThat(second.out()).isEmpty();
        }
    }

    @Test
    void whatWasAcknowledgedSurvivesAKillAndTheLockIsTakenOver() {
        try (Server server = Server.start(dir)) {
            Result made = server.sql(
                    "-e", "CREATE STREAM s (id BIGINT); CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS n FROM s",
                    "-e", "INSERT INTO s VALUES (1), (2), (3)");
            assertThat(made.err()).doesNotContain("ERROR");
            server.kill();
        }
        try (Server server = Server.start(dir)) {
            assertThat(server.sql("--format", "csv", "-e", "WAIT FOR v; SELECT n FROM v")
                            .out())
                    .isEqualTo("n\n3\n");
        }
    }
}

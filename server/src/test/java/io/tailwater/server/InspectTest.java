package io.tailwater.server;

import io.tailwater.common.settings.Settings;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.SqlSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code inspect} on what a whole server has written. */
final class InspectTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int inspect(String... arguments) {
        out.getBuffer().setLength(0);
        List<String> all = new ArrayList<>(List.of("inspect"));
        all.addAll(List.of(arguments));
        CommandLine command = Main.commandLine(
                (settings, owned) -> {
                    throw new AssertionError("inspect starts no server");
                },
                all.toArray(new String[0]));
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return command.execute(all.toArray(new String[0]));
    }

    private static void run(SqlSession session, String sql) {
        SqlSession.Outcome outcome = session.execute(sql, List.of(), Duration.ofSeconds(60), new CancelSignal());
        if (outcome instanceof SqlSession.Outcome.Rows rows) {
            // It has waited for the session's own rows.
            rows.stream().close();
        }
    }

    private Path firstFrames() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("streams"))) {
            return all.filter(p -> p.endsWith("frames")).sorted().findFirst().orElseThrow();
        }
    }

    @Test
    void aServersDirectoryIsShownWhileItRunsAndAfter() throws IOException {
        String data = directory.toString();
        Settings settings = Settings.of(Map.of(
                "data.dir", data, "sql.port", "0", "http.port", "0", "internal.port", "0", "executor.workers", "2"));
        try (StandaloneServer server = StandaloneServer.start(settings)) {
            try (SqlSession session = server.sql().open("test", "", ZoneOffset.UTC)) {
                run(session, "CREATE STREAM clicks (k BIGINT NOT NULL, v VARCHAR)");
                run(session, "CREATE STREAM copies (k BIGINT NOT NULL, v VARCHAR)");
                run(session, "INSERT INTO copies SELECT k, v FROM clicks WHERE k > 1");
                run(session, "CREATE MATERIALIZED VIEW counts AS SELECT k, COUNT(*) AS n FROM clicks GROUP BY k");
                run(session, "INSERT INTO clicks VALUES (1, 'a'), (2, 'b'), (2, 'c')");
                run(session, "SELECT * FROM counts");
            }
            assertThat(inspect(data, "--log", "--frames")).as(out.toString()).isZero();
            assertThat(out.toString())
                    .contains(
                            "data directory " + data,
                            "lock pid " + ProcessHandle.current().pid(),
                            "OWNER epoch")
                    .contains("BIND epoch", "PLAN epoch", " 3 rows, event times none to none");
        }
        assertThat(inspect(data, "--log")).as(out.toString()).isZero();
        assertThat(out.toString())
                .contains(" clean\n", "metadata\n", "COMMIT epoch", "clicks")
                .doesNotContain("event times", "DAMAGED");

        Path frames = firstFrames();
        byte[] bytes = Files.readAllBytes(frames);
        bytes[bytes.length - 1] ^= 1;
        Files.write(frames, bytes);
        assertThat(inspect(data, "--log")).isEqualTo(1);
        assertThat(out.toString())
                .contains("DAMAGED " + frames + " is corrupt at offset ", "COMMIT epoch", "1 damaged\n");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aPathThatIsNotThereIsAnError() {
        assertThat(inspect(directory.resolve("nowhere").toString())).isEqualTo(1);
        assertThat(err.toString()).contains("ERROR: " + directory.resolve("nowhere") + " does not exist");
    }

    @Test
    void badOptionsAreAUsageError() {
        assertThat(inspect("--rows=many", directory.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("--rows");
    }
}

package io.tailwater.server;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.settings.Settings;
import io.tailwater.common.time.Clock;
import io.tailwater.server.launch.ServerStarter;
import io.tailwater.storage.DataDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class MainTest {
    @TempDir
    Path dir;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<Settings> asked = new ArrayList<>();

    @Test
    void aStartRefusedBeforeTheDirectoryIsOursWritesNothingThere() throws Exception {
        Path foreign = dir.resolve("foreign");
        Files.createDirectory(foreign);
        Files.writeString(foreign.resolve("letter.txt"), "mine");
        int status = run(StandaloneServer::start, "standalone", "--data-dir", foreign.toString(), "--port", "0");
        assertThat(status).isEqualTo(1);
        assertThat(err.toString())
                .contains("is not empty and not a data directory")
                .doesNotContain("LOG:");
        assertThat(foreign).isDirectoryNotContaining(p -> !p.endsWith("letter.txt"));
    }

    @Test
    void aSecondStartWritesNothingToTheDirectoryOfTheFirst() throws Exception {
        Path data = dir.resolve("data");
        try (DataDirectory first = DataDirectory.open(data, Clock.SYSTEM)) {
            int status = run(StandaloneServer::start, "standalone", "--data-dir", data.toString(), "--port", "0");
            assertThat(status).isEqualTo(1);
            assertThat(err.toString())
                    .contains("is in use by another server (pid "
                            + ProcessHandle.current().pid())
                    .doesNotContain("LOG:");
            assertThat(data.resolve("log")).doesNotExist();
            assertThat(first.path()).isEqualTo(data);
        }
    }

    @Test
    void aFailedStartTellsMessageHintAndLogFile() throws Exception {
        int status = run(
                failingOnceOwned(new StreamException(
                        ErrorCode.LOCK_NOT_AVAILABLE,
                        "The data directory is in use.",
                        -1,
                        "Stop the other server.",
                        null)),
                "standalone",
                "--data-dir",
                dir.toString());
        Path log = dir.resolve("log/tailwater.log");
        assertThat(status).isEqualTo(1);
        assertThat(err.toString())
                .isEqualToNormalizingNewlines(
                        "ERROR: The data directory is in use.\nHINT:  Stop the other server.\nLOG:   "
                                + log.toAbsolutePath() + "\n");
        assertThat(out.toString()).isEmpty();
        assertThat(Files.readString(log)).contains("Start failed").contains("at io.tailwater");
    }

    @Test
    void anUnexpectedFailureShowsNoStackTrace() {
        int status = run(failing(new IllegalStateException("broken")), "standalone", "--data-dir", dir.toString());
        assertThat(status).isEqualTo(1);
        assertThat(err.toString()).contains("Internal error").contains("broken").doesNotContain("\tat ");
    }

    @Test
    void aPortInUseIsExplained() {
        RuntimeException failure =
                new RuntimeException(new java.io.IOException(new BindException("Address already in use")));
        int status = run(failing(failure), "standalone", "--data-dir", dir.toString());
        assertThat(status).isEqualTo(1);
        assertThat(err.toString()).contains("The port is in use").contains("--port");
    }

    @Test
    void anUnknownSettingStopsTheStartBeforeAnythingIsMade() {
        Path data = dir.resolve("data");
        int status =
                run(failing(new AssertionError()), "standalone", "--data-dir", data.toString(), "--set", "sql.prot=1");
        assertThat(status).isEqualTo(1);
        assertThat(err.toString()).contains("There is no setting 'sql.prot'").contains("'sql.port'");
        assertThat(data).doesNotExist();
        assertThat(asked).isEmpty();
    }

    @Test
    void anotherPortFreesTheOtherTwoUnlessGiven() {
        run(failing(new AssertionError()), "standalone", "--data-dir", dir.toString());
        run(failing(new AssertionError()), "standalone", "--data-dir", dir.toString(), "--port", "7");
        run(failing(new AssertionError()), "standalone", "--data-dir", dir.toString(), "--port", "7", "-Dhttp.port=8");
        assertThat(asked).extracting(s -> s.get(ServerSettings.HTTP_PORT)).containsExactly(7481, 0, 8);
        assertThat(asked).extracting(s -> s.get(ServerSettings.INTERNAL_PORT)).containsExactly(7482, 0, 0);
    }

    @Test
    void wrongUsageExitsWithTwoAndShowsTheUsage() {
        assertThat(run(failing(new AssertionError()), "standalone", "--nonsense"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--nonsense").contains("Usage: bin/tailwater standalone");
        assertThat(run(failing(new AssertionError()))).isEqualTo(2);
    }

    @Test
    void everyCommandHasHelp() {
        for (String command :
                Main.commandLine(failing(new AssertionError())).getSubcommands().keySet()) {
            assertThat(run(failing(new AssertionError()), command, "--help")).isZero();
            assertThat(out.toString()).contains("Usage: bin/tailwater " + command);
        }
    }

    private ServerStarter failingOnceOwned(RuntimeException failure) {
        return (settings, owned) -> {
            owned.run();
            throw failure;
        };
    }

    private ServerStarter failing(Throwable failure) {
        return (settings, owned) -> {
            asked.add(settings);
            if (failure instanceof Error e) {
                throw e;
            }
            throw (RuntimeException) failure;
        };
    }

    private int run(ServerStarter starter, String... args) {
        return Main.commandLine(starter)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}

package io.tailwater.endtoend;

import io.tailwater.endtoend.Command.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

final class LauncherTest {
    @TempDir
    Path dir;

    @Test
    void versionIsPrinted() {
        Result result = Command.tailwater("version");
        assertThat(result.status()).isZero();
        assertThat(result.out()).startsWith("Tailwater 0.1.0").contains("on Java");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void itRunsThroughASymlinkInADirectoryWithSpacesFromAnywhere() throws IOException {
        Path odd = Files.createDirectories(dir.resolve("a b/c 'd'"));
        Path link = Files.createSymbolicLink(odd.resolve("tail water"), Path.of(Command.LAUNCHER));
        Path relative = Files.createSymbolicLink(dir.resolve("again"), Path.of("a b/c 'd'/tail water"));
        assertThat(Command.run(odd, Map.of(), "", List.of(link.toString(), "version"))
                        .out())
                .startsWith("Tailwater 0.1.0");
        assertThat(Command.run(odd, Map.of(), "", List.of(relative.toString(), "version"))
                        .out())
                .startsWith("Tailwater 0.1.0");
    }

    @Test
    void itRunsFromAProjectDirectoryWithSpaces() throws IOException {
        Path copy = Files.createDirectories(dir.resolve("copy of it/bin"));
        for (String script : List.of("tailwater", "lib.sh")) {
            Files.copy(Command.HOME.resolve("bin").resolve(script), copy.resolve(script));
        }
        Files.createSymbolicLink(copy.resolveSibling("server"), Command.HOME.resolve("server"));
        Result result = Command.run(
                dir, Map.of(), "", List.of("bash", copy.resolve("tailwater").toString(), "version"));
        assertThat(result.out()).startsWith("Tailwater 0.1.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "executor", "local-cluster", "rescue"})
    void commandsOfLaterVersionsSaySo(String command) {
        Result result = Command.tailwater(command);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("'" + command + "' comes with a later version");
    }

    @Test
    void anUnknownCommandShowsTheUsage() {
        Result result = Command.tailwater("fly");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("no command 'fly'").contains("quickstart");
        assertThat(result.out()).isEmpty();
        assertThat(Command.tailwater("--help").out()).contains("quickstart");
    }

    @ParameterizedTest
    @ValueSource(strings = {"standalone", "sql", "quickstart", "inspect", "bench", "version"})
    void everyCommandHasHelp(String command) {
        Result result = Command.tailwater(command, "--help");
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("Usage: bin/tailwater " + command);
    }

    @Test
    void anOldJavaIsNamedWithTheCommandThatInstallsAGoodOne() throws IOException {
        script("jdk/bin/java", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2");
        Result result = Command.run(
                dir, Map.of("JAVA_HOME", dir.resolve("jdk").toString()), "", List.of(Command.LAUNCHER, "version"));
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("Java 11").contains("too old").contains("install");
    }

    @Test
    void aWrongJavaHomeIsNamed() {
        Result result = Command.run(
                dir, Map.of("JAVA_HOME", dir.resolve("none").toString()), "", List.of(Command.LAUNCHER, "version"));
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("JAVA_HOME is " + dir.resolve("none"));
    }

    @Test
    void anOldMavenIsNamedBeforeAnythingIsBuilt() throws IOException {
        script("path/mvn", "echo 'Apache Maven 3.6.3 (abc)'");
        Result result = Command.run(
                dir,
                Map.of("PATH", dir.resolve("path") + ":" + System.getenv("PATH")),
                "",
                List.of(Command.HOME.resolve("bin/build").toString(), "--force"));
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("Maven 3.6.3 is too old").contains("install");
    }

    private Path script(String name, String body) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}

package io.tailwater.storage;

import io.tailwater.common.time.Clock;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** What earlier releases have written is read. New versions come from {@link Fixtures}; those that are there are never written again. */
class FixturesTest {
    @TempDir
    Path temporary;

    static List<Path> versions() throws IOException {
        try (Stream<Path> versions = Files.list(Path.of("src/test/resources/fixtures"))) {
            List<Path> all = versions.filter(Files::isDirectory).sorted().toList();
            assertThat(all).isNotEmpty();
            return all;
        }
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aDirectoryOfThisVersionIsRead(Path version) throws IOException {
        Path copy = temporary.resolve("data");
        try (Stream<Path> all = Files.walk(version)) {
            for (Path from : all.toList()) {
                Files.copy(from, copy.resolve(version.relativize(from).toString()));
            }
        }
        List<String> expected = Files.readAllLines(Path.of(version + ".txt"));
        // Read once as it was left, and once as this release leaves it.
        for (int i = 0; i < 2; i++) {
            try (DataDirectory data = DataDirectory.open(copy, Clock.SYSTEM)) {
                assertThat(data.lastEnd()).isEqualTo(DataDirectory.LastEnd.CLEAN);
                assertThat(Fixtures.describe(data)).isEqualTo(expected);
            }
        }
    }
}

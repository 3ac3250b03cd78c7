package io.tailwater.common.settings;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

final class SettingsTest {
    @TempDir
    Path dir;

    @Test
    void theCommandLineWinsOverTheFileAndTheFileOverDefaults() throws IOException {
        Path file = write("sql.port = 1\nexecutor.memory = 2 GB\n");
        Settings settings = Settings.load(file, Map.of("sql.port", "2"));
        assertThat(settings.get(ServerSettings.SQL_PORT)).isEqualTo(2);
        assertThat(settings.get(ServerSettings.EXECUTOR_MEMORY)).isEqualTo(2L << 30);
        assertThat(settings.get(ServerSettings.TICK_MIN)).isEqualTo(Duration.ofMillis(5));
        assertThat(settings.isGiven(ServerSettings.SQL_PORT)).isTrue();
        assertThat(settings.isGiven(ServerSettings.TICK_MIN)).isFalse();
    }

    @Test
    void anUnknownKeyFailsAndSuggestsTheNearest() {
        assertFailure(() -> Settings.of(Map.of("sql.prot", "1")), "There is no setting 'sql.prot'", "'sql.port'");
    }

    @Test
    void anUnknownKeyInTheFileFailsAndNamesTheFile() throws IOException {
        Path file = write("fsink = all\n");
        assertFailure(() -> Settings.load(file, Map.of()), file.toString(), "'fsync'");
    }

    @Test
    void aBadValueFailsAndTellsWhatIsGood() {
        assertFailure(() -> Settings.of(Map.of("sql.port", "70000")), "a whole number from 0 to 65535", "Port of");
        assertFailure(() -> Settings.of(Map.of("sql.port", "x")), "a whole number from 0 to 65535", "Port of");
        assertFailure(() -> Settings.of(Map.of("fsync", "never")), "one of input, all", "forced");
        assertFailure(() -> Settings.of(Map.of("executor.memory", "lots")), "a size such as", "heap");
        assertFailure(() -> Settings.of(Map.of("executor.memory", "9999999999 TB")), "a size such as", "heap");
        assertFailure(() -> Settings.of(Map.of("tick.min", "5")), "a time span such as", "ticks");
        assertFailure(() -> Settings.of(Map.of("zone", "Mars")), "a time zone such as", "zone");
    }

    @Test
    void wordsAreReadWithoutRegardToCaseInAnyLocale() {
        assertThat(Settings.of(Map.of("fsync", "INPUT")).get(ServerSettings.FSYNC))
                .isEqualTo("input");
        assertThat(Settings.of(Map.of("tick.min", "3 MIN")).get(ServerSettings.TICK_MIN))
                .isEqualTo(Duration.ofMinutes(3));
    }

    @Test
    void aMissingFileIsNamed() {
        Path file = dir.resolve("none.properties");
        assertFailure(() -> Settings.load(file, Map.of()), file.toAbsolutePath().toString(), "--config");
    }

    @Test
    void keysAreUniqueAndWithinTheBudget() {
        assertThat(ServerSettings.ALL).extracting(Setting::key).doesNotHaveDuplicates();
        assertThat(ServerSettings.ALL).hasSizeLessThanOrEqualTo(40);
    }

    @Test
    void theTemplateLoadsAndChangesNothing() throws IOException {
        Settings settings = Settings.load(write(Settings.template().replaceAll("(?m)^#([a-z.]+ =)", "$1")), Map.of());
        assertThat(settings.all()).isEqualTo(Settings.of(Map.of()).all());
    }

    /** Regenerate with -Dtailwater.regenerate=true. */
    @Test
    void theShippedFileIsGeneratedFromTheDeclaredSettings() throws IOException {
        Path shipped = Path.of("..", "conf", "tailwater.properties");
        if (Boolean.getBoolean("tailwater.regenerate")) {
            Files.createDirectories(shipped.getParent());
            Files.writeString(shipped, Settings.template());
        }
        assertThat(shipped).hasContent(Settings.template());
    }

    private Path write(String text) throws IOException {
        return Files.writeString(dir.resolve("t.properties"), text);
    }

    private static void assertFailure(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message, String hint) {
        assertThatThrownBy(call)
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(message)
                .asInstanceOf(type(StreamException.class))
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_FILE_ERROR);
                    assertThat(e.hint()).hasValueSatisfying(h -> assertThat(h).contains(hint));
                });
    }
}

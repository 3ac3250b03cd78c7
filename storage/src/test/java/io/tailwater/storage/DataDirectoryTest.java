package io.tailwater.storage;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DataDirectoryTest {
    @TempDir
    Path temporary;

    private DataDirectory open(Path path) {
        return DataDirectory.open(path, Clock.SYSTEM);
    }

    private static void assertRefused(ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE);
    }

    @Test
    void itKnowsHowItWasLeft() throws IOException {
        Path path = temporary.resolve("a/b/data");
        try (DataDirectory data = open(path)) {
            assertThat(data.lastEnd()).isEqualTo(DataDirectory.LastEnd.NEW);
            assertThat(data.temporary()).isEmptyDirectory();
            Files.writeString(data.temporary().resolve("left"), "over");
        }
        try (DataDirectory data = open(path)) {
            assertThat(data.lastEnd()).isEqualTo(DataDirectory.LastEnd.CLEAN);
            assertThat(data.temporary()).isEmptyDirectory();
        }
        String here = Files.readString(path.resolve("boot")).split(" ", -1)[0];
        Files.writeString(path.resolve("boot"), here + " running\n");
        try (DataDirectory data = open(path)) {
            assertThat(data.lastEnd()).isEqualTo(DataDirectory.LastEnd.CRASH);
        }
        Files.writeString(path.resolve("boot"), "another-boot running\n");
        try (DataDirectory data = open(path)) {
            assertThat(data.lastEnd()).isEqualTo(DataDirectory.LastEnd.POWER_LOSS);
        }
    }

    @Test
    void snapshotsLieInItOrElsewhere() {
        Path shared = temporary.resolve("shared/of/all");
        String here;
        String there;
        try (DataDirectory data = open(temporary.resolve("data"))) {
            assertThat(data.path().resolve("snapshots")).doesNotExist();
            here = data.snapshots().writeManifest("default", 1, 1, "here");
            there = data.snapshots(shared).writeManifest("default", 1, 1, "there");
            assertThat(data.path().resolve("snapshots/" + here)).exists();
            assertThat(shared.resolve(there)).exists();
        }
        try (DataDirectory data = open(temporary.resolve("data"))) {
            assertThat(data.snapshots().readManifest(here)).isEqualTo("here");
            assertThat(data.snapshots(shared).readManifest(there)).isEqualTo("there");
        }
    }

    @Test
    void anotherFormatIsRefusedByName() throws IOException {
        open(temporary).close();
        Files.writeString(temporary.resolve("format"), "tailwater-data 3\n");
        Files.writeString(temporary.resolve("lock"), "as it was");
        assertRefused(
                () -> open(temporary), "has format \"tailwater-data 3\", this release reads \"tailwater-data 2\"");
        assertThat(Files.readString(temporary.resolve("lock"))).isEqualTo("as it was");
        Files.writeString(temporary.resolve("format"), "tailwater-data 2\n");
        open(temporary).close();
    }

    @Test
    void somebodysDirectoryIsNotTakenOver() throws IOException {
        Files.writeString(temporary.resolve("letter.txt"), "mine");
        assertRefused(() -> open(temporary), "is not empty and not a data directory");
        assertThat(temporary).isDirectoryNotContaining(p -> !p.endsWith("letter.txt"));
    }

    @Test
    void aFailureToOpenLeavesTheDirectoryFree() throws IOException {
        open(temporary).close();
        byte[] journal = Files.readAllBytes(temporary.resolve("metadata/journal"));
        Files.write(temporary.resolve("metadata/journal"), new byte[10]);
        assertThatThrownBy(() -> open(temporary)).hasMessageContaining("not a metadata journal");
        Files.write(temporary.resolve("metadata/journal"), journal);
        open(temporary).close();
    }
}

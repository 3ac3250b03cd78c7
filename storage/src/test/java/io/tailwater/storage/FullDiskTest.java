package io.tailwater.storage;

import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.SegmentFormat;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** A real file system that really fills up under a process of its own, which a SIGBUS would kill. Needs the right to mount one. */
class FullDiskTest {
    @TempDir
    Path directory;

    /** With a reserve appends stop while there is room; with one so far below nothing that the volume is never looked at, the file system itself refuses. */
    @ParameterizedTest
    @CsvSource({"FILE, -1000000000000", "CHRONICLE, -1000000000000", "FILE, 2000000", "CHRONICLE, 2000000"})
    void appendsAreRefusedAndGoOnOnceThereIsRoom(SegmentFormat format, long reserve)
            throws IOException, InterruptedException {
        Path mount = Files.createDirectory(directory.resolve("small"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", mount.toString()))
                .as("mounting a tmpfs takes privileges that this user lacks")
                .isZero();
        try {
            Files.write(mount.resolve("ballast"), new byte[8 << 20]);
            Process process = ChildProcess.start(FillingProcess.class, mount, format, reserve);
            long frames;
            try (BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                String[] refused = String.valueOf(out.readLine()).split(" ", 3);
                assertThat(refused[0]).isEqualTo("refused");
                frames = Long.parseLong(refused[1]);
                assertThat(frames).isBetween(150L, 340L);
                assertThat(refused[2]).contains(reserve < 0 ? "o space left on device" : "keeps 1 MB in reserve");
                assertThat(out.readLine()).startsWith("refused " + frames);
                assertThat(out.readLine()).isEqualTo("again " + (frames + 10));
            }
            assertThat(process.waitFor()).isZero();
            FileSegmentStore store = new FileSegmentStore(
                    FileIo.DISK, mount.resolve("streams"), new FileSegmentStore.Options(3 << 20, 1000, 0));
            PartitionLog log = store.open(new PartitionName("orders", 0, 0));
            long[] seen = {0};
            log.read(0, log.end(), (header, body, length) -> seen[0]++);
            assertThat(seen[0]).isEqualTo(frames + 10);
            store.close();
        } finally {
            run("umount", mount.toString());
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            // No such program: the assumption fails and says so.
            return -1;
        }
    }
}

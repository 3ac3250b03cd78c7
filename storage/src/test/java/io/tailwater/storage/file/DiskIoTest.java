package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

class DiskIoTest {
    private static final PartitionName P = new PartitionName("orders", 0, 0);

    @TempDir
    Path directory;

    private static long append(PartitionLog log, String body) {
        return log.append(FrameHeader.data(1, 1, 1, 0, 0), SegmentStoreContract.bytes(body));
    }

    @ParameterizedTest
    @EnumSource(SegmentFormat.class)
    void interruptsDisturbNeitherTheInterruptedNorTheOthers(SegmentFormat format) throws InterruptedException {
        try (FileSegmentStore store =
                new FileSegmentStore(FileIo.DISK, directory, FileSegmentStore.Options.DEFAULT.with(format))) {
            PartitionLog log = store.open(P);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            int frames = 100;
            Thread writer = new Thread(() -> {
                for (int i = 0; i < frames; i++) {
                    append(log, "frame " + i);
                    if (i % 10 == 9) {
                        log.sync();
                    }
                    SegmentStoreContract.bodies(log);
                }
            });
            writer.setUncaughtExceptionHandler((t, e) -> failure.set(e));
            writer.start();
            while (writer.isAlive()) {
                writer.interrupt();
                long end = log.end();
                log.read(Math.max(0, end - 3), end, (header, body, length) -> {});
            }
            writer.join();
            assertThat(failure).hasValue(null);
            assertThat(log.durableEnd()).isEqualTo(frames);
            assertThat(SegmentStoreContract.bodies(log)).hasSize(frames);
        }
    }

    @Test
    void anInterruptIsKeptForTheCaller() {
        try (FileSegmentStore store = new FileSegmentStore(FileIo.DISK, directory, FileSegmentStore.Options.DEFAULT)) {
            Thread.currentThread().interrupt();
            append(store.open(P), "x");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    /** Needs a small file system of its own, so it runs where mounting is allowed. */
    @Test
    void aReallyFullFileSystemRefusesAndRecovers() throws IOException, InterruptedException {
        Path mount = Files.createDirectory(directory.resolve("small"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", mount.toString()))
                .isZero();
        try {
            FileSegmentStore store =
                    new FileSegmentStore(FileIo.DISK, mount, new FileSegmentStore.Options(40_000, 1000, 0));
            PartitionLog log = store.open(P);
            long frames = 0;
            StreamException refusal = null;
            while (refusal == null) {
                try {
                    append(log, "x".repeat(5000));
                    frames++;
                } catch (StreamException e) {
                    refusal = e;
                }
            }
            assertThat(refusal.code()).isEqualTo(ErrorCode.DISK_FULL);
            assertThat(log.end()).isEqualTo(frames).isGreaterThan(20);
            assertThatThrownBy(() -> append(log, "x".repeat(5000))).isInstanceOf(StreamException.class);
            log.removeBefore(frames / 2);
            assertThat(append(log, "again")).isEqualTo(frames);
            store.close();
            FileSegmentStore after = new FileSegmentStore(FileIo.DISK, mount, FileSegmentStore.Options.DEFAULT);
            assertThat(SegmentStoreContract.bodies(after.open(P))).endsWith("again");
            assertThat(after.open(P).end()).isEqualTo(frames + 1);
            after.close();
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
            // Neither root nor Linux: the assumption fails and says so.
            return -1;
        }
    }
}

package io.tailwater.storage.log;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.SimulatedDisk;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GroupCommitTest {
    private static final Path ROOT = Path.of("/data");

    private final SimulatedDisk disk = new SimulatedDisk();
    private final FileSegmentStore store =
            new FileSegmentStore(disk, ROOT, new FileSegmentStore.Options(1 << 16, 1000, 0));

    private PartitionLog log(int partition) {
        return store.open(new PartitionName("s", 0, partition));
    }

    private static CompletableFuture<Long> append(GroupCommit group, PartitionLog log) {
        return group.append(log, FrameHeader.data(1, 1, 1, 0, 0), ByteBuffer.wrap(new byte[50]));
    }

    @Test
    void everyAcknowledgedFrameSurvivesAPowerCut() throws InterruptedException {
        try (GroupCommit group = new GroupCommit()) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int partition = t % 3;
                Thread thread = new Thread(() -> {
                    PartitionLog log = log(partition);
                    for (int i = 0; i < 200; i++) {
                        long frame = append(group, log).join();
                        if (log.durableEnd() <= frame) {
                            throw new AssertionError("acknowledged before it was durable");
                        }
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(disk.syncs()).as("groups are synced, not frames").isLessThan(1600);
        disk.crash(new Random(7));
        FileSegmentStore after = new FileSegmentStore(disk, ROOT, FileSegmentStore.Options.DEFAULT);
        long frames = 0;
        for (int p = 0; p < 3; p++) {
            frames += after.open(new PartitionName("s", 0, p)).end();
        }
        assertThat(frames).isEqualTo(1600);
    }

    @Test
    void framesThatArriveDuringASyncShareTheNext() throws InterruptedException {
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        PartitionLog log = log(0);
        log.append(FrameHeader.data(1, 1, 1, 0, 0), ByteBuffer.wrap(new byte[1]));
        try (GroupCommit group = new GroupCommit()) {
            log.onDurable(() -> {
                syncing.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            CompletableFuture<Long> first = append(group, log);
            syncing.await();
            long before = disk.syncs();
            List<CompletableFuture<Long>> rest = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                rest.add(append(group, log));
            }
            assertThat(rest).noneMatch(CompletableFuture::isDone);
            go.countDown();
            assertThat(first.join()).isEqualTo(1);
            assertThat(rest.get(99).join()).isEqualTo(101);
            assertThat(rest).allMatch(CompletableFuture::isDone);
            assertThat(disk.syncs() - before).isEqualTo(1);
        }
    }

    @Test
    void aFailedSyncFailsItsPartitionAlone() {
        PartitionLog bad = log(0);
        PartitionLog good = log(1);
        try (GroupCommit group = new GroupCommit()) {
            append(group, bad).join();
            append(group, good).join();
            disk.fault(new SimulatedDisk.Fault() {
                @Override
                public void sync(Path path) throws IOException {
                    if (path.toString().contains("p0")) {
                        throw new IOException("Input/output error");
                    }
                }
            });
            CompletableFuture<Long> lost = append(group, bad);
            assertThatThrownBy(lost::join)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("nothing of it is acknowledged")
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.IO_ERROR);
            assertThat(append(group, good).join()).isEqualTo(1);
            assertThatThrownBy(() -> append(group, bad)).isInstanceOf(StreamException.class);
        }
    }

    @Test
    void closingAcknowledgesWhatWaitsAndRefusesTheRest() {
        PartitionLog log = log(0);
        GroupCommit group = new GroupCommit();
        List<CompletableFuture<Long>> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiting.add(append(group, log));
        }
        group.close();
        assertThat(waiting).allMatch(f -> f.isDone() && !f.isCompletedExceptionally());
        assertThatThrownBy(() -> append(group, log))
                .isInstanceOf(StreamException.class)
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(ErrorCode.ADMIN_SHUTDOWN);
    }
}

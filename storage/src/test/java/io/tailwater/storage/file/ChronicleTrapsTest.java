package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What Chronicle Queue does to those who trust it, and that none of it reaches us. */
class ChronicleTrapsTest {
    private static final PartitionName P = new PartitionName("orders", 0, 0);
    private static final FileSegmentStore.Options OPTIONS =
            new FileSegmentStore.Options(64 << 20, 100_000, 0).with(SegmentFormat.CHRONICLE);

    @TempDir
    Path directory;

    private FileSegmentStore open() {
        return new FileSegmentStore(FileIo.DISK, directory, OPTIONS);
    }

    private Path segment() {
        return directory.resolve("orders/w0/p0/seg-0-1");
    }

    private Path cycle() {
        return segment().resolve(ChronicleAppender.CYCLE);
    }

    private static long append(PartitionLog log, String body) {
        return log.append(FrameHeader.data(1, 1, 1, 0, 0), SegmentStoreContract.bytes(body));
    }

    private static ChronicleQueue queueIn(Path directory) {
        return ChronicleQueue.singleBuilder(directory)
                .rollCycle(RollCycles.FAST_DAILY)
                .timeProvider(() -> 86_400_000)
                .blockSize(ChronicleAppender.BLOCK_BYTES)
                .build();
    }

    @Test
    void nothingReportsToTheVendor() {
        try (FileSegmentStore store = open()) {
            append(store.open(P), "x");
        }
        assertThat(System.getProperty("chronicle.analytics.disable")).isEqualTo("true");
        assertThatThrownBy(() -> Class.forName("net.openhft.chronicle.analytics.Analytics"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void aSegmentIsOneCycleWithAllOfChroniclesIndexInIt() throws IOException {
        try (FileSegmentStore store = open()) {
            PartitionLog log = store.open(P);
            for (int i = 0; i < 5000; i++) {
                append(log, "frame " + i);
            }
            assertThat(SegmentStoreContract.bodies(log)).hasSize(5000).endsWith("frame 4999");
        }
        try (Stream<Path> files = Files.list(segment())) {
            assertThat(files.filter(f -> f.toString().endsWith(".cq4"))).containsExactly(cycle());
        }
        assertThat(Files.size(cycle())).as("without the zeros written ahead").isLessThan(700_000);
    }

    @Test
    void aSyncForcesTheFileThatChronicleHasMapped() {
        List<Path> forced = new ArrayList<>();
        try (FileSegmentStore store = new FileSegmentStore(new WatchedIo(forced), directory, OPTIONS)) {
            PartitionLog log = store.open(P);
            append(log, "x");
            forced.clear();
            log.sync();
            assertThat(forced).containsExactly(cycle());
        }
    }

    @Test
    void aWriteThatNeverEndedAndItsLockHoldNobodyUp() {
        FileSegmentStore killed = open();
        append(killed.open(P), "one");
        // As a process leaves it that is killed in the middle of a write: a lock that names it and a document without
        // an end.
        ChronicleQueue queue = queueIn(segment());
        ExcerptAppender appender = queue.createAppender();
        DocumentContext document = appender.writingDocument();
        document.wire().bytes().writeLong(1);
        long begun = System.nanoTime();
        try (FileSegmentStore store = open()) {
            PartitionLog log = store.open(P);
            assertThat(append(log, "two")).isEqualTo(1);
            assertThat(SegmentStoreContract.bodies(log)).containsExactly("one", "two");
        }
        assertThat(System.nanoTime() - begun).isLessThan(5_000_000_000L);
        document.rollbackOnClose();
        document.close();
        queue.close();
        try (FileSegmentStore store = open()) {
            assertThat(SegmentStoreContract.bodies(store.open(P))).containsExactly("one", "two");
        }
    }

    @Test
    void aDocumentOfSomebodyElseEndsThePartitionAndIsNeverRead() {
        FileSegmentStore store = open();
        PartitionLog log = store.open(P);
        append(log, "one");
        log.sync();
        try (ChronicleQueue queue = queueIn(segment())) {
            queue.createAppender().writeText("not ours");
        }
        assertThatThrownBy(() -> append(log, "two"))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("document 2 was written where document 1 belongs");
        assertThatThrownBy(() -> append(log, "three")).hasMessageContaining("takes no more data after a failure");
        store.close();
        try (FileSegmentStore after = open()) {
            PartitionLog reopened = after.open(P);
            assertThat(append(reopened, "four")).isEqualTo(1);
            assertThat(SegmentStoreContract.bodies(reopened)).containsExactly("one", "four");
        }
    }

    /** Chronicle's own readers would wait at the hole for ever, while its appender goes on behind it. */
    @Test
    void aHoleOfLostPagesIsCutOffOrReported() throws IOException {
        for (boolean acknowledged : new boolean[] {false, true}) {
            FileIo.DISK.delete(directory.resolve("orders"));
            FileSegmentStore killed = open();
            PartitionLog log = killed.open(P);
            for (int i = 0; i < 100; i++) {
                append(log, "x".repeat(1000) + i);
                if (i == 9 || (acknowledged && i == 99)) {
                    log.sync();
                }
            }
            long hole = 65_808 + 50 * 1096 + 4095 & -4096;
            try (FileChannel file = FileChannel.open(cycle(), StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.allocate(4096), hole);
            }
            if (acknowledged) {
                assertThatThrownBy(() -> open().open(P))
                        .isInstanceOf(StreamException.class)
                        .hasMessageContaining("below the acknowledged end")
                        .extracting(e -> ((StreamException) e).code())
                        .isEqualTo(ErrorCode.DATA_CORRUPTED);
            } else {
                try (FileSegmentStore store = open()) {
                    PartitionLog after = store.open(P);
                    long end = after.end();
                    assertThat(end).isBetween(49L, 53L);
                    assertThat(append(after, "next")).isEqualTo(end);
                    assertThat(SegmentStoreContract.bodies(after))
                            .hasSize((int) end + 1)
                            .endsWith("next");
                }
            }
        }
    }

    @Test
    void aFrameTooLargeForABlockIsRefusedAndTheNextIsNot() {
        try (FileSegmentStore store = open()) {
            PartitionLog log = store.open(P);
            FrameHeader header = FrameHeader.data(1, 1, 1, 0, 0);
            int most = (int) ChronicleFrameFile.MAX_FRAME - FrameHeader.BYTES;
            assertThatThrownBy(() -> log.append(header, ByteBuffer.allocate(most + 8)))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("with storage.segments = chronicle the limit is")
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.STATEMENT_TOO_COMPLEX);
            assertThat(log.append(header, ByteBuffer.allocate(most))).isZero();
            assertThat(append(log, "small")).isEqualTo(1);
            assertThat(log.info(0).bodyLength()).isEqualTo(most);
            log.read(0, 2, (read, body, length) -> {});
        }
    }

    @Test
    void segmentsOfBothKindsMakeOneLog() {
        for (int life = 0; life < 4; life++) {
            SegmentFormat format = life % 2 == 0 ? SegmentFormat.CHRONICLE : SegmentFormat.FILE;
            try (FileSegmentStore store = new FileSegmentStore(FileIo.DISK, directory, OPTIONS.with(format))) {
                PartitionLog log = store.open(P);
                log.roll();
                assertThat(append(log, format + " " + life)).isEqualTo(life);
            }
        }
        try (FileSegmentStore store = open()) {
            assertThat(SegmentStoreContract.bodies(store.open(P)))
                    .containsExactly("CHRONICLE 0", "FILE 1", "CHRONICLE 2", "FILE 3");
        }
    }

    @Test
    void everyFlippedBitOfAnAcknowledgedFrameIsReportedOrHarmless() throws IOException {
        FileSegmentStore killed = open();
        PartitionLog log = killed.open(P);
        append(log, "first frame");
        log.sync();
        long bytes = log.segments().get(0).bytes();
        killed.close();
        byte[] whole = Files.readAllBytes(cycle());
        int reported = 0;
        Path index = segment().resolve("index");
        for (int bit = 0; bit < 8 * (8 + bytes); bit += 3) {
            // Without its index the file is all there is to go by.
            Files.deleteIfExists(index);
            byte[] damaged = whole.clone();
            damaged[65_808 + bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(cycle(), damaged);
            try (FileSegmentStore store = open()) {
                // The length of the document and the four bytes before the frame say nothing that the frame does not.
                assertThat(SegmentStoreContract.bodies(store.open(P))).containsExactly("first frame");
                assertThat(bit).isLessThan(64);
            } catch (StreamException e) {
                assertThat(e).hasMessageContaining(cycle() + " is corrupt at offset");
                reported++;
            }
        }
        assertThat(reported).isGreaterThan((int) (8 * bytes / 3));
    }
}

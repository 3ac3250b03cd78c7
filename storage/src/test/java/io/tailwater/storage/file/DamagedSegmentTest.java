package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Torn tails are cut at any byte; damage to what was acknowledged is reported with file and offset, at any bit. */
class DamagedSegmentTest {
    private static final PartitionName P = new PartitionName("orders", 0, 0);
    private static final List<String> BODIES = List.of("first frame", "second", "third frame, a little longer");

    @TempDir
    Path directory;

    private Path frames;
    private byte[] whole = {};
    private long[] ends = {};

    /** The file of three frames, of which only the first was acknowledged. */
    @BeforeEach
    void write() throws IOException {
        FileSegmentStore store = open();
        PartitionLog log = store.open(P);
        frames = directory.resolve("orders/w0/p0/seg-0-1/frames");
        ends = new long[4];
        ends[0] = PlainFrameFile.FILE_HEADER;
        for (int i = 0; i < 3; i++) {
            log.append(FrameHeader.data(1, 1, 1, 0, 0), SegmentStoreContract.bytes(BODIES.get(i)));
            ends[i + 1] = Files.size(frames);
            if (i == 0) {
                log.sync();
            }
        }
        whole = Files.readAllBytes(frames);
        // The store is left as a killed process leaves it: not closed.
    }

    private FileSegmentStore open() {
        return new FileSegmentStore(FileIo.DISK, directory, FileSegmentStore.Options.DEFAULT);
    }

    private void assertCorrupt(long offset) {
        assertThatThrownBy(() -> open().open(P))
                .isInstanceOf(StreamException.class)
                .hasMessageStartingWith(frames + " is corrupt at offset " + offset + ": ")
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(ErrorCode.DATA_CORRUPTED);
    }

    @Test
    void aTailIsCutAtEveryByte() throws IOException {
        for (int length = (int) ends[1]; length <= whole.length; length++) {
            Files.write(frames, Arrays.copyOf(whole, length));
            int expected = length < ends[2] ? 1 : length < ends[3] ? 2 : 3;
            try (FileSegmentStore store = open()) {
                PartitionLog log = store.open(P);
                assertThat(SegmentStoreContract.bodies(log)).isEqualTo(BODIES.subList(0, expected));
                log.append(FrameHeader.data(1, 1, 1, 0, 0), SegmentStoreContract.bytes("next"));
            }
            try (FileSegmentStore store = open()) {
                assertThat(SegmentStoreContract.bodies(store.open(P)))
                        .hasSize(expected + 1)
                        .endsWith("next");
            }
            Files.delete(frames.resolveSibling("index"));
        }
    }

    @Test
    void garbageBehindTheTailIsCut() throws IOException {
        for (int garbage = 0; garbage < 256; garbage += 17) {
            byte[] longer = Arrays.copyOf(whole, whole.length + 100);
            Arrays.fill(longer, whole.length, longer.length, (byte) garbage);
            Files.write(frames, longer);
            assertThat(SegmentStoreContract.bodies(open().open(P))).isEqualTo(BODIES);
        }
    }

    @Test
    void everyFlippedBitOfAnAcknowledgedFrameIsReported() throws IOException {
        for (int at = (int) ends[0]; at < ends[1]; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << at % 8);
            Files.write(frames, damaged);
            assertCorrupt(ends[0]);
        }
        Files.write(frames, Arrays.copyOf(whole, (int) ends[1] - 1));
        assertCorrupt(ends[0]);
        Files.write(frames, whole);
        assertThat(open().open(P).end()).isEqualTo(3);
    }

    @Test
    void everyFlippedBitOfAnUnacknowledgedFrameCutsItAndWhatFollows() throws IOException {
        for (int at = (int) ends[1]; at < ends[2]; at += 3) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << at % 8);
            Files.write(frames, damaged);
            assertThat(SegmentStoreContract.bodies(open().open(P))).isEqualTo(BODIES.subList(0, 1));
        }
    }

    @Test
    void damageBelowTheIndexIsReportedWhenItIsRead() throws IOException {
        try (FileSegmentStore store = open()) {
            store.open(P).sync();
        }
        assertThat(frames.resolveSibling("index")).exists();
        byte[] damaged = Files.readAllBytes(frames);
        damaged[(int) ends[1] + 84] ^= 1;
        Files.write(frames, damaged);
        PartitionLog log = open().open(P);
        assertThatThrownBy(() -> SegmentStoreContract.bodies(log))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining(frames + " is corrupt at offset " + ends[1]);
    }

    @Test
    void aDamagedIndexIsMadeAnew() throws IOException {
        open().open(P).close();
        Path index = frames.resolveSibling("index");
        byte[] bytes = Files.readAllBytes(index);
        for (int at = 0; at < bytes.length; at += 7) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 2;
            Files.write(index, damaged);
            assertThat(SegmentStoreContract.bodies(open().open(P))).isEqualTo(BODIES);
        }
        Files.write(index, new byte[3]);
        assertThat(SegmentStoreContract.bodies(open().open(P))).isEqualTo(BODIES);
    }

    @Test
    void aMissingOrDamagedDescriptionIsReported() throws IOException {
        Path meta = frames.resolveSibling("meta");
        byte[] bytes = Files.readAllBytes(meta);
        bytes[20] ^= 1;
        Files.write(meta, bytes);
        assertThatThrownBy(() -> open().open(P)).hasMessageContaining(meta + " is corrupt at offset 0");
        Files.delete(meta);
        assertThatThrownBy(() -> open().open(P)).hasMessageContaining(meta + " is corrupt at offset 0: missing");
    }

    @Test
    void aSegmentWhoseMakingWasInterruptedIsForgotten() throws IOException {
        Path half = Files.createDirectories(directory.resolve("orders/w0/p0/seg-3-1"));
        Files.write(half.resolve("frames"), new byte[10]);
        // Sealed first, as the store does before it makes the next.
        PartitionLog log = open().open(P);
        assertThat(log.end()).isEqualTo(3);
        assertThat(half).doesNotExist();
    }

    @Test
    void aGapBetweenSegmentsIsReported() throws IOException {
        FileSegmentStore store = new FileSegmentStore(FileIo.DISK, directory, new FileSegmentStore.Options(1, 1, 0));
        PartitionLog log = store.open(P);
        for (int i = 0; i < 3; i++) {
            log.append(FrameHeader.data(1, 1, 1, 0, 0), SegmentStoreContract.bytes("x"));
        }
        store.close();
        FileIo.DISK.delete(directory.resolve("orders/w0/p0/seg-4-1"));
        assertThatThrownBy(() -> open().open(P))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("begins at frame 5, the one before it ends at 4");
    }
}

package io.tailwater.storage.file;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.FrameInfo;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore;
import io.tailwater.api.storage.SegmentStore.PartitionName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What every segment store does. A subclass says how to open one on a directory. */
abstract class SegmentStoreContract {
    private static final PartitionName P = new PartitionName("orders", 0, 0);

    @TempDir
    Path directory;

    /** Opens, or opens again, the store in {@code directory}, with segments so small that tests fill several. */
    abstract SegmentStore open(Path directory);

    /** How many random histories are tried. */
    abstract int histories();

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static FrameHeader rows(long epoch, int rows) {
        return FrameHeader.data(epoch, 1, rows, 10, 20);
    }

    static List<String> bodies(PartitionLog log) {
        List<String> out = new ArrayList<>();
        log.read(log.start(), log.end(), (header, body, length) -> {
            assertThat(body & 7).isZero();
            assertThat(header.frame()).isEqualTo(log.start() + out.size());
            byte[] text = new byte[length];
            Mem.copyToArray(body, text, 0, length);
            out.add(new String(text, StandardCharsets.UTF_8));
        });
        return out;
    }

    @Test
    void framesAreNumberedFromZeroAndReadBack() {
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            assertThat(log.append(rows(1, 3), bytes("one"))).isZero();
            assertThat(log.append(rows(1, 4), bytes(""))).isEqualTo(1);
            assertThat(bodies(log)).containsExactly("one", "");
            assertThat(log.info(1)).isEqualTo(new FrameInfo(1, 1, FrameHeader.DATA, 4, 10, 20, 0));
            assertThat(log.rows()).isEqualTo(7);
            assertThat(log.bytes()).isEqualTo(88 + 80);
        }
    }

    @Test
    void headersComeBackWhole() {
        FrameHeader given = new FrameHeader(7, FrameHeader.DATA, 3, 0, 11, 12, 13, 14, -15, 16, 0);
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            log.append(given, bytes("body"));
            log.read(0, 1, (header, body, length) -> assertThat(header).isEqualTo(given.at(0, 4)));
        }
    }

    @Test
    void onlySyncedFramesAreDurable() {
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            List<Long> seen = new ArrayList<>();
            log.onDurable(() -> seen.add(log.durableEnd()));
            log.append(rows(1, 1), bytes("a"));
            assertThat(log.durableEnd()).isZero();
            log.sync();
            assertThat(log.durableEnd()).isEqualTo(1);
            log.sync();
            assertThat(seen).containsExactly(1L);
        }
    }

    @Test
    void everythingIsThereAfterReopening() {
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            for (int i = 0; i < 100; i++) {
                log.append(rows(1, i), bytes("frame " + i));
            }
        }
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            assertThat(log.end()).isEqualTo(100);
            assertThat(log.durableEnd()).isEqualTo(100);
            assertThat(log.info(57).rows()).isEqualTo(57);
            assertThat(bodies(log)).hasSize(100).contains("frame 99", "frame 0");
            assertThat(log.append(rows(1, 1), bytes("next"))).isEqualTo(100);
        }
    }

    @Test
    void aHigherEpochTakesOverAndTheLowerIsRefused() {
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            log.append(rows(3, 1), bytes("old"));
            log.append(rows(5, 1), bytes("new"));
            assertThat(log.epoch()).isEqualTo(5);
            assertThat(log.info(0).epoch()).isEqualTo(3);
            assertThatThrownBy(() -> log.append(rows(4, 1), bytes("zombie")))
                    .isInstanceOf(StreamException.class)
                    .hasMessage("append to partition orders/w0/p0 under epoch 4 refused: epoch 5 has taken over")
                    .extracting(e -> ((StreamException) e).code())
                    .isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE);
            assertThat(bodies(log)).containsExactly("old", "new");
        }
    }

    @Test
    void retentionRemovesWholeSegmentsAndKeepsNumbers() {
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            for (int i = 0; i < 100; i++) {
                log.append(rows(1, 1), bytes("frame " + i));
            }
            long start = log.removeBefore(50);
            assertThat(start).isBetween(1L, 50L);
            assertThat(bodies(log)).hasSize((int) (100 - start)).startsWith("frame " + start);
            assertThatThrownBy(() -> log.info(start - 1))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("is not there: it holds " + start + " to 100");
        }
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            assertThat(log.removeBefore(100)).isGreaterThan(50);
            assertThat(log.append(rows(1, 1), bytes("more"))).isEqualTo(100);
        }
    }

    @Test
    void truncatedFramesDoNotExistAndTheirNumbersAreUsedAgain() {
        for (int at : new int[] {100, 73, 31, 0}) {
            try (SegmentStore store = open(directory)) {
                PartitionLog log = store.open(P);
                for (long i = log.end(); i < 100; i++) {
                    log.append(rows(1, 1), bytes("frame " + i));
                }
                log.truncate(at);
                assertThat(log.end()).isEqualTo(at);
                assertThat(bodies(log)).hasSize(at);
            }
            try (SegmentStore store = open(directory)) {
                PartitionLog log = store.open(P);
                assertThat(log.end()).isEqualTo(at);
                assertThat(log.append(rows(1, 1), bytes("other"))).isEqualTo(at);
                assertThat(bodies(log)).hasSize(at + 1).endsWith("other");
                log.truncate(at);
            }
        }
    }

    @Test
    void ownersOfAnyNameAreListedAndDeleted() {
        List<String> names = List.of("a/b", "..", "Straße İ", "x\"y", "plain");
        try (SegmentStore store = open(directory)) {
            for (String name : names) {
                store.open(new PartitionName(name, 1, 2)).append(rows(1, 1), bytes(name));
                store.open(new PartitionName(name, 0, 10)).append(rows(1, 1), bytes(name));
            }
            assertThat(store.owners()).containsExactlyInAnyOrderElementsOf(names);
            assertThat(store.partitions(".."))
                    .containsExactly(new PartitionName("..", 0, 10), new PartitionName("..", 1, 2));
            store.delete("..");
            store.delete("never there");
            assertThat(store.owners()).doesNotContain("..").hasSize(4);
            assertThat(store.open(new PartitionName("..", 1, 2)).end()).isZero();
            assertThat(bodies(store.open(new PartitionName("a/b", 1, 2)))).containsExactly("a/b");
        }
    }

    @Test
    void readersSeeWholeFramesWhileOneAppends() throws Exception {
        try (SegmentStore store = open(directory)) {
            PartitionLog log = store.open(P);
            int frames = 2000;
            Thread writer = new Thread(() -> {
                for (int i = 0; i < frames; i++) {
                    log.append(rows(1, i), bytes("frame " + i));
                }
            });
            writer.start();
            long next = 0;
            while (next < frames) {
                long end = log.end();
                long[] expected = {next};
                log.read(next, end, (header, body, length) -> {
                    assertThat(header.frame()).isEqualTo(expected[0]++);
                    assertThat(header.rows()).isEqualTo((int) header.frame());
                });
                next = end;
                Thread.onSpinWait();
            }
            writer.join();
            assertThat(bodies(log)).hasSize(frames);
        }
    }

    @Test
    void anyHistoryEqualsItsModel() {
        for (long seed = 0; seed < histories(); seed++) {
            history(seed, directory.resolve("history" + seed));
        }
    }

    private void history(long seed, Path where) {
        Random random = new Random(seed);
        Map<Long, String> model = new TreeMap<>();
        long end = 0;
        long epoch = 1;
        SegmentStore store = open(where);
        PartitionLog log = store.open(P);
        for (int step = 0; step < 120; step++) {
            switch (random.nextInt(12)) {
                case 0 -> {
                    store.close();
                    store = open(where);
                    log = store.open(P);
                }
                case 1 -> log.sync();
                case 2 -> epoch += random.nextInt(2);
                case 3 -> {
                    long start = log.removeBefore(random.nextInt((int) end + 1));
                    model.keySet().removeIf(f -> f < start);
                }
                case 4 -> {
                    if (random.nextInt(4) == 0) {
                        end = log.start() + random.nextInt((int) (log.end() - log.start()) + 1);
                        log.truncate(end);
                        long cut = end;
                        model.keySet().removeIf(f -> f >= cut);
                    }
                }
                default -> {
                    String body = "x".repeat(random.nextInt(random.nextInt(10) == 0 ? 3000 : 40));
                    assertThat(log.append(rows(epoch, 1), bytes(body)))
                            .as("seed %d", seed)
                            .isEqualTo(end);
                    model.put(end++, body);
                }
            }
            assertThat(log.end()).as("seed %d step %d", seed, step).isEqualTo(end);
        }
        assertThat(log.start()).isEqualTo(end - model.size());
        assertThat(bodies(log)).as("seed %d", seed).containsExactlyElementsOf(model.values());
        store.close();
    }
}

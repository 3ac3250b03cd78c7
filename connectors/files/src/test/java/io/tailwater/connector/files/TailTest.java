package io.tailwater.connector.files;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Files that are followed as they grow, and directories as files come. */
class TailTest {
    private static final Schema AB = Schema.of(new Column("a", DataType.BIGINT), new Column("b", DataType.VARCHAR));

    @TempDir
    private Path directory;

    private final ManualClock clock = new ManualClock();
    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    @Test
    void aHalfWrittenLineWaitsForItsEnd() throws Exception {
        Path file = write("t.csv", "a,b\n1,x\n2,y");
        CatalogObject.Stream stream = tailed(file, Map.of());
        try (SplitReader reader = open(stream, onlySplit(stream))) {
            Follower follower = new Follower(reader);
            follower.readAll();
            assertThat(follower.rows).containsExactly(row(1L, "x"));
            append(file, "z\n\"3\",\"half\n");
            follower.readAll();
            assertThat(follower.rows).containsExactly(row(1L, "x"), row(2L, "yz"));
            append(file, "a quote\"\n");
            follower.readAll();
            assertThat(follower.rows).containsExactly(row(1L, "x"), row(2L, "yz"), row(3L, "half\na quote"));
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void aRenamedFileIsReadOnAndItsSuccessorIsANewSplit() throws Exception {
        Path file = write("log.json", "{\"a\":1,\"b\":\"x\"}\n");
        CatalogObject.Stream stream = tailed(file, Map.of());
        String split = onlySplit(stream);
        List<List<@Nullable Object>> rows;
        try (SplitReader reader = open(stream, split)) {
            Follower follower = new Follower(reader);
            follower.readAll();
            Path rotated = directory.resolve("log.json.1");
            Files.move(file, rotated);
            append(rotated, "{\"a\":2,\"b\":\"late\"}\n");
            write("log.json", "{\"a\":3,\"b\":\"new\"}\n");
            follower.readAll();
            rows = follower.rows;
            assertThat(rows).containsExactly(row(1L, "x"), row(2L, "late"));
        }
        List<String> more = Reading.CONNECTOR.newSplits(stream, List.of(split));
        assertThat(more).hasSize(1);
        assertThat(Reading.CONNECTOR.newSplits(stream, List.of(split, more.get(0))))
                .isEmpty();
        // After a restart the old one is found by its inode, under its new name.
        try (SplitReader again = open(stream, split)) {
            assertThat(Reading.range(again, 0, Files.size(directory.resolve("log.json.1"))))
                    .isEqualTo(rows);
        }
        try (SplitReader next = open(stream, more.get(0))) {
            Follower follower = new Follower(next);
            follower.readAll();
            assertThat(follower.rows).containsExactly(row(3L, "new"));
        }
    }

    @Test
    void anyRangeReadAgainHasTheSameRowsHoweverTheFileGrew() throws Exception {
        Random random = new Random(42);
        Path file = write("t.csv", "a,b\n0,start\n");
        CatalogObject.Stream stream = tailed(file, Map.of("on_error", "skip"));
        String split = onlySplit(stream);
        List<long[]> ranges = new ArrayList<>();
        List<List<List<@Nullable Object>>> parts = new ArrayList<>();
        List<SplitReader.Malformed> bad = new ArrayList<>();
        StringBuilder rest = new StringBuilder();
        for (int i = 1; i < 3000; i++) {
            rest.append(i % 50 == 7 ? "oops\n" : i % 30 == 4 ? i + ",\"two\nlines\"\n" : i + ",v" + i + "\n");
        }
        int at = 0;
        long position = 0;
        try (SplitReader reader = open(stream, split)) {
            while (at < rest.length()) {
                int next = Math.min(rest.length(), at + 1 + random.nextInt(2000));
                append(file, rest.substring(at, next));
                at = next;
                clock.nanos += Growth.CHECK_NANOS;
                SplitReader.Ready ready = settled(reader, position, 1 + random.nextInt(300));
                while (ready.to() > position) {
                    List<List<@Nullable Object>> rows = new ArrayList<>();
                    reader.read(position, ready.to(), batch -> Reading.drain(batch, rows), bad::add);
                    ranges.add(new long[] {position, ready.to()});
                    parts.add(rows);
                    position = ready.to();
                    ready = settled(reader, position, 1 + random.nextInt(300));
                }
            }
        }
        assertThat(position).isEqualTo(Files.size(file));
        assertThat(parts.stream().mapToInt(List::size).sum() + bad.size()).isEqualTo(3000);
        assertThat(bad).hasSize(60).allSatisfy(record -> {
            assertThat(new String(record.raw(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("oops");
            assertThat(record.source()).isEqualTo(file.toString());
        });
        List<SplitReader.Malformed> badAgain = new ArrayList<>();
        try (SplitReader again = open(stream, split)) {
            for (int i = 0; i < ranges.size(); i++) {
                List<List<@Nullable Object>> rows = new ArrayList<>();
                again.read(ranges.get(i)[0], ranges.get(i)[1], batch -> Reading.drain(batch, rows), badAgain::add);
                assertThat(rows).isEqualTo(parts.get(i));
            }
        }
        assertThat(badAgain.stream().map(SplitReader.Malformed::position))
                .isEqualTo(bad.stream().map(SplitReader.Malformed::position).toList());
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void aTruncationOrAChangeInPlaceFailsTheReader() throws Exception {
        Path file = write("t.csv", "a,b\n1,x\n2,y\n");
        CatalogObject.Stream stream = tailed(file, Map.of());
        try (SplitReader reader = open(stream, onlySplit(stream))) {
            Follower follower = new Follower(reader);
            follower.readAll();
            Files.writeString(file, "a,b\n");
            clock.nanos += Growth.CHECK_NANOS;
            assertFails(() -> reader.ready(follower.at, 10), "it had 12 bytes and has 4 now");
            Files.writeString(file, "b,a\nx,1\ny,2\nz,3\n");
            clock.nanos += Growth.CHECK_NANOS;
            assertFails(() -> reader.ready(follower.at, 10), "its beginning differs");
        }
    }

    @Test
    void aFileThatWasReadAndIsGoneFailsReplayButNotAReaderThatIsPastIt() throws Exception {
        Path file = write("t.csv", "a,b\n1,x\n");
        CatalogObject.Stream stream = tailed(directory, Map.of("format", "csv"));
        String split = onlySplit(stream);
        Files.delete(file);
        try (SplitReader reader = open(stream, split)) {
            assertFails(() -> Reading.range(reader, 0, 8), "is gone");
            SplitReader.Ready ready = reader.ready(8, 10);
            assertThat(ready.finished()).isTrue();
            assertThat(ready.to()).isEqualTo(8);
        }
    }

    @Test
    void filesThatComeToADirectoryAreNewSplitsOnceTheyHaveALine() throws Exception {
        CatalogObject.Stream stream = tailed(directory.resolve("*.csv"), Map.of());
        assertThat(Reading.CONNECTOR.splits(stream, 4)).isEmpty();
        write("b.csv", "a,b\n1,x\n");
        write(".hidden.csv", "a,b\n9,x\n");
        write("a.txt", "a,b\n9,x\n");
        write("c.csv", "a,b");
        List<String> first = Reading.CONNECTOR.newSplits(stream, List.of());
        assertThat(first).hasSize(1).allMatch(split -> split.endsWith("b.csv"));
        append(directory.resolve("c.csv"), "\n");
        assertThat(Reading.CONNECTOR.newSplits(stream, first)).hasSize(1).allMatch(split -> split.endsWith("c.csv"));
    }

    @Test
    void arrivalNumbersAreUniqueAndDoNotDependOnTheCut() throws Exception {
        Path file = write("t.csv", "a,b\n1,x\nbad\n2,y\n3,z\n");
        CatalogObject.Stream stream = Reading.stream(file, AB, Map.of("on_error", "skip"));
        ReadContext context = new ReadContext(
                List.of(1, PlanNode.Scan.ARRIVAL), -1, ReadContext.arrivalBase(3), memory, Clock.SYSTEM);
        List<List<@Nullable Object>> whole;
        try (SplitReader reader = Reading.CONNECTOR.open(stream, Reading.split(stream), context)) {
            SplitReader.Ready ready = Reading.await(reader, 0, 100);
            whole = Reading.range(reader, 0, ready.to());
        }
        long base = 3L << 48;
        assertThat(whole).containsExactly(row("x", base + 8), row("y", base + 16), row("z", base + 20));
        try (SplitReader reader = Reading.CONNECTOR.open(stream, Reading.split(stream), context)) {
            SplitReader.Ready ready = Reading.await(reader, 0, 1);
            List<List<@Nullable Object>> parts = new ArrayList<>(Reading.range(reader, 0, ready.to()));
            parts.addAll(Reading.range(reader, ready.to(), 20));
            assertThat(parts).isEqualTo(whole);
        }
    }

    private static void assertFails(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StreamException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE))
                .hasMessageContaining(message);
    }

    private CatalogObject.Stream tailed(Path path, Map<String, String> options) {
        Map<String, String> with = new java.util.TreeMap<>(options);
        with.put("tail", "true");
        return Reading.stream(path, AB, with);
    }

    private static String onlySplit(CatalogObject.Stream stream) {
        List<String> splits = Reading.CONNECTOR.splits(stream, 4);
        assertThat(splits).hasSize(1);
        return splits.get(0);
    }

    private SplitReader open(CatalogObject.Stream stream, String split) {
        return Reading.CONNECTOR.open(stream, split, new ReadContext(List.of(0, 1), -1, memory, clock));
    }

    /** What is there from a position on, once the side thread has read all there is or enough. */
    private static SplitReader.Ready settled(SplitReader reader, long from, long maxRows) {
        java.util.concurrent.Semaphore woken = new java.util.concurrent.Semaphore(0);
        reader.onReady(woken::release);
        for (int i = 0; i < 2000; i++) {
            SplitReader.Ready ready = reader.ready(from, maxRows);
            if (ready.to() > from || reader.nextPollNanos() == Growth.CHECK_NANOS) {
                return ready;
            }
            try {
                woken.tryAcquire(10, java.util.concurrent.TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("nothing more and no end");
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return java.util.Arrays.asList(values);
    }

    private final class Follower {
        private final SplitReader reader;
        private final List<List<@Nullable Object>> rows = new ArrayList<>();
        private long at;

        Follower(SplitReader reader) {
            this.reader = reader;
        }

        void readAll() {
            clock.nanos += Growth.CHECK_NANOS;
            SplitReader.Ready ready = settled(reader, at, 1000);
            while (ready.to() > at) {
                assertThat(ready.finished()).isFalse();
                rows.addAll(Reading.range(reader, at, ready.to()));
                at = ready.to();
                ready = settled(reader, at, 1000);
            }
        }
    }

    private static final class ManualClock implements Clock {
        private long nanos;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long wallMicros() {
            return nanos / 1000;
        }
    }
}

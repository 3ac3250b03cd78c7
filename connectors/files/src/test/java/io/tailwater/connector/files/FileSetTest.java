package io.tailwater.connector.files;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Several files read as one stream. */
class FileSetTest {
    private static final Schema A = Schema.of(new Column("a", DataType.BIGINT));

    @TempDir
    private Path directory;

    @Test
    void theFilesOfADirectoryOrPatternAreReadEachOnceInAnyCutAndAgain() throws Exception {
        Random random = new Random(7);
        List<Long> expected = new ArrayList<>();
        long next = 0;
        for (int file = 0; file < 23; file++) {
            StringBuilder text = new StringBuilder(file % 5 == 3 ? "" : "a\n");
            for (int i = 0; file % 5 < 3 && i < 1 + file * 100; i++) {
                text.append(next).append('\n');
                expected.add(next++);
            }
            Files.writeString(directory.resolve("f%02d.csv".formatted(file)), text);
        }
        Files.writeString(directory.resolve("_f.csv"), "a\n-1\n");
        Files.createDirectory(directory.resolve("g.csv"));
        for (Path path : List.of(directory, directory.resolve("f*.csv"), directory.resolve("**.csv"))) {
            CatalogObject.Stream stream = Reading.stream(path, A, Map.of("format", "csv"));
            for (int parallelism : new int[] {1, 3, 100}) {
                List<String> splits = Reading.CONNECTOR.splits(stream, parallelism);
                assertThat(splits).hasSize(Math.min(parallelism, 23));
                List<Long> all = new ArrayList<>();
                for (String split : splits) {
                    all.addAll(read(stream, split, random));
                }
                assertThat(all).containsExactlyInAnyOrderElementsOf(expected);
            }
        }
    }

    private static List<Long> read(CatalogObject.Stream stream, String split, Random random) {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        List<Long> out = new ArrayList<>();
        ReadContext context = new ReadContext(List.of(0), -1, memory, Clock.SYSTEM);
        try (SplitReader reader = Reading.CONNECTOR.open(stream, split, context);
                SplitReader replay = Reading.CONNECTOR.open(stream, split, context)) {
            long at = 0;
            SplitReader.Ready ready;
            do {
                ready = Reading.await(reader, at, 1 + random.nextInt(5000));
                List<List<@Nullable Object>> rows = Reading.range(reader, at, ready.to());
                assertThat(rows).hasSize((int) ready.rows());
                assertThat(Reading.range(replay, at, ready.to())).isEqualTo(rows);
                rows.forEach(row -> out.add((Long) row.get(0)));
                at = ready.to();
            } while (!ready.finished());
        }
        assertThat(memory.usedBytes()).isZero();
        return out;
    }

    @Test
    void aFileThatChangedFailsWhenItsTurnComes() throws Exception {
        Files.writeString(directory.resolve("a.csv"), "a\n1\n");
        Path second = Files.writeString(directory.resolve("b.csv"), "a\n2\n");
        CatalogObject.Stream stream = Reading.stream(directory, A, Map.of("format", "csv"));
        String split = Reading.split(stream, 1);
        Files.writeString(second, "a\n3\n4\n");
        Files.writeString(second, "a\n3\n");
        assertThatThrownBy(() -> read(stream, split, new Random(1)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("b.csv")
                .hasMessageContaining("has changed");
    }

    @Test
    void aPatternWithoutFilesSaysSo() {
        CatalogObject.Stream stream = Reading.stream(directory.resolve("x*.csv"), A, Map.of());
        assertThatThrownBy(() -> Reading.CONNECTOR.splits(stream, 2))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("no file matches");
    }

    @Test
    void aDirectoryNeedsAFormat() {
        assertThatThrownBy(() -> Reading.stream(directory, A, Map.of()))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("cannot tell the format");
    }
}

package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** DuckDB reads what the sink has written. */
class ParquetSinkTest {
    private static final Schema EVERY = Schema.of(
            new Column("id", DataType.BIGINT.notNull()),
            new Column("b", DataType.BOOLEAN),
            new Column("t", DataType.TINYINT),
            new Column("i", DataType.INTEGER),
            new Column("r", DataType.REAL),
            new Column("d", DataType.DOUBLE),
            new Column("v", DataType.VARCHAR),
            new Column("dt", DataType.DATE),
            new Column("ts", DataType.timestamp(3)),
            new Column("tu", DataType.timestamp(6)),
            new Column("d9", DataType.decimal(9, 2)),
            new Column("d38", new DataType(TypeKind.DECIMAL, 38, 4, true)));
    private static final Schema ID = Schema.of(new Column("id", DataType.BIGINT.notNull()));

    @TempDir
    private Path directory;

    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    @Test
    void everyTypeReadsAsItWasWritten() throws Exception {
        Path out = directory.resolve("out");
        CatalogObject.Stream stream = Reading.stream(out, EVERY, Map.of("format", "parquet", "roll_rows", "3000"));
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (long i = 0; i < 10_000; i++) {
            boolean isNull = i % 11 == 4;
            rows.add(Arrays.asList(
                    i,
                    isNull ? null : i % 2 == 0,
                    isNull ? null : i % 100,
                    isNull ? null : -i,
                    isNull ? null : i / 4f,
                    isNull ? null : i / 3d,
                    isNull ? null : i % 3 == 0 ? "" : "value number " + i,
                    isNull ? null : i,
                    isNull ? null : i * 1000,
                    isNull ? null : -i * 1_000_001,
                    isNull ? null : BigDecimal.valueOf(i - 500, 2),
                    isNull ? null : new BigDecimal(BigInteger.valueOf(i - 500).pow(9), 4)));
        }
        try (SinkWriter writer = Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, -1, memory))) {
            for (int tick = 0; tick < 10; tick++) {
                write(writer, EVERY, rows.subList(tick * 1000, tick * 1000 + 1000));
                writer.endTick(tick);
                writer.committed(tick);
            }
            assertThat(visible(out)).hasSize(3);
            writer.complete();
            assertThat(visible(out)).hasSize(4);
        }
        assertThat(DuckDb.rows("SELECT * FROM '" + out + "/*.parquet' ORDER BY id", EVERY))
                .isEqualTo(rows);
        CatalogObject.Stream again = Reading.stream(out, EVERY, Map.of("format", "parquet"));
        assertThat(Reading.rows(again, List.of(0, 6, 11)).stream()
                        .sorted(java.util.Comparator.comparing(r -> (Long) r.get(0)))
                        .toList())
                .isEqualTo(rows.stream()
                        .map(r -> Arrays.asList(r.get(0), r.get(6), r.get(11)))
                        .toList());
        assertThat(memory.usedBytes()).isZero();
    }

    /** A tick is in the files once, wherever the process dies: the picture of the directory at that moment is gone on with. */
    @Test
    void eachRowIsThereOnceAfterKillsAtAnyMoment() throws Exception {
        Random random = new Random(11);
        for (int trial = 0; trial < 25; trial++) {
            Path out = directory.resolve("t" + trial);
            long committed = -1;
            long next = 0;
            long end = 0;
            for (int life = 0; life < 5; life++) {
                CatalogObject.Stream stream = Reading.stream(
                        out, ID, Map.of("format", "parquet", "roll_rows", "" + (1 + random.nextInt(60))));
                Path picture = directory.resolve("t" + trial + "-" + life);
                try (SinkWriter writer =
                        Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, committed, memory))) {
                    int ticks = random.nextInt(12);
                    for (int tick = 0; tick < ticks; tick++) {
                        int count = random.nextInt(40);
                        write(writer, ID, ids(next, next + count));
                        committed = writer.endTick(tick);
                        if (tick < ticks - 1 || random.nextInt(4) > 0) {
                            writer.committed(tick);
                        }
                        next += count;
                    }
                    if (random.nextBoolean()) {
                        // A tick that is not committed, perhaps ended, perhaps even in a file: it will run again.
                        write(writer, ID, ids(next, next + 30));
                        if (random.nextBoolean()) {
                            writer.endTick(99);
                        }
                    }
                    copy(out, picture);
                }
                // No file has a row that is not committed, none has one twice.
                List<List<@Nullable Object>> seen = visible(picture).isEmpty()
                        ? List.of()
                        : DuckDb.rows("SELECT id FROM '" + picture + "/*.parquet' ORDER BY id", ID);
                assertThat(seen).as("trial " + trial).isEqualTo(ids(0, seen.size()));
                assertThat((long) seen.size()).isLessThanOrEqualTo(next);
                out = picture;
                end = next;
            }
            CatalogObject.Stream stream = Reading.stream(out, ID, Map.of("format", "parquet"));
            Reading.CONNECTOR
                    .write(stream, new Connector.WriteContext(0, 1, committed, memory))
                    .close();
            List<List<@Nullable Object>> found = visible(out).isEmpty()
                    ? List.of()
                    : DuckDb.rows("SELECT id FROM '" + out + "/*.parquet' ORDER BY id", ID);
            assertThat(found).as("trial " + trial).isEqualTo(ids(0, end));
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void aNewJobStartsAnewAndAnotherOneIsKeptOut() throws Exception {
        Path out = directory.resolve("out");
        CatalogObject.Stream stream = Reading.stream(out, ID, Map.of("format", "parquet"));
        try (SinkWriter writer = Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, -1, memory))) {
            write(writer, ID, ids(0, 5));
            writer.endTick(1);
            writer.committed(1);
            assertThatThrownBy(() -> Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, -1, memory)))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("being written by another job");
        }
        assertThat(visible(out)).hasSize(1);
        Files.writeString(out.resolve("mine.txt"), "stays");
        Reading.CONNECTOR
                .write(stream, new Connector.WriteContext(0, 1, -1, memory))
                .close();
        assertThat(visible(out)).isEmpty();
        assertThat(out.resolve("mine.txt")).exists();
    }

    private static List<List<@Nullable Object>> ids(long from, long to) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (long i = from; i < to; i++) {
            out.add(Arrays.asList((Object) i));
        }
        return out;
    }

    private void write(SinkWriter writer, Schema schema, List<List<@Nullable Object>> rows) {
        try (BatchBuilder out = new BatchBuilder(schema, rows.size(), false, memory)) {
            for (int row = 0; row < rows.size(); row++) {
                for (int column = 0; column < schema.size(); column++) {
                    Values.set(out, column, row, rows.get(row).get(column));
                }
            }
            try (ColumnBatch batch = out.finish(rows.size())) {
                writer.write(batch);
            }
        }
    }

    private static List<Path> visible(Path directory) throws IOException {
        return Files.exists(directory) ? new FileSet(directory.resolve("*.parquet")).files() : List.of();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }
}

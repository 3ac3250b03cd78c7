package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.testing.ZSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FileSinkTest {
    private static final Schema AB = Schema.of(new Column("a", DataType.BIGINT), new Column("b", DataType.VARCHAR));
    private static final Schema EVERY_TYPE = Schema.of(
            new Column("boolean", DataType.BOOLEAN),
            new Column("tinyint", DataType.TINYINT),
            new Column("smallint", DataType.SMALLINT),
            new Column("integer", DataType.INTEGER),
            new Column("bigint", DataType.BIGINT),
            new Column("decimal", DataType.decimal(38, 3)),
            new Column("real", DataType.REAL),
            new Column("double", DataType.DOUBLE),
            new Column("a \"text\"", DataType.VARCHAR),
            new Column("date", DataType.DATE),
            new Column("time", DataType.TIME),
            new Column("timestamp", DataType.timestamp(3)),
            new Column("instant", DataType.TIMESTAMP_LTZ));

    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    @TempDir
    private Path directory;

    @Test
    void rowsBecomeLines() throws Exception {
        Path csv = directory.resolve("t.csv");
        Path json = directory.resolve("t.jsonl");
        for (Path path : List.of(csv, json)) {
            CatalogObject.Stream stream = Reading.stream(path, EVERY_TYPE, Map.of());
            write(
                    stream,
                    -1,
                    row(
                            true,
                            -1L,
                            2L,
                            -3L,
                            Long.MIN_VALUE,
                            new BigDecimal("-0.500"),
                            1.5f,
                            Double.NaN,
                            "say \"a,b\"\n\u0001é",
                            11_324L,
                            3_723_000_004L,
                            -1_000L,
                            978_307_200_123_456L),
                    row(null, null, null, null, null, null, null, null, "", null, null, null, null));
        }
        assertThat(Files.readString(csv))
                .isEqualTo("boolean,tinyint,smallint,integer,bigint,decimal,real,double,\"a \"\"text\"\"\",date,time,"
                        + "timestamp,instant\n"
                        + "true,-1,2,-3,-9223372036854775808,-0.500,1.5,NaN,\"say \"\"a,b\"\"\n\u0001é\",2001-01-02,"
                        + "01:02:03.000004,1969-12-31 23:59:59.999,2001-01-01 00:00:00.123456Z\n"
                        + ",,,,,,,,\"\",,,,\n");
        assertThat(Files.readString(json))
                .isEqualTo("{\"boolean\":true,\"tinyint\":-1,\"smallint\":2,\"integer\":-3,"
                        + "\"bigint\":-9223372036854775808,\"decimal\":-0.500,\"real\":1.5,\"double\":\"NaN\","
                        + "\"a \\\"text\\\"\":\"say \\\"a,b\\\"\\n\\u0001é\",\"date\":\"2001-01-02\","
                        + "\"time\":\"01:02:03.000004\",\"timestamp\":\"1969-12-31 23:59:59.999\","
                        + "\"instant\":\"2001-01-01 00:00:00.123456Z\"}\n"
                        + "{\"boolean\":null,\"tinyint\":null,\"smallint\":null,\"integer\":null,\"bigint\":null,"
                        + "\"decimal\":null,\"real\":null,\"double\":null,\"a \\\"text\\\"\":\"\",\"date\":null,"
                        + "\"time\":null,\"timestamp\":null,\"instant\":null}\n");
    }

    @Property(tries = 150)
    void whatIsWrittenIsReadAgain(@ForAll("rows") List<List<@Nullable Object>> rows) throws Exception {
        Path folder = Files.createTempDirectory("sink");
        for (String name : List.of("t.csv", "t.jsonl")) {
            Path path = folder.resolve(name);
            CatalogObject.Stream stream = Reading.stream(
                    path,
                    EVERY_TYPE,
                    name.endsWith("csv") ? Map.of("delimiter", ";", "null", "NA") : Map.<String, String>of());
            write(stream, -1, rows);
            assertThat(Reading.rows(stream)).isEqualTo(rows);
            Files.delete(path);
        }
        Files.delete(folder);
        assertThat(memory.usedBytes()).isZero();
    }

    @Property(tries = 60)
    void duckDbReadsTheSameText(@ForAll("texts") List<List<@Nullable Object>> rows) throws Exception {
        Schema schema = Schema.of(new Column("a", DataType.VARCHAR), new Column("b", DataType.VARCHAR));
        Path path = Files.createTempFile("sink", ".csv");
        write(Reading.stream(path, schema, Map.of()), -1, rows);
        assertThat(DuckDb.rows(
                        "SELECT * FROM read_csv('" + path
                                + "', header = true, all_varchar = true, delim = ',', quote = '\"',"
                                + " escape = '\"', nullstr = '', allow_quoted_nulls = false, new_line = '\\n',"
                                + " columns = {'a': 'VARCHAR', 'b': 'VARCHAR'}, auto_detect = false)",
                        schema))
                .isEqualTo(rows);
        Files.delete(path);
    }

    @Provide
    Arbitrary<List<List<@Nullable Object>>> rows() {
        Arbitrary<List<@Nullable Object>> row = Arbitraries.randomValue(random -> {
            List<@Nullable Object> values = new ArrayList<>();
            values.add(random.nextBoolean());
            values.add((long) (byte) random.nextInt());
            values.add((long) (short) random.nextInt());
            values.add((long) random.nextInt());
            values.add(random.nextLong());
            values.add(new BigDecimal(new java.math.BigInteger(random.nextInt(122), random), 3));
            values.add(Float.intBitsToFloat(random.nextInt()));
            values.add(Double.longBitsToDouble(random.nextLong()));
            values.add(text(random));
            values.add((long) random.nextInt(60_000) - 30_000);
            values.add(random.nextInt(86_400) * 1_000_000L + random.nextInt(1_000_000));
            values.add((random.nextLong() >> 12) / 1000 * 1000);
            values.add(random.nextLong() >> 12);
            for (int i = 0; i < values.size(); i++) {
                if (random.nextInt(6) == 0) {
                    values.set(i, null);
                }
            }
            return values;
        });
        return row.list().ofMaxSize(20);
    }

    @Provide
    Arbitrary<List<List<@Nullable Object>>> texts() {
        Arbitrary<List<@Nullable Object>> row = Arbitraries.randomValue(
                random -> Arrays.asList(random.nextInt(4) == 0 ? null : text(random), text(random)));
        return row.list().ofMinSize(1).ofMaxSize(10);
    }

    private static String text(java.util.Random random) {
        List<String> parts = List.of("a", "\"", ",", ";", "\n", " ", "é", "NA", "\\", "𝄞");
        StringBuilder out = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            out.append(parts.get(random.nextInt(parts.size())));
        }
        return out.toString();
    }

    @Test
    void whatWasNotCommittedIsCutOffWhenTheWriterComesBack() throws Exception {
        for (String name : List.of("t.csv", "t.jsonl")) {
            Path path = directory.resolve(name);
            CatalogObject.Stream stream = Reading.stream(path, AB, Map.of());
            Files.writeString(path, "what was there before the job\n");
            // A crash before the first commit: there is no position.
            write(stream, -1, row(0L, "lost"));
            long first = write(stream, -1, row(1L, "x"));
            long second = write(stream, first, row(2L, "y"), row(3L, "z"));
            assertThat(second).isEqualTo(Files.size(path));
            write(stream, second, row(4L, "lost"));
            write(stream, second, row(4L, "w"));
            assertThat(Reading.rows(stream)).containsExactly(row(1L, "x"), row(2L, "y"), row(3L, "z"), row(4L, "w"));
        }
    }

    @Test
    void rowsAreSeenAfterTheirCommitOnly() throws Exception {
        Path path = directory.resolve("t.csv");
        CatalogObject.Stream stream = Reading.stream(path, AB, Map.of());
        long committed = write(stream, -1, row(1L, "x"));
        try (SinkWriter writer = Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, committed, memory));
                ColumnBatch batch = batch(List.of(row(2L, "y".repeat(100_000))))) {
            writer.write(batch);
            long position = writer.endTick(2);
            assertThat(Files.size(path)).isEqualTo(committed);
            writer.committed(2);
            assertThat(Files.size(path)).isEqualTo(position);
            writer.write(batch);
            assertThat(Files.size(path)).isEqualTo(position);
        }
        try (java.util.stream.Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("t.csv", ".t.csv.inprogress");
        }
        assertThat(new FileSet(directory).files()).containsExactly(path);
        assertThat(write(stream, committed)).isEqualTo(committed);
        assertThat(Files.size(path)).isEqualTo(committed);
        assertThat(new FileSet(directory).files()).containsExactly(path);
    }

    /** The directory as it is at any moment is gone on with, torn copies included. What readers see there is committed. */
    @Test
    void eachRowIsThereOnceAfterKillsAtAnyMoment() throws Exception {
        java.util.Random random = new java.util.Random(7);
        for (int trial = 0; trial < 60; trial++) {
            Path folder = Files.createDirectories(directory.resolve("k" + trial));
            long committed = -1;
            long next = 0;
            for (int life = 0; life < 6; life++) {
                Path path = folder.resolve("t.csv");
                CatalogObject.Stream stream = Reading.stream(path, AB, Map.of());
                Path picture = Files.createDirectories(directory.resolve("k" + trial + "-" + life));
                try (SinkWriter writer =
                        Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, committed, memory))) {
                    for (int tick = random.nextInt(4); tick >= 0; tick--) {
                        int count = random.nextInt(30);
                        try (ColumnBatch batch = batch(rows(next, next + count))) {
                            writer.write(batch);
                        }
                        long position = writer.endTick(tick);
                        if (tick > 0) {
                            writer.committed(tick);
                            committed = position;
                            next += count;
                        } else if (random.nextBoolean()) {
                            // COMMIT is logged; the process dies before, in the middle of or after the copying.
                            long before = Files.size(path);
                            committed = position;
                            next += count;
                            if (random.nextBoolean()) {
                                copy(folder, picture);
                                byte[] rows = Files.readAllBytes(folder.resolve(".t.csv.inprogress"));
                                int part = random.nextInt((int) (position - before) + 1);
                                Files.write(
                                        picture.resolve("t.csv"),
                                        Arrays.copyOfRange(rows, 8, 8 + part),
                                        java.nio.file.StandardOpenOption.APPEND);
                                break;
                            }
                            writer.committed(0);
                        }
                        if (tick == 0) {
                            copy(folder, picture);
                            boolean empty = Files.size(picture.resolve("t.csv")) == 0;
                            assertThat(
                                            empty
                                                    ? List.of()
                                                    : Reading.rows(
                                                            Reading.stream(picture.resolve("t.csv"), AB, Map.of())))
                                    .isEqualTo(rows(0, next));
                        }
                    }
                }
                folder = picture;
            }
            CatalogObject.Stream stream = Reading.stream(folder.resolve("t.csv"), AB, Map.of());
            write(stream, committed);
            assertThat(Reading.rows(stream)).as("trial " + trial).isEqualTo(rows(0, next));
        }
    }

    private static List<List<@Nullable Object>> rows(long from, long to) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (long i = from; i < to; i++) {
            out.add(row(i, "row " + i));
        }
        return out;
    }

    private static void copy(Path from, Path to) throws java.io.IOException {
        try (java.util.stream.Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    @Test
    void eachWorkerHasAFileOfItsOwn() throws Exception {
        CatalogObject.Stream stream = Reading.stream(directory.resolve("out.csv"), AB, Map.of());
        for (int worker = 0; worker < 3; worker++) {
            try (SinkWriter writer =
                            Reading.CONNECTOR.write(stream, new Connector.WriteContext(worker, 3, -1, memory));
                    ColumnBatch batch = batch(List.of(row((long) worker, "x")))) {
                writer.write(batch);
                writer.endTick(1);
                writer.committed(1);
            }
        }
        assertThat(Files.readString(directory.resolve("out.csv"))).isEqualTo("a,b\n0,x\n");
        assertThat(Files.readString(directory.resolve("out-1.csv"))).isEqualTo("a,b\n1,x\n");
        assertThat(Files.readString(directory.resolve("out-2.csv"))).isEqualTo("a,b\n2,x\n");
    }

    @Test
    void weightsRepeatRowsAndNegativeOnesAreRefused() throws Exception {
        CatalogObject.Stream stream = Reading.stream(directory.resolve("t.csv"), AB, Map.of("header", "false"));
        try (SinkWriter writer = Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, -1, memory));
                ColumnBatch twice = ZSet.batch(AB, memory, List.of(row(1L, "x")), new long[] {2});
                ColumnBatch back = ZSet.batch(AB, memory, List.of(row(1L, "x")), new long[] {-1})) {
            writer.write(twice);
            writer.endTick(1);
            writer.committed(1);
            assertThatThrownBy(() -> writer.write(back))
                    .isInstanceOfSatisfying(
                            StreamException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.APPEND_ONLY_VIOLATION));
        }
        assertThat(Files.readString(directory.resolve("t.csv"))).isEqualTo("1,x\n1,x\n");
        assertThat(Reading.CONNECTOR.acceptsUpdates(stream)).isFalse();
    }

    @Test
    void aFileThatLostCommittedBytesOrIsInUseIsRefused() throws Exception {
        Path path = directory.resolve("t.csv");
        CatalogObject.Stream stream = Reading.stream(path, AB, Map.of());
        long committed = write(stream, -1, row(1L, "x"));
        Files.writeString(path, "a,b\n");
        assertThatThrownBy(() -> write(stream, committed)).hasMessageContaining("was truncated");
        try (SinkWriter writer = Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, -1, memory))) {
            assertThatThrownBy(() -> write(stream, -1))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_IN_USE));
            assertThat(writer.endTick(1)).isEqualTo(4);
        }
    }

    @SafeVarargs
    private long write(CatalogObject.Stream stream, long resumeAt, List<@Nullable Object>... rows) {
        List<List<@Nullable Object>> all = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            all.add(row);
        }
        return write(stream, resumeAt, all);
    }

    private long write(CatalogObject.Stream stream, long resumeAt, List<List<@Nullable Object>> rows) {
        try (SinkWriter writer = Reading.CONNECTOR.write(stream, new Connector.WriteContext(0, 1, resumeAt, memory));
                ColumnBatch batch = ZSet.batch(stream.schema(), memory, rows, null)) {
            writer.write(batch);
            long position = writer.endTick(1);
            writer.committed(1);
            return position;
        }
    }

    private ColumnBatch batch(List<List<@Nullable Object>> rows) {
        return ZSet.batch(AB, memory, rows, null);
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}

package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CsvReadTest {
    private static final Schema AB = Schema.of(new Column("a", DataType.BIGINT), new Column("b", DataType.VARCHAR));

    @TempDir
    private Path directory;

    @Test
    void quotesLineBreaksAndNullsAreRead() throws Exception {
        Path file = file("t.csv", "b,A\r\n\"x, \"\"y\"\"\n\r\nz\",1\r\n,2\n\"\",3\n  q\"r , 4 \n\n\"é\",\n\"last\",-5");
        assertThat(Reading.rows(Reading.stream(file, AB, Map.of())))
                .containsExactly(
                        row(1L, "x, \"y\"\n\r\nz"),
                        row(2L, null),
                        row(3L, ""),
                        row(4L, "  q\"r "),
                        row(null, "é"),
                        row(-5L, "last"));
    }

    @Test
    void columnsAreTakenByPositionWithoutAHeader() throws Exception {
        Path file = file("t.csv", "1;x\n2;NA\n3;\"NA\"\n");
        assertThat(Reading.rows(Reading.stream(file, AB, Map.of("header", "false", "delimiter", ";", "null", "NA"))))
                .containsExactly(row(1L, "x"), row(2L, null), row(3L, "NA"));
    }

    @Test
    void aByteOrderMarkIsSkipped() throws Exception {
        assertThat(Reading.rows(Reading.stream(file("t.csv", "\uFEFFa,b\n1,x\n"), AB, Map.of())))
                .containsExactly(row(1L, "x"));
    }

    @Test
    void emptyFilesHaveNoRows() throws Exception {
        assertThat(Reading.rows(Reading.stream(file("t.csv", "a,b\n"), AB, Map.of())))
                .isEmpty();
        assertThat(Reading.rows(Reading.stream(file("u.csv", "a,b"), AB, Map.of())))
                .isEmpty();
        assertThat(Reading.rows(Reading.stream(file("v.csv", ""), AB, Map.of("header", "false"))))
                .isEmpty();
    }

    @Test
    void everyTypeIsParsed() throws Exception {
        Schema schema = Schema.of(
                new Column("boolean", DataType.BOOLEAN),
                new Column("tinyint", DataType.TINYINT),
                new Column("smallint", DataType.SMALLINT),
                new Column("integer", DataType.INTEGER),
                new Column("decimal", DataType.decimal(38, 2)),
                new Column("real", DataType.REAL),
                new Column("double", DataType.DOUBLE),
                new Column("binary", DataType.VARBINARY),
                new Column("date", DataType.DATE),
                new Column("time", DataType.TIME),
                new Column("timestamp", DataType.timestamp(3)),
                new Column("instant", DataType.TIMESTAMP_LTZ));
        Path file = file(
                "t.csv",
                "t,-128,32767,12.0,123456789012345678901234567890123456.785,1.5,-0.1,\\x00fF,2001/02/28,23:59:59.999999,"
                        + "2001-01-02T03:04,2001-01-02 03:04:05.123456789+02:30\n"
                        + "no,127,-32768,-2147483648,-.5,NaN,1e-400,\\x,1969-12-31,00:00,1969-12-31 23:59:59.9999Z,"
                        + "2001-1-2\n");
        assertThat(Reading.rows(Reading.stream(file, schema, Map.of("header", "false"))))
                .containsExactly(
                        row(
                                true,
                                -128L,
                                32767L,
                                12L,
                                new BigDecimal("123456789012345678901234567890123456.79"),
                                1.5f,
                                -0.1,
                                "00ff",
                                11381L,
                                86_399_999_999L,
                                978_404_640_000_000L,
                                978_395_645_123_456L),
                        row(
                                false,
                                127L,
                                -32768L,
                                -2147483648L,
                                new BigDecimal("-0.50"),
                                Float.NaN,
                                0.0,
                                "",
                                -1L,
                                0L,
                                -1_000L,
                                978_393_600_000_000L));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "BIGINT|9223372036854775808|out of range",
                "BIGINT|12x|invalid BIGINT: \"12x\"",
                "BIGINT|1.5|invalid BIGINT: \"1.5\"",
                "BIGINT|-|invalid BIGINT: \"-\"",
                "TINYINT|128|out of range",
                "DECIMAL|1000|out of range",
                "DECIMAL|1e999999999|out of range",
                "DECIMAL|999.995|out of range",
                "DOUBLE|0x1p3|invalid DOUBLE",
                "DOUBLE|1d|invalid DOUBLE",
                "DOUBLE|1e999|out of range",
                "BOOLEAN|maybe|invalid BOOLEAN",
                "DATE|2001-02-29|invalid DATE",
                "DATE|2001-02-28 00:00|invalid DATE",
                "TIMESTAMP|2001-02-28 24:00|invalid TIMESTAMP",
                "TIMESTAMP|yesterday|invalid TIMESTAMP(6): \"yesterday\"",
                "VARCHAR|toolong|value too long for VARCHAR(5): 7 characters",
                "VARBINARY|ff|invalid VARBINARY"
            })
    void aBadValueIsNamedWithFileLineAndColumn(String type, String value, String reason) throws Exception {
        DataType column = switch (type) {
            case "BIGINT" -> DataType.BIGINT;
            case "TINYINT" -> DataType.TINYINT;
            case "DECIMAL" -> DataType.decimal(5, 2);
            case "DOUBLE" -> DataType.DOUBLE;
            case "BOOLEAN" -> DataType.BOOLEAN;
            case "DATE" -> DataType.DATE;
            case "TIMESTAMP" -> DataType.TIMESTAMP;
            case "VARCHAR" -> DataType.varchar(5);
            case "VARBINARY" -> DataType.VARBINARY;
            default -> throw new AssertionError(type);
        };
        Schema schema = Schema.of(new Column("id", DataType.BIGINT), new Column("v", column));
        Path file = file("t.csv", "id,v\n1,\n2,\"" + value + "\"\n3,\n");
        CatalogObject.Stream stream = Reading.stream(file, schema, Map.of());
        assertThatThrownBy(() -> Reading.rows(stream)).isInstanceOfSatisfying(StreamException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_RECORD);
            assertThat(e)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("line 3, column \"v\"")
                    .hasMessageContaining(reason)
                    .hasMessageEndingWith("begins: 2,\"" + value + "\"");
        });
        CatalogObject.Stream skipping = Reading.stream(file, schema, Map.of("on_error", "skip"));
        assertThat(Reading.rows(skipping)).containsExactly(row(1L, null), row(3L, null));
    }

    @Test
    void recordsThatCannotBeSplitAreSkippedWithTheirLineAndCounted() throws Exception {
        Path file = file("t.csv", "a,b\n1,x\n2,\"open\n3,y\n4\n5,z,z\nsix,q\n7,\"p\"q\n8,ok\n9,\"never closed\n");
        CatalogObject.Stream stream = Reading.stream(file, AB, Map.of("on_error", "skip"));
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (SplitReader reader = Reading.open(stream, List.of(0), -1, memory)) {
            SplitReader.Ready ready = Reading.await(reader, 0, 100);
            assertThat(Reading.range(reader, 0, ready.to())).containsExactly(row(1L), row(3L), row(8L));
            assertThat(ready.finished()).isTrue();
            assertThat(reader.skipped()).isEqualTo(6);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void rowsBeforeABadRecordAreDeliveredAndThenItFails() throws Exception {
        CatalogObject.Stream stream = Reading.stream(file("t.csv", "a,b\n1,x\n2,y\nthree,z\n4,q\n"), AB, Map.of());
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (SplitReader reader = Reading.open(stream, List.of(0, 1), -1, memory)) {
            SplitReader.Ready ready = Reading.await(reader, 0, 100);
            assertThat(ready.rows()).isEqualTo(2);
            assertThat(ready.finished()).isFalse();
            assertThat(Reading.range(reader, 0, ready.to())).containsExactly(row(1L, "x"), row(2L, "y"));
            assertThatThrownBy(() -> Reading.await(reader, ready.to(), 100))
                    .hasMessageContaining("line 4, column \"a\"");
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void notNullColumnsRefuseNull() throws Exception {
        Schema schema = Schema.of(new Column("a", DataType.BIGINT.notNull()), new Column("b", DataType.VARCHAR));
        CatalogObject.Stream stream = Reading.stream(file("t.csv", "a,b\n,x\n"), schema, Map.of());
        assertThatThrownBy(() -> Reading.rows(stream)).hasMessageContaining("column \"a\": NULL or missing");
    }

    @Test
    void anyRangeOfAnyReaderHasTheSameRows() throws Exception {
        Random random = new Random(11);
        StringBuilder text = new StringBuilder("a,b,t\n");
        for (int i = 0; i < 9000; i++) {
            String b = random.nextInt(20) == 0 ? "\"line\n\"\"break\"\"\"" : "v".repeat(random.nextInt(40));
            text.append(random.nextInt(50) == 0 ? "bad" : Integer.toString(i))
                    .append(',')
                    .append(b)
                    .append(",2001-01-01 00:00:00.%06d\n".formatted(random.nextInt(1_000_000)));
        }
        Schema schema = Schema.of(
                new Column("a", DataType.BIGINT),
                new Column("b", DataType.VARCHAR),
                new Column("t", DataType.TIMESTAMP));
        CatalogObject.Stream stream =
                Reading.stream(file("t.csv", text.toString()), schema, Map.of("on_error", "skip"));
        List<List<@Nullable Object>> whole = Reading.rows(stream);
        assertThat(whole).hasSizeBetween(8500, 8950);
        MemoryAccount memory = MemoryAccount.unlimited("test");
        for (int trial = 0; trial < 10; trial++) {
            boolean time = trial % 2 == 0;
            List<Integer> columns = time ? List.of(0, 1) : List.of(0, 1, 2);
            try (SplitReader reader = Reading.open(stream, columns, 2, memory);
                    SplitReader replay = Reading.open(stream, List.of(0, 1, 2), -1, memory)) {
                long at = 0;
                List<List<@Nullable Object>> read = new ArrayList<>();
                boolean finished = false;
                while (!finished) {
                    SplitReader.Ready ready = Reading.await(reader, at, 1 + random.nextInt(5000));
                    if (random.nextInt(10) == 0) {
                        reader.ready(0, 10);
                        ready = Reading.await(reader, at, 1 + random.nextInt(5000));
                    }
                    List<List<@Nullable Object>> again = Reading.range(replay, at, ready.to());
                    assertThat(again).hasSize((int) ready.rows());
                    List<Long> times =
                            again.stream().map(row -> (Long) row.get(2)).toList();
                    assertThat(ready.minTime())
                            .isEqualTo(times.stream().min(Long::compare).orElseThrow());
                    assertThat(ready.maxTime())
                            .isEqualTo(times.stream().max(Long::compare).orElseThrow());
                    read.addAll(Reading.range(reader, at, ready.to()));
                    at = ready.to();
                    finished = ready.finished();
                }
                assertThat(read)
                        .isEqualTo(whole.stream()
                                .map(row -> row.subList(0, columns.size()))
                                .toList());
            }
            assertThat(memory.usedBytes()).isZero();
        }
    }

    @Test
    void rowsPerSecondHoldsTheReaderBackHoweverItIsAsked() throws Exception {
        StringBuilder text = new StringBuilder("a,b\n");
        for (int i = 0; i < 5000; i++) {
            text.append(i).append(",x\n");
        }
        CatalogObject.Stream stream =
                Reading.stream(file("t.csv", text.toString()), AB, Map.of("rows_per_second", "100"));
        MemoryAccount memory = MemoryAccount.unlimited("test");
        ManualClock clock = new ManualClock();
        try (SplitReader reader = Reading.CONNECTOR.open(
                stream, Reading.split(stream), new Connector.ReadContext(List.of(0), -1, memory, clock))) {
            SplitReader.Ready ready = Reading.await(reader, 0, 1000);
            assertThat(ready.rows()).isEqualTo(1);
            long at = 0;
            long rows = 0;
            for (int second = 0; second < 10; second++) {
                clock.nanos += 500_000_000;
                ready = reader.ready(at, 1000);
                rows += ready.rows();
                clock.nanos += 10_000_000;
                // As a worker does in a tick: in steps, from positions that were offered before.
                reader.ready(at, 20);
                reader.read(at, ready.to(), ColumnBatch::close);
                reader.ready(ready.to(), 7);
                at = ready.to();
            }
            assertThat(rows).isEqualTo(1 + 509);
        }
        assertThat(memory.usedBytes()).isZero();
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

    @Test
    void recordsLargerThanTheBufferAreRead() throws Exception {
        String large = "x".repeat(700_000);
        Path file = file("t.csv", "a,b\n1," + large + "\n2,\"" + large + "\n" + large + "\"\n3,y\n");
        assertThat(Reading.rows(Reading.stream(file, AB, Map.of())))
                .containsExactly(row(1L, large), row(2L, large + "\n" + large), row(3L, "y"));
    }

    @Test
    void aFileThatChangedIsNotReadAsIfItWereTheSame() throws Exception {
        Path file = file("t.csv", "a,b\n1,x\n2,y\n");
        CatalogObject.Stream stream = Reading.stream(file, AB, Map.of());
        String split = Reading.split(stream);
        MemoryAccount memory = MemoryAccount.unlimited("test");
        Files.writeString(file, "a,b\n1,x\n2,y\n3,z\n");
        try (SplitReader reader = open(stream, split, memory)) {
            SplitReader.Ready ready = Reading.await(reader, 0, 10);
            assertThat(ready.rows())
                    .as("what was appended is not part of the split")
                    .isEqualTo(2);
        }
        for (String changed : List.of("a,b\n1,x\n", "a,b\n9,x\n2,y\n3,z\n")) {
            Files.writeString(file, changed);
            assertThatThrownBy(() -> open(stream, split, memory).close())
                    .isInstanceOfSatisfying(
                            StreamException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE))
                    .hasMessageContaining("has changed since");
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void aFileThatIsTruncatedWhileReadFailsClearly() throws Exception {
        StringBuilder text = new StringBuilder("a,b\n");
        for (int i = 0; i < 100_000; i++) {
            text.append(i).append(",yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n");
        }
        Path file = file("t.csv", text.toString());
        CatalogObject.Stream stream = Reading.stream(file, AB, Map.of());
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (SplitReader reader = Reading.open(stream, List.of(0), -1, memory)) {
            Files.writeString(file, "a,b\n");
            assertThatThrownBy(() -> reader.read(0, 100_000, batch -> batch.close()))
                    .hasMessageContaining("was truncated while it was read");
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void definitionsThatDoNotFitAreRefused() throws Exception {
        Path file = file("t.csv", "a,c\n1,x\n");
        refused(ErrorCode.UNDEFINED_COLUMN, "no column \"b\"", file, AB, Map.of());
        refused(ErrorCode.INVALID_TABLE_DEFINITION, "needs a column list", file, Schema.of(), Map.of());
        refused(
                ErrorCode.INVALID_PARAMETER_VALUE,
                "read once",
                file,
                AB,
                Map.of("tail", "true", "rows_per_second", "5"));
        refused(ErrorCode.INVALID_PARAMETER_VALUE, "parquet only", file, AB, Map.of("roll_rows", "5"));
        refused(ErrorCode.UNDEFINED_FILE, "nor its directory", directory.resolve("no/t.csv"), AB, Map.of());
        refused(ErrorCode.INVALID_PARAMETER_VALUE, "format", directory.resolve("t.dat"), AB, Map.of());
        refused(ErrorCode.INVALID_PARAMETER_VALUE, "delimiter", file, AB, Map.of("delimiter", "ab"));
        refused(ErrorCode.INVALID_PARAMETER_VALUE, "header", file, AB, Map.of("format", "json", "header", "true"));
    }

    @Test
    void aMissingFileMayBeATargetButCannotBeRead() {
        CatalogObject.Stream stream = Reading.stream(directory.resolve("later.csv"), AB, Map.of());
        assertThatThrownBy(() -> Reading.split(stream))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNDEFINED_FILE));
    }

    @Test
    void relativePathsBecomeAbsolute() throws Exception {
        file("t.csv", "a,b\n");
        Map<String, String> options = Map.of("connector", "file", "path", "./t.csv");
        CatalogObject.Stream stream = Reading.CONNECTOR.resolve(
                new CatalogObject.Stream(
                        io.tailwater.api.catalog.ObjectName.inPublic("s"),
                        AB,
                        null,
                        List.of(),
                        1,
                        new java.util.TreeMap<>(options)),
                directory);
        assertThat(stream.options())
                .containsEntry("path", directory.resolve("t.csv").toString());
    }

    private void refused(ErrorCode code, String message, Path path, Schema schema, Map<String, String> options) {
        assertThatThrownBy(() -> Reading.stream(path, schema, options))
                .isInstanceOfSatisfying(StreamException.class, e -> {
                    assertThat(e).hasMessageContaining(message);
                    assertThat(e.code()).isEqualTo(code);
                });
    }

    private static SplitReader open(CatalogObject.Stream stream, String split, MemoryAccount memory) {
        return Reading.CONNECTOR.open(stream, split, new Connector.ReadContext(List.of(0), -1, memory, Clock.SYSTEM));
    }

    private Path file(String name, String text) throws IOException {
        return Files.write(directory.resolve(name), text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}

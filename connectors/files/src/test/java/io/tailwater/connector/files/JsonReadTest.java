package io.tailwater.connector.files;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

class JsonReadTest {
    @TempDir
    private Path directory;

    @Test
    void nestedFieldsArePaths() throws Exception {
        Schema schema = Schema.of(
                new Column("id", DataType.VARCHAR),
                new Column("properties.mag", DataType.DOUBLE),
                new Column("geometry.coordinates[0]", DataType.DOUBLE),
                new Column("geometry.coordinates[2]", DataType.decimal(9, 3)),
                new Column("geometry", DataType.VARCHAR),
                new Column("properties.time", DataType.timestamp(3)),
                new Column("rows[1].x", DataType.BIGINT));
        Path file = file(
                "t.jsonl",
                "{\"type\":\"F\",\"Properties\":{\"MAG\":2,\"time\":1517966773840,\"felt\":null},"
                        + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[-118.6671667, 34.4945,26.49]},\"id\":\"ci1\"}\n"
                        + "\n"
                        + "{\"id\":\"\\u00e9\\n\",\"geometry\":null,\"rows\":[{\"x\":1},{\"y\":0,\"x\":5.0}]}\r\n"
                        + "{\"geometry\":[1, {\"a\":2} ],\"properties\":\"none\",\"id\":12.50}");
        assertThat(Reading.rows(Reading.stream(file, schema, Map.of())))
                .containsExactly(
                        row(
                                "ci1",
                                2.0,
                                -118.6671667,
                                new BigDecimal("26.490"),
                                "{\"type\":\"Point\",\"coordinates\":[-118.6671667, 34.4945,26.49]}",
                                1_517_966_773_840_000L,
                                null),
                        row("é\n", null, null, null, null, null, 5L),
                        row("12.50", null, null, null, "[1, {\"a\":2} ]", null, null));
    }

    @Test
    void scalarsAreParsedAsTheColumnsType() throws Exception {
        Schema schema = Schema.of(
                new Column("a", DataType.BIGINT),
                new Column("b", DataType.BOOLEAN),
                new Column("c", DataType.DATE),
                new Column("d", DataType.VARCHAR),
                new Column("x.y", DataType.INTEGER));
        Path file = file("t.json", """
                {"a":"12","b":true,"c":"2001/01/02","d":false,"x.y":7}
                {"a":1e3,"b":"f","d":""}
                {"a":1,"a":null,"d":1,"d":"second"}
                """);
        assertThat(Reading.rows(Reading.stream(file, schema, Map.of())))
                .containsExactly(
                        row(12L, true, 11324L, "false", 7L),
                        row(1000L, false, null, "", null),
                        row(null, null, null, "second", null));
    }

    @Test
    void badRecordsFailWithLineAndReasonOrAreSkipped() throws Exception {
        Schema schema = Schema.of(new Column("a", DataType.BIGINT), new Column("b", DataType.VARCHAR));
        List<String> bad = List.of(
                "{\"a\":1",
                "[1]",
                "12",
                "{\"a\":1}{\"a\":2}",
                "{\"a\":{\"b\":1}}",
                "{\"a\":1.5}",
                "{\"a\":1e99}",
                "{\"a\":\"x\"}",
                "{a:1}",
                "{\"b\":\"\u0001\"}",
                "nonsense");
        StringBuilder all = new StringBuilder();
        for (String line : bad) {
            Path file = file("one.json", "{\"a\":0}\n" + line + "\n{\"a\":9}\n");
            CatalogObject.Stream stream = Reading.stream(file, schema, Map.of());
            assertThatThrownBy(() -> Reading.rows(stream))
                    .as(line)
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_RECORD))
                    .hasMessageContaining(file + "\", line 2")
                    .hasMessageEndingWith("begins: " + line);
            all.append(line).append("\n{\"a\":9}\n");
        }
        CatalogObject.Stream stream =
                Reading.stream(file("all.json", all.toString()), schema, Map.of("on_error", "skip"));
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (SplitReader reader = Reading.open(stream, List.of(0), -1, memory)) {
            SplitReader.Ready ready = Reading.await(reader, 0, 100);
            assertThat(Reading.range(reader, 0, ready.to())).hasSize(bad.size()).containsOnly(row(9L));
            assertThat(reader.skipped()).isEqualTo(bad.size());
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void anyRangeOfAnyReaderHasTheSameRows() throws Exception {
        Random random = new Random(3);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 6000; i++) {
            text.append("{\"a\":")
                    .append(i)
                    .append(",\"b\":\"")
                    .append("w".repeat(random.nextInt(30)))
                    .append("\"}\n");
        }
        Schema schema = Schema.of(new Column("a", DataType.BIGINT), new Column("b", DataType.VARCHAR));
        CatalogObject.Stream stream = Reading.stream(file("t.ndjson", text.toString()), schema, Map.of());
        List<List<@Nullable Object>> whole = Reading.rows(stream);
        assertThat(whole).hasSize(6000);
        MemoryAccount memory = MemoryAccount.unlimited("test");
        List<List<@Nullable Object>> read = new ArrayList<>();
        try (SplitReader reader = Reading.open(stream, List.of(0, 1), -1, memory);
                SplitReader replay = Reading.open(stream, List.of(0, 1), -1, memory)) {
            long at = 0;
            boolean finished = false;
            while (!finished) {
                SplitReader.Ready ready = Reading.await(reader, at, 1 + random.nextInt(3000));
                read.addAll(Reading.range(replay, at, ready.to()));
                at = ready.to();
                finished = ready.finished();
            }
        }
        assertThat(read).isEqualTo(whole);
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void aColumnThatIsNoPathIsRefused() throws Exception {
        Path file = file("t.json", "{}\n");
        for (String name : List.of("a[", "a[x]", "a[-1].b", "[")) {
            assertThatThrownBy(() -> Reading.stream(file, Schema.of(new Column(name, DataType.BIGINT)), Map.of()))
                    .isInstanceOfSatisfying(
                            StreamException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_TABLE_DEFINITION));
        }
    }

    private Path file(String name, String text) throws IOException {
        return Files.write(directory.resolve(name), text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}

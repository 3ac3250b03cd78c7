package io.tailwater.server.bench;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class NexmarkQueryTest {
    @TempDir
    Path dir;

    @Test
    void aQueryIsItsFileWithoutTheSemicolon() throws IOException {
        Files.writeString(dir.resolve("q1.sql"), "-- one\nSELECT 1;\n");
        NexmarkQuery query = NexmarkQuery.load(dir, "q1");
        assertThat(query.insert()).isEqualTo("INSERT INTO bench_sink\n-- one\nSELECT 1");
    }

    @Test
    void aMissingQueryIsNamedWithThoseThereAre() throws IOException {
        Files.writeString(dir.resolve("q1.sql"), "SELECT 1");
        assertThatThrownBy(() -> NexmarkQuery.load(dir, "q2"))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("'q2'")
                .satisfies(e -> assertThat(((StreamException) e).hint())
                        .hasValue("Queries are q1; separate several by commas."));
        assertThatThrownBy(() -> NexmarkQuery.load(dir, "../q1")).isInstanceOf(StreamException.class);
    }

    @Test
    void theSinkHasTheColumnsOfTheQuery() {
        Schema schema =
                Schema.of(new Column("dateTime", DataType.TIMESTAMP.notNull()), new Column("a\"b", DataType.BIGINT));
        assertThat(NexmarkQuery.createSink(schema))
                .isEqualTo("CREATE STREAM bench_sink (\"dateTime\" TIMESTAMP(6) NOT NULL, \"a\"\"b\" BIGINT)"
                        + " WITH (connector = 'blackhole')");
    }

    @Test
    void aResultIsSortedByBytesWithMillisecondsAndMarkedNulls() throws IOException {
        Schema schema = Schema.of(
                new Column("v", DataType.VARCHAR),
                new Column("t", DataType.TIMESTAMP),
                new Column("d", DataType.decimal(10, 3)));
        MemoryAccount memory = new MemoryAccount("test", 1L << 20);
        ResultText result = new ResultText(schema);
        List<List<@Nullable Object>> rows = List.of(
                Arrays.asList("b", -1_000L, new BigDecimal("1.500")),
                Arrays.asList(null, null, null),
                Arrays.asList("B", 1_436_918_400_123_000L, new BigDecimal("-0.001")),
                Arrays.asList("b", -1_000L, new BigDecimal("1.500")));
        try (BatchBuilder builder = new BatchBuilder(BatchBuilder.types(schema), rows.size(), false, memory)) {
            for (int row = 0; row < rows.size(); row++) {
                for (int column = 0; column < schema.size(); column++) {
                    Values.set(builder, column, row, rows.get(row).get(column));
                }
            }
            try (ColumnBatch batch = builder.finish(rows.size())) {
                result.add(batch);
            }
        }
        Path file = dir.resolve("new/q.csv");
        result.write(file);
        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "v,t,d",
                        "B,2015-07-15 00:00:00.123,-0.001",
                        "\\N,\\N,\\N",
                        "b,1969-12-31 23:59:59.999,1.500",
                        "b,1969-12-31 23:59:59.999,1.500");
        assertThat(memory.usedBytes()).isZero();
    }
}

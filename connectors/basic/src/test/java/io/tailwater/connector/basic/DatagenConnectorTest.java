package io.tailwater.connector.basic;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

class DatagenConnectorTest {
    private static final DatagenConnector CONNECTOR = new DatagenConnector();
    private static final Schema SCHEMA = Schema.of(
            new Column("id", DataType.BIGINT.notNull()),
            new Column("price", DataType.decimal(8, 2)),
            new Column("name", DataType.VARCHAR),
            new Column("kind", DataType.VARCHAR),
            new Column("x", DataType.DOUBLE),
            new Column("n", DataType.INTEGER),
            new Column("ts", DataType.timestamp(3)),
            new Column("b", DataType.BOOLEAN));
    private static final Map<String, String> OPTIONS = Map.of(
            "events", "20000",
            "fields.ID.kind", "sequence",
            "fields.id.start", "7",
            "fields.price.max", "99.99",
            "fields.price.nulls", "0.25",
            "fields.kind.values", "a, b,c,d",
            "fields.kind.distribution", "zipf",
            "fields.x.distribution", "normal",
            "fields.n.min", "-3",
            "fields.n.max", "3");

    @Test
    void rowsAreThoseThatTheOptionsDescribe() {
        Map<String, String> options = new TreeMap<>(OPTIONS);
        options.remove("fields.ID.kind");
        options.put("fields.id.kind", "sequence");
        CatalogObject.Stream stream = stream(options);
        List<List<@Nullable Object>> rows = rows(stream, 1);
        assertThat(rows).hasSize(20_000);
        long nulls = 0;
        int[] kinds = new int[4];
        int[] integers = new int[7];
        double sum = 0;
        double squares = 0;
        long trues = 0;
        for (int i = 0; i < rows.size(); i++) {
            List<@Nullable Object> row = rows.get(i);
            assertThat(row.get(0)).isEqualTo(7L + i);
            if (row.get(1) == null) {
                nulls++;
            } else {
                assertThat((BigDecimal) row.get(1)).isBetween(BigDecimal.ZERO, new BigDecimal("99.99"));
            }
            assertThat((String) row.get(2)).hasSize(10);
            kinds["abcd".indexOf(String.valueOf(row.get(3)))]++;
            double x = (Double) java.util.Objects.requireNonNull(row.get(4));
            sum += x;
            squares += (x - 0.5) * (x - 0.5);
            integers[(int) (long) (Long) java.util.Objects.requireNonNull(row.get(5)) + 3]++;
            assertThat(row.get(6)).isEqualTo(1_704_067_200_000_000L + i * 1000L);
            trues += Boolean.TRUE.equals(row.get(7)) ? 1 : 0;
        }
        assertThat(nulls / 20_000.0).isCloseTo(0.25, within(0.02));
        assertThat(kinds[0]).isGreaterThan(kinds[1]);
        assertThat(kinds[1]).isGreaterThan(kinds[2]);
        assertThat(kinds[2]).isGreaterThan(kinds[3]);
        assertThat(sum / 20_000).isCloseTo(0.5, within(0.01));
        assertThat(Math.sqrt(squares / 20_000)).isCloseTo(1 / 6.0, within(0.01));
        assertThat(IntStream.of(integers)).allSatisfy(n -> assertThat(n).isBetween(2500, 3200));
        assertThat(trues).isBetween(9500L, 10_500L);
    }

    @Test
    void splitsDealTheSameRowsAndAnyRangeCanBeMadeAgain() {
        CatalogObject.Stream stream = stream(Map.of("events", "1000", "seed", "5"));
        List<List<@Nullable Object>> one = rows(stream, 1);
        assertThat(rows(stream, 3)).containsExactlyInAnyOrderElementsOf(one);
        assertThat(rows(stream(Map.of("events", "1000", "seed", "6")), 1)).isNotEqualTo(one);
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (SplitReader reader = open(stream, "0/1", memory)) {
            assertThat(range(reader, 123, 456)).isEqualTo(one.subList(123, 456));
            SplitReader.Ready ready = reader.ready(10, 5);
            assertThat(ready)
                    .isEqualTo(new SplitReader.Ready(15, 5, 1_704_067_200_010_000L, 1_704_067_200_014_000L, false, 0));
            assertThat(reader.ready(990, 100).finished()).isTrue();
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void withoutRowsItNeverEnds() {
        CatalogObject.Stream stream = stream(Map.of());
        assertThat(CONNECTOR.bounded(stream)).isFalse();
        try (SplitReader reader = open(stream, "0/2", MemoryAccount.unlimited("test"))) {
            assertThat(reader.ready(1L << 40, 100).rows()).isEqualTo(100);
        }
    }

    @Test
    void optionsThatDoNotFitAreRefused() {
        refused("names column \"y\"", Map.of("fields.y.kind", "random"));
        refused("0 for a NOT NULL column", Map.of("fields.id.nulls", "0.5"));
        refused("for random only", Map.of("fields.ts.max", "2025-01-01"));
        refused("for texts only", Map.of("fields.n.length", "5"));
        refused("one of uniform, normal, zipf", Map.of("fields.n.distribution", "gauss"));
        refused("at least fields.n.min", Map.of("fields.n.min", "5", "fields.n.max", "4"));
        refused("a value of type DECIMAL(8, 2)", Map.of("fields.price.max", "1000000"));
    }

    private static void refused(String message, Map<String, String> options) {
        assertThatThrownBy(() -> stream(options))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        e -> assertThat(e.getMessage() + " " + e.hint().orElse(""))
                                .contains(message));
    }

    private static CatalogObject.Stream stream(Map<String, String> options) {
        Map<String, String> with = new TreeMap<>(options);
        with.put("connector", "datagen");
        return CONNECTOR.resolve(
                new CatalogObject.Stream(ObjectName.inPublic("s"), SCHEMA, null, List.of(), 1, new TreeMap<>(with)),
                Path.of("/"));
    }

    private static SplitReader open(CatalogObject.Stream stream, String split, MemoryAccount memory) {
        List<Integer> all = IntStream.range(0, SCHEMA.size()).boxed().toList();
        return CONNECTOR.open(stream, split, new ReadContext(all, 6, memory, Clock.SYSTEM));
    }

    private static List<List<@Nullable Object>> rows(CatalogObject.Stream stream, int parallelism) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        MemoryAccount memory = MemoryAccount.unlimited("test");
        for (String split : CONNECTOR.splits(stream, parallelism)) {
            try (SplitReader reader = open(stream, split, memory)) {
                out.addAll(range(reader, 0, reader.ready(0, Long.MAX_VALUE).to()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> range(SplitReader reader, long from, long to) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        reader.read(from, to, batch -> {
            try (batch) {
                for (int row = 0; row < batch.rows(); row++) {
                    List<@Nullable Object> values = new ArrayList<>();
                    for (int c = 0; c < batch.columns(); c++) {
                        values.add(Values.get(batch, c, row));
                    }
                    out.add(values);
                }
            }
        });
        return out;
    }
}

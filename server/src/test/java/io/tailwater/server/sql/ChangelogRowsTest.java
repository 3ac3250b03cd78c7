package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class ChangelogRowsTest {
    private static final Schema SCHEMA = Schema.of(new Column("k", DataType.BIGINT), new Column("v", DataType.VARCHAR));
    private static final List<List<Integer>> BY_K = List.of(List.of(0));

    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    /** Each row is weight, k, v. */
    private ColumnBatch batch(@Nullable Object[]... rows) {
        List<List<@Nullable Object>> values = new ArrayList<>();
        long[] weights = new long[rows.length];
        for (int i = 0; i < rows.length; i++) {
            weights[i] = ((Number) java.util.Objects.requireNonNull(rows[i][0])).longValue();
            values.add(Arrays.asList(rows[i][1], rows[i][2]));
        }
        return ZSet.batch(SCHEMA, memory, values, weights);
    }

    private static @Nullable Object[] row(long weight, @Nullable Object k, @Nullable Object v) {
        return new @Nullable Object[] {weight, k, v};
    }

    private List<String> convert(List<List<Integer>> keys, ColumnBatch... change) {
        List<ColumnBatch> out = new ChangelogRows(SCHEMA, keys, memory).convert(Arrays.asList(change));
        for (ColumnBatch batch : change) {
            batch.close();
        }
        List<String> lines = new ArrayList<>();
        for (ColumnBatch batch : out) {
            for (int row = 0; row < batch.rows(); row++) {
                lines.add(io.tailwater.api.batch.Values.get(batch, 0, row) + " "
                        + BatchRows.describe(batch, new int[] {1, 2}, row));
            }
            batch.close();
        }
        assertThat(memory.usedBytes()).isZero();
        return lines;
    }

    @Test
    void withAKeyAReplacedRowIsAnUpdate() {
        assertThat(convert(
                        BY_K,
                        batch(row(1, 1L, "new and longer than twelve bytes"), row(-1, 2L, "gone")),
                        batch(row(-1, 1L, "old"), row(1, 3L, "come"))))
                .containsExactly(
                        "-D (2, 'gone')",
                        "-U (1, 'old')",
                        "+U (1, 'new and longer than twelve bytes')",
                        "+I (3, 'come')");
    }

    @Test
    void withoutAKeyRowsGoFirstAndThenCome() {
        assertThat(convert(List.of(), batch(row(1, 1L, "new"), row(-1, 1L, "old"))))
                .containsExactly("-D (1, 'old')", "+I (1, 'new')");
    }

    @Test
    void theEmptyKeyOfASingleRowPairs() {
        assertThat(convert(List.of(List.of()), batch(row(1, 2L, "b"), row(-1, 1L, "a"))))
                .containsExactly("-U (1, 'a')", "+U (2, 'b')");
    }

    @Test
    void aNullKeyIsAKey() {
        assertThat(convert(BY_K, batch(row(-1, null, "a"), row(1, null, null))))
                .containsExactly("-U (NULL, 'a')", "+U (NULL, NULL)");
    }

    @Test
    void equalRowsAddUpAndCancelOut() {
        assertThat(convert(
                        List.of(),
                        batch(row(1, 1L, "a"), row(2, 2L, "b")),
                        batch(row(-1, 1L, "a"), row(-4, 2L, "b"), row(2, 3L, null))))
                .containsExactly("-D (2, 'b')", "-D (2, 'b')", "+I (3, NULL)", "+I (3, NULL)");
    }

    @Test
    void aFirstAnswerIsAllInsertions() {
        ColumnBatch rows = ZSet.batch(SCHEMA, memory, List.of(List.of(1L, "a"), List.of(1L, "a")), null);
        assertThat(convert(List.of(), rows)).containsExactly("+I (1, 'a')", "+I (1, 'a')");
    }

    /** Applying the operations by key to what was there gives what is there, whatever the order of the change. */
    @Property(tries = 300)
    void applyingTheRowsGivesTheNewRelation(
            @ForAll @Size(max = 40) List<@IntRange(max = 30) Integer> before,
            @ForAll @Size(max = 40) List<@IntRange(max = 30) Integer> after) {
        List<Object[]> change = new ArrayList<>();
        java.util.Map<Long, String> state = new java.util.TreeMap<>();
        java.util.Map<Long, String> wanted = new java.util.TreeMap<>();
        before.forEach(n -> state.putIfAbsent(n % 10L, "v" + n));
        after.forEach(n -> wanted.putIfAbsent(n % 10L, "v" + n));
        wanted.forEach((k, v) -> change.add(row(1, k, v)));
        state.forEach((k, v) -> change.add(row(-1, k, v)));
        for (String line : convert(BY_K, batch(change.toArray(Object[][]::new)))) {
            long key = Long.parseLong(line.substring(4, line.indexOf(',')));
            String value = line.substring(line.indexOf('\'') + 1, line.length() - 2);
            switch (line.substring(0, 2)) {
                case "-D" -> assertThat(state.remove(key)).isEqualTo(value);
                case "-U" -> assertThat(state).containsEntry(key, value);
                case "+U" -> assertThat(state.put(key, value)).isNotNull().isNotEqualTo(value);
                default -> assertThat(state.put(key, value)).isNull();
            }
        }
        assertThat(state).isEqualTo(wanted);
    }
}

package io.tailwater.executor.keyed;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.OperatorHarness;
import io.tailwater.executor.harness.OperatorHarness.Mode;
import io.tailwater.executor.harness.RandomRows;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class KeyedOperatorTest {
    private static final Schema KEY_VALUE =
            Schema.of(new Column("k", DataType.BIGINT.notNull()), new Column("v", DataType.VARCHAR));

    private static OperatorHarness harness(Schema schema, List<Integer> key) {
        PlanNode.Keyed node = new PlanNode.Keyed(new PlanNode.Values(List.of(), schema, Traits.NONE), key, Traits.NONE);
        return new OperatorHarness(
                List.of(schema), new boolean[] {true}, context -> KeyedOperator.create(node, context));
    }

    private static History.Change change(long weight, @Nullable Object... row) {
        return new History.Change(0, Arrays.asList(row), weight);
    }

    @Test
    void lastOperationOfATickWins() {
        OperatorHarness.Result result = harness(KEY_VALUE, List.of(0))
                .run(
                        new History(
                                1,
                                List.of(
                                        List.of(
                                                change(1, 1L, "a text that is not short"),
                                                change(1, 1L, "b"),
                                                change(-1, 2L, null)),
                                        List.of(change(-1, 1L, null), change(1, 1L, "b")),
                                        List.of(change(1, 1L, "c"), change(-1, 1L, null)))),
                        Mode.WHOLE,
                        new Random(0));
        assertThat(result.afterTick())
                .containsExactly(new ZSet().add(1, 1L, "b"), new ZSet().add(1, 1L, "b"), new ZSet());
        assertThat(result.rowsOut()).containsExactly(1L, 0L, 1L);
        assertThat(result.atEnd().rows()).isZero();
    }

    @Test
    void weightsBeyondOneAreRefused() {
        assertThatThrownBy(() -> harness(KEY_VALUE, List.of(0))
                        .run(new History(1, List.of(List.of(change(2, 7L, "x")))), Mode.WHOLE, new Random(0)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("(7)");
    }

    /** Rows that were taken over, replaced, dropped and taken over again leave nothing behind. */
    @Test
    void restoredRowsGiveTheirMemoryBack() {
        Random random = new Random(1);
        List<List<History.Change>> ticks = new ArrayList<>();
        for (int t = 0; t < 12; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (long k = 0; k < 500; k++) {
                if (t == 0 || t == 11 || random.nextInt(4) == 0) {
                    boolean delete = t == 11 || (t > 0 && random.nextBoolean());
                    tick.add(change(delete ? -1 : 1, k, "a text that is kept apart from its row, number " + t));
                }
            }
            ticks.add(tick);
        }
        for (int i = 0; i < 5; i++) {
            OperatorHarness.Result result = harness(KEY_VALUE, List.of(0)).runRestoring(new History(1, ticks), random);
            assertThat(result.atEnd().rows()).isZero();
        }
    }

    /** Equals a map from key to row, in every cut. */
    @Property(tries = 80)
    void equalsAMap(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = rows.schema(1 + random.nextInt(4));
        List<Integer> key = new ArrayList<>();
        for (int c = schema.size() - 1; c >= 0; c--) {
            if (key.isEmpty() || random.nextInt(3) == 0) {
                key.add(c);
            }
        }
        int domain = 3 + random.nextInt(10);
        Map<List<@Nullable Object>, List<@Nullable Object>> model = new HashMap<>();
        List<List<History.Change>> ticks = new ArrayList<>();
        List<ZSet> expected = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (int r = random.nextInt(40); r > 0; r--) {
                List<@Nullable Object> row = rows.row(schema, domain);
                List<@Nullable Object> k = new ArrayList<>();
                key.forEach(c -> k.add(row.get(c)));
                boolean delete = random.nextInt(3) == 0;
                tick.add(new History.Change(0, row, delete ? -1 : 1));
                if (delete) {
                    model.remove(k);
                } else {
                    model.put(k, row);
                }
            }
            ticks.add(tick);
            ZSet now = new ZSet();
            model.values().forEach(row -> now.addRow(1, row));
            expected.add(now);
        }
        harness(schema, key).runShortOfMemory(new History(1, ticks), random);
        for (Mode mode : Mode.values()) {
            OperatorHarness.Result result = harness(schema, key).run(new History(1, ticks), mode, random);
            assertThat(result.afterTick()).as("%s", mode).isEqualTo(expected);
            assertThat(result.atEnd().rows()).isEqualTo(model.size());
        }
        assertThat(harness(schema, key)
                        .runRestoring(new History(1, ticks), random)
                        .afterTick())
                .isEqualTo(expected);
        List<List<History.Change>> emptied = new ArrayList<>(ticks);
        emptied.add(model.values().stream()
                .map(row -> new History.Change(0, row, -1))
                .toList());
        OperatorHarness.Result result = harness(schema, key).runRestoring(new History(1, emptied), random);
        assertThat(result.last().isEmpty()).isTrue();
        assertThat(result.atEnd().rows()).isZero();
    }
}

package io.tailwater.executor.topn;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.OperatorHarness;
import io.tailwater.executor.harness.OperatorHarness.Mode;
import io.tailwater.executor.harness.RandomRows;
import io.tailwater.executor.operator.Tick;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TopNOperatorTest {
    private static final Traits APPEND_ONLY = new Traits(Traits.NONE.distribution(), true, List.of(), List.of());
    private static final Schema SCHEMA = Schema.of(
            new Column("g", DataType.BIGINT), new Column("v", DataType.BIGINT), new Column("s", DataType.VARCHAR));

    private static PlanNode.TopN node(
            Schema schema,
            boolean appendOnly,
            List<Integer> partition,
            List<SortKey> keys,
            long offset,
            long limit,
            boolean rowNumber,
            PlanNode.@Nullable Retention retention) {
        List<Column> columns = new ArrayList<>(schema.columns());
        if (rowNumber) {
            columns.add(new Column("n", DataType.BIGINT.notNull()));
        }
        return new PlanNode.TopN(
                new PlanNode.Values(List.of(), schema, appendOnly ? APPEND_ONLY : Traits.NONE),
                partition,
                keys,
                offset,
                limit,
                rowNumber,
                new Schema(columns),
                Traits.NONE,
                retention);
    }

    private static OperatorHarness harness(PlanNode.TopN node) {
        return new OperatorHarness(
                List.of(node.input().schema()),
                new boolean[] {!node.input().traits().appendOnly()},
                context -> TopNOperator.create(node, context));
    }

    private static History.Change change(long weight, @Nullable Object... row) {
        return new History.Change(0, Arrays.asList(row), weight);
    }

    private static final List<SortKey> BY_V = List.of(new SortKey(1, false, false));

    @Test
    void rowsThatStayAreNotEmitted() {
        History history = new History(
                1,
                List.of(
                        List.of(change(1, 1L, 10L, "a"), change(1, 1L, 20L, "b"), change(1, 1L, 30L, "c")),
                        List.of(change(1, 1L, 15L, "d")),
                        List.of(change(-1, 1L, 10L, "a"))));
        OperatorHarness.Result result = harness(node(SCHEMA, false, List.of(0), BY_V, 0, 2, false, null))
                .run(history, Mode.WHOLE, new Random(0));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet().add(1, 1L, 10L, "a").add(1, 1L, 20L, "b"),
                        new ZSet().add(1, 1L, 10L, "a").add(1, 1L, 15L, "d"),
                        new ZSet().add(1, 1L, 15L, "d").add(1, 1L, 20L, "b"));
        assertThat(result.rowsOut()).containsExactly(2L, 2L, 2L);
    }

    @Test
    void numberedRowsShift() {
        History history = new History(
                1,
                List.of(
                        List.of(change(1, 1L, 10L, "a"), change(2, 1L, 20L, "b"), change(1, 1L, 30L, "c")),
                        List.of(change(1, 1L, 15L, "d"))));
        OperatorHarness.Result result = harness(node(SCHEMA, false, List.of(0), BY_V, 1, 3, true, null))
                .run(history, Mode.WHOLE, new Random(0));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet()
                                .add(1, 1L, 20L, "b", 2L)
                                .add(1, 1L, 20L, "b", 3L)
                                .add(1, 1L, 30L, "c", 4L),
                        new ZSet()
                                .add(1, 1L, 15L, "d", 2L)
                                .add(1, 1L, 20L, "b", 3L)
                                .add(1, 1L, 20L, "b", 4L));
        // Number 3 stays what it was.
        assertThat(result.rowsOut()).containsExactly(3L, 4L);
    }

    @Test
    void rowBehindTheLastIsNotHeld() {
        List<List<History.Change>> ticks = new ArrayList<>();
        for (long t = 0; t < 20; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (long v = 0; v < 50; v++) {
                tick.add(change(1, 1L, t * 50 + v, "a text that is longer than twelve bytes"));
            }
            ticks.add(tick);
        }
        OperatorHarness.Result result = harness(node(SCHEMA, true, List.of(0), BY_V, 0, 3, false, null))
                .run(new History(1, ticks), Mode.RANDOM_CUTS, new Random(0));
        assertThat(result.rowsOut().stream().mapToLong(n -> n).sum()).isEqualTo(3);
        assertThat(result.atEnd().bytes()).isLessThan(16_000);
    }

    @Test
    void rowThatWasNeverThereCannotBeTakenOut() {
        assertThatThrownBy(() -> harness(node(SCHEMA, false, List.of(0), BY_V, 0, 1, false, null))
                        .run(
                                new History(1, List.of(List.of(change(1, 1L, 1L, "x"), change(-1, 1L, 2L, "x")))),
                                Mode.WHOLE,
                                new Random(0)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("(2, 'x') has weight -1");
    }

    /** Groups end with their time: what is held stays the same over a long stream. */
    @Test
    void groupsBelowTheBoundAreDropped() {
        Schema schema =
                Schema.of(new Column("w", DataType.TIMESTAMP.notNull()), new Column("v", DataType.BIGINT.notNull()));
        for (long limit : new long[] {1, 4}) {
            for (boolean appendOnly : new boolean[] {true, false}) {
                List<List<History.Change>> ticks = new ArrayList<>();
                for (long t = 0; t < 400; t++) {
                    List<History.Change> tick = new ArrayList<>();
                    for (long v = 0; v < 10; v++) {
                        tick.add(change(1, t * 1000, v));
                    }
                    ticks.add(tick);
                }
                PlanNode.Retention retention = new PlanNode.Retention(0, List.of(new PlanNode.Bound(0, 1000)));
                OperatorHarness.Result result = harness(
                                node(schema, appendOnly, List.of(0), BY_V, 0, limit, false, retention))
                        .withWatermarks(tick -> List.of(tick < 5 ? Tick.NO_WATERMARK : tick * 1000L))
                        .run(new History(1, ticks), Mode.RANDOM_CUTS, new Random(0));
                assertThat(result.stateRows().get(4)).isEqualTo(5);
                assertThat(result.stateRows().subList(6, 400)).containsOnly(2L);
                assertThat(result.last().rows()).hasSize((int) (400 * limit));
            }
        }
    }

    private static final class Model {
        private final PlanNode.TopN node;

        Model(PlanNode.TopN node) {
            this.node = node;
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private int compareValues(Object a, Object b, boolean nullsFirst, boolean descending) {
            boolean aNull = a == ZSet.Null.NULL;
            boolean bNull = b == ZSet.Null.NULL;
            if (aNull || bNull) {
                return aNull && bNull ? 0 : aNull == nullsFirst ? -1 : 1;
            }
            int compared = ((Comparable) a).compareTo(b);
            return descending ? -compared : compared;
        }

        private Comparator<List<Object>> order() {
            return (a, b) -> {
                for (SortKey key : node.keys()) {
                    int c = compareValues(a.get(key.column()), b.get(key.column()), key.nullsFirst(), key.descending());
                    if (c != 0) {
                        return c;
                    }
                }
                for (int i = 0; i < a.size(); i++) {
                    int c = compareValues(a.get(i), b.get(i), false, false);
                    if (c != 0) {
                        return c;
                    }
                }
                return 0;
            };
        }

        ZSet after(ZSet content) {
            Map<List<Object>, List<List<Object>>> groups = new HashMap<>();
            content.rows().forEach((row, weight) -> {
                List<Object> key = new ArrayList<>();
                node.partitionKeys().forEach(k -> key.add(row.get(k)));
                for (long i = 0; i < weight; i++) {
                    groups.computeIfAbsent(key, k -> new ArrayList<>()).add(row);
                }
            });
            ZSet out = new ZSet();
            for (List<List<Object>> rows : groups.values()) {
                rows.sort(order());
                for (long i = node.offset(); i < Math.min(rows.size(), node.offset() + node.limit()); i++) {
                    List<@Nullable Object> row = new ArrayList<>();
                    rows.get((int) i).forEach(v -> row.add(v == ZSet.Null.NULL ? null : v));
                    if (node.rowNumber()) {
                        row.add(i + 1);
                    }
                    out.addRow(1, row);
                }
            }
            return out;
        }
    }

    /** Over a long history; of groups below a bound, too, but for when they are dropped. */
    @Property(tries = 60)
    void goesOnFromSnapshots(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = Schema.of(
                new Column("w", DataType.TIMESTAMP), new Column("v", rows.type()), new Column("s", DataType.VARCHAR));
        boolean appendOnly = random.nextInt(2) == 0;
        long limit = 1L + (random.nextBoolean() ? 0 : random.nextInt(200));
        PlanNode.Retention retention =
                random.nextInt(3) > 0 ? null : new PlanNode.Retention(0, List.of(new PlanNode.Bound(0, 0)));
        PlanNode.TopN node =
                node(schema, appendOnly, List.of(0), BY_V, random.nextInt(2), limit, random.nextBoolean(), retention);
        History drawn = rows.history(List.of(schema), new boolean[] {appendOnly}, 30, 40, 2 + random.nextInt(20));
        if (retention == null) {
            harness(node).runRestoring(appendOnly ? drawn : drawn.undone(random), random);
            return;
        }
        List<List<History.Change>> ticks = new ArrayList<>();
        for (int t = 0; t < 30; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                long time = t * 1000L - random.nextInt(3) * 1000L;
                tick.add(change(1, time, rows.value(schema.type(1), 9), "a text of more than twelve bytes " + i % 4));
            }
            ticks.add(tick);
        }
        harness(node).withWatermarks(t -> List.of((t - 1) * 1000L)).runRestoringOutput(new History(1, ticks), random);
    }

    /** Equals sorting each group, in every cut, order and number of workers; taking everything out leaves nothing. */
    @Property(tries = 150)
    void equalsSortedGroups(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = rows.schema(1 + random.nextInt(4));
        boolean appendOnly = random.nextInt(2) == 0;
        List<Integer> partition = new ArrayList<>();
        List<SortKey> keys = new ArrayList<>();
        for (int c = schema.size() - 1; c >= 0; c--) {
            if (random.nextInt(3) == 0) {
                partition.add(c);
            }
            if (random.nextInt(2) == 0) {
                keys.add(new SortKey(c, random.nextBoolean(), random.nextBoolean()));
            }
        }
        long offset = random.nextInt(3) == 0 ? random.nextInt(4) : 0;
        long limit = 1L + (random.nextBoolean() ? 0 : random.nextInt(random.nextInt(10) == 0 ? 200 : 5));
        PlanNode.TopN node = node(schema, appendOnly, partition, keys, offset, limit, random.nextBoolean(), null);
        History history = rows.history(List.of(schema), new boolean[] {appendOnly}, 4, 80, 2 + random.nextInt(8));
        Model model = new Model(node);
        List<ZSet> expected = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            expected.add(model.after(history.content(0, t)));
        }
        OperatorHarness harness = harness(node);
        for (Mode mode : Mode.values()) {
            assertThat(harness.run(history, mode, random).afterTick())
                    .as("%s", mode)
                    .isEqualTo(expected);
        }
        assertThat(harness.run(history.shuffled(random), Mode.RANDOM_CUTS, random)
                        .afterTick())
                .isEqualTo(expected);
        if (!partition.isEmpty()) {
            int[] key = partition.stream().mapToInt(i -> i).toArray();
            assertThat(harness.runOnWorkers(3, history, c -> harness.owner(0, c, key, 3), random))
                    .isEqualTo(expected.get(3));
        }
        harness.runShortOfMemory(history, random);
        harness.runRestoring(history, random);
        if (!appendOnly) {
            OperatorHarness.Result undone = harness.run(history.undone(random), Mode.RANDOM_CUTS, random);
            assertThat(undone.last().isEmpty()).isTrue();
            assertThat(undone.atEnd().rows()).isZero();
        }
    }
}

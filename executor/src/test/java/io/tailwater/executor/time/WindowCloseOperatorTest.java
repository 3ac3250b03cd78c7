package io.tailwater.executor.time;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
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
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class WindowCloseOperatorTest {
    private static final Schema SCHEMA =
            Schema.of(new Column("s", DataType.VARCHAR), new Column("ts", DataType.TIMESTAMP));

    private static PlanNode.WindowClose node(Schema schema, int time, PlanNode.Bound... bounds) {
        return new PlanNode.WindowClose(
                new PlanNode.Values(List.of(), schema, Traits.NONE), time, List.of(bounds), Traits.NONE);
    }

    private static OperatorHarness harness(PlanNode.WindowClose node, boolean weighted) {
        return new OperatorHarness(
                List.of(node.schema()), new boolean[] {weighted}, context -> WindowCloseOperator.create(node, context));
    }

    private static History.Change change(long weight, @Nullable Object... row) {
        return new History.Change(0, Arrays.asList(row), weight);
    }

    @Test
    void rowsBelowTheBoundAreReleasedOnce() {
        History history = new History(
                1,
                List.of(
                        List.of(change(1, "a", 10L), change(2, "b", 20L), change(1, "no time", null)),
                        List.of(change(-1, "b", 20L), change(1, "c", 30L)),
                        // 20 is closed by now: neither an addition nor a removal counts.
                        List.of(change(1, "late", 19L), change(-1, "b", 19L), change(1, "d", 20L)),
                        List.of()));
        List<Long> watermarks = List.of(Tick.NO_WATERMARK, 25L, 25L, Tick.END_OF_TIME);
        OperatorHarness.Result result = harness(node(SCHEMA, 1, new PlanNode.Bound(0, 5)), true)
                .withWatermarks(tick -> List.of(watermarks.get(tick)))
                .run(history, Mode.WHOLE, new Random(0));
        ZSet first = new ZSet().add(1, "a", 10L);
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet(),
                        first,
                        first,
                        new ZSet()
                                .add(1, "a", 10L)
                                .add(1, "b", 20L)
                                .add(1, "c", 30L)
                                .add(1, "d", 20L));
        assertThat(result.sawWeights()).isFalse();
        assertThat(result.stateRows()).containsExactly(2L, 2L, 3L, 0L);
    }

    @Test
    void rowThatWasNeverThereCannotBeTakenOut() {
        assertThatThrownBy(() -> harness(node(SCHEMA, 1, new PlanNode.Bound(0, 0)), true)
                        .withWatermarks(tick -> List.of(0L))
                        .run(new History(1, List.of(List.of(change(-1, "x", 5L)))), Mode.WHOLE, new Random(0)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("('x', ")
                .hasMessageContaining("has weight -1");
    }

    /** In one tick, over several batches, times ascend. */
    @Test
    void releasedRowsAscendByTime() {
        releasedRowsAscendByTime(false);
        releasedRowsAscendByTime(true);
    }

    private static void releasedRowsAscendByTime(boolean tracked) {
        MemoryAccount memory = MemoryAccount.unlimited("close");
        List<Long> times = new ArrayList<>();
        Random random = new Random(3);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            rows.add(Arrays.asList("row " + i, (long) random.nextInt(1000)));
        }
        OperatorContext context = new OperatorContext(
                memory,
                batch -> {
                    assertThat(batch.rows()).isLessThanOrEqualTo(ColumnBatch.TARGET_ROWS);
                    for (int i = 0; i < batch.rows(); i++) {
                        times.add((Long) Values.get(batch, 1, i));
                    }
                    batch.close();
                },
                0,
                1,
                ZoneOffset.UTC,
                new OperatorContext.TickClock());
        try (WindowCloseOperator operator =
                WindowCloseOperator.create(node(SCHEMA, 1, new PlanNode.Bound(0, 0)), context)) {
            if (tracked) {
                operator.trackChanges();
            }
            operator.onBatch(0, ZSet.batch(SCHEMA, memory, rows, null));
            operator.onTickEnd(new Tick(1, 0, List.of(500L)));
            int below = times.size();
            assertThat(times).isSorted();
            assertThat(times.get(below - 1)).isEqualTo(499);
            operator.onTickEnd(new Tick(2, 0, List.of(Tick.END_OF_TIME)));
            assertThat(times).isSorted().hasSize(20_000);
            assertThat(operator.stateSize().rows()).isZero();
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** Over a long history, with times that ascend. */
    @Property(tries = 60)
    void goesOnFromSnapshots(@ForAll long seed) {
        Random random = new Random(seed);
        List<List<History.Change>> ticks = new ArrayList<>();
        List<History.Change> held = new ArrayList<>();
        for (int t = 0; t < 40; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (int i = random.nextInt(30); i > 0; i--) {
                tick.add(change(
                        1, random.nextInt(4) + " is a text of more than twelve bytes", t * 10L + random.nextInt(50)));
            }
            if (!held.isEmpty() && random.nextBoolean()) {
                History.Change one = held.get(random.nextInt(held.size()));
                held.remove(one);
                tick.add(new History.Change(0, one.row(), -1));
            }
            held.addAll(tick.stream().filter(c -> c.weight() > 0).toList());
            ticks.add(tick);
        }
        long lag = random.nextInt(30);
        harness(node(SCHEMA, 1, new PlanNode.Bound(0, lag)), true)
                .withWatermarks(t -> List.of(t < 3 ? Tick.NO_WATERMARK : t / 3 * 30L))
                .runRestoring(new History(1, ticks), random);
    }

    /** What has been released is what was there below the bound when it passed. */
    @Property(tries = 120)
    void equalsTheContentWhenTheBoundPassed(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = Schema.of(
                new Column("a", rows.type()), new Column("t", DataType.TIMESTAMP), new Column("b", rows.type()));
        boolean weighted = random.nextBoolean();
        History drawn = rows.history(List.of(schema), new boolean[] {!weighted}, 6, 60, 12);
        List<List<Long>> watermarks = new ArrayList<>();
        long[] marks = {Tick.NO_WATERMARK, Tick.NO_WATERMARK};
        for (int t = 0; t < 6; t++) {
            for (int reader = 0; reader < 2; reader++) {
                if (random.nextInt(3) > 0) {
                    marks[reader] =
                            t == 5 ? Tick.END_OF_TIME : Math.max(marks[reader], random.nextInt(16) * 1_000_000L);
                }
            }
            watermarks.add(List.of(marks[0], marks[1]));
        }
        long lag = random.nextInt(3) * 1_000_000L - 1_000_000L;
        PlanNode.WindowClose node = node(schema, 1, new PlanNode.Bound(0, lag), new PlanNode.Bound(1, 0));
        ZSet content = new ZSet();
        ZSet released = new ZSet();
        List<ZSet> expected = new ArrayList<>();
        long closed = Tick.NO_WATERMARK;
        for (int t = 0; t < 6; t++) {
            for (History.Change change : drawn.ticks().get(t)) {
                Object time = change.row().get(1);
                if (time != null && (Long) time >= closed) {
                    content.addRow(change.weight(), change.row());
                }
            }
            long first = watermarks.get(t).get(0);
            boolean fixed = first == Tick.NO_WATERMARK || first == Tick.END_OF_TIME;
            closed = Math.max(
                    closed,
                    Math.min(fixed ? first : first - lag, watermarks.get(t).get(1)));
            ZSet next = new ZSet();
            for (var entry : content.rows().entrySet()) {
                List<@Nullable Object> row = new ArrayList<>();
                entry.getKey().forEach(v -> row.add(v == ZSet.Null.NULL ? null : v));
                boolean passed = (Long) entry.getKey().get(1) < closed;
                (passed ? released : next).addRow(entry.getValue(), row);
            }
            content = next;
            ZSet copy = new ZSet();
            released.rows().forEach((row, w) -> copy.addRow(w, new ArrayList<>(row)));
            expected.add(copy);
        }
        OperatorHarness harness = harness(node, weighted).withWatermarks(watermarks::get);
        // A removal of what has been released is dropped, so weights below zero cannot come of it.
        for (Mode mode : Mode.values()) {
            OperatorHarness.Result result = harness.run(drawn, mode, random);
            assertThat(result.afterTick()).as("%s", mode).isEqualTo(expected);
            assertThat(result.sawWeights()).isFalse();
        }
        assertThat(harness.run(drawn.shuffled(random), Mode.RANDOM_CUTS, random).afterTick())
                .isEqualTo(expected);
        harness.runShortOfMemory(drawn, random);
        harness.runRestoring(drawn, random);
    }
}

package io.tailwater.executor.aggregate;

import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.OperatorHarness;
import io.tailwater.executor.harness.OperatorHarness.Mode;
import io.tailwater.executor.operator.Tick;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Groups end with event time. */
final class AggregateRetentionTest {
    private static final Schema INPUT = Schema.of(
            new Column("k", DataType.BIGINT.notNull()),
            new Column("w", DataType.TIMESTAMP),
            new Column("v", DataType.BIGINT),
            new Column("s", DataType.VARCHAR));
    private static final int TICKS = 120;
    private static final int PER_TICK = 40;

    private static PlanNode.Aggregate node(boolean appendOnly, PlanNode.@Nullable Retention retention) {
        List<AggregateCall> calls = List.of(
                AggregateCall.of(AggregateFunction.SUM, DataType.BIGINT, 2),
                AggregateCall.of(AggregateFunction.MAX, DataType.VARCHAR, 3),
                AggregateCall.of(AggregateFunction.MIN, DataType.BIGINT, 2),
                AggregateCall.of(AggregateFunction.STDDEV_POP, DataType.DOUBLE, 2),
                new AggregateCall(AggregateFunction.COUNT, List.of(3), -1, true, List.of(), DataType.BIGINT));
        List<Column> columns = new ArrayList<>(List.of(INPUT.column(1), INPUT.column(0)));
        calls.forEach(c -> columns.add(new Column("a" + columns.size(), c.type())));
        Traits input = new Traits(Traits.NONE.distribution(), appendOnly, List.of(), List.of());
        return new PlanNode.Aggregate(
                new PlanNode.Values(List.of(), INPUT, input),
                List.of(1, 0),
                calls,
                new Schema(columns),
                Traits.NONE,
                retention);
    }

    /** Ten windows' rows in turn; window {@code t} gets rows from tick {@code t} to {@code t + 1}. */
    private static History history(boolean retracting) {
        List<List<History.Change>> ticks = new ArrayList<>();
        for (long t = 0; t < TICKS; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (long i = 0; i < PER_TICK; i++) {
                long window = Math.max(0, t - i % 2);
                tick.add(row(1, i % 10, window, i, "a text of some length, number " + i));
                if (retracting) {
                    tick.add(row(1, i % 10, window, -i, "another text of some length"));
                    tick.add(row(-1, i % 10, window, -i, "another text of some length"));
                }
            }
            if (t == 7) {
                tick.add(new History.Change(0, Arrays.asList(3L, null, 1L, "no window"), 1));
            }
            ticks.add(tick);
        }
        return new History(1, ticks);
    }

    private static History.Change row(long weight, long key, long window, long v, String s) {
        return new History.Change(0, Arrays.asList(key, window * 1_000_000, v, s), weight);
    }

    private static OperatorHarness harness(boolean appendOnly, PlanNode.@Nullable Retention retention) {
        PlanNode.Aggregate node = node(appendOnly, retention);
        // The watermark is one window behind: windows t and t - 1 may get rows at tick t + 1.
        return new OperatorHarness(
                        List.of(INPUT), new boolean[] {!appendOnly}, context -> AggregateOperator.create(node, context))
                .withWatermarks(t -> List.of(t == 0 ? Tick.NO_WATERMARK : t * 1_000_000L));
    }

    @Test
    void stateOfALongStreamStaysFlat() {
        PlanNode.Retention retention = new PlanNode.Retention(0, List.of(new PlanNode.Bound(0, 0)));
        for (boolean appendOnly : new boolean[] {true, false}) {
            History history = history(!appendOnly);
            OperatorHarness.Result all = harness(appendOnly, null).run(history, Mode.WHOLE, new Random(0));
            for (Mode mode : new Mode[] {Mode.WHOLE, Mode.RANDOM_CUTS}) {
                OperatorHarness.Result result = harness(appendOnly, retention).run(history, mode, new Random(0));
                assertThat(result.afterTick()).isEqualTo(all.afterTick());
                // Ten keys of the last window, some of the one before, and the group without a window.
                assertThat(result.stateRows().subList(8, TICKS)).allMatch(rows -> rows <= 21);
                assertThat(result.atEnd().bytes() * 5).isLessThan(all.atEnd().bytes());
            }
            OperatorHarness.Result restored = harness(appendOnly, retention).runRestoringOutput(history, new Random(0));
            assertThat(restored.afterTick()).isEqualTo(all.afterTick());
            assertThat(restored.stateRows().subList(8, TICKS)).allMatch(rows -> rows <= 21);
        }
    }

    /** However many groups there are and however few rows come, a bounded number of walks over them is enough. */
    @Test
    void slowStreamAlsoLetsGo() {
        List<List<History.Change>> ticks = new ArrayList<>();
        List<History.Change> burst = new ArrayList<>();
        for (long i = 0; i < 20_000; i++) {
            burst.add(row(1, i, 0, i, "burst"));
        }
        ticks.add(burst);
        for (long t = 1; t < 60; t++) {
            ticks.add(List.of(row(1, 1, t, t, "drop")));
        }
        PlanNode.Retention retention = new PlanNode.Retention(0, List.of(new PlanNode.Bound(0, 0)));
        OperatorHarness.Result result = harness(true, retention).run(new History(1, ticks), Mode.WHOLE, new Random(0));
        assertThat(result.stateRows().get(0)).isEqualTo(20_000);
        assertThat(result.atEnd().rows()).isLessThan(60);
    }
}

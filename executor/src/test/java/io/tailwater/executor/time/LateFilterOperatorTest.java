package io.tailwater.executor.time;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.OperatorHarness;
import io.tailwater.executor.harness.OperatorHarness.Mode;
import io.tailwater.executor.operator.Tick;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

final class LateFilterOperatorTest {
    private static final Schema SCHEMA = Schema.of(
            new Column("s", DataType.VARCHAR),
            new Column("ts", DataType.TIMESTAMP),
            new Column("arrival", DataType.BIGINT.notNull()));

    private static OperatorHarness harness(long slack, List<Long> watermarks) {
        PlanNode.LateFilter node = new PlanNode.LateFilter(
                new PlanNode.Values(List.of(), SCHEMA, Traits.NONE), 1, 2, 1, slack, Traits.NONE);
        return new OperatorHarness(
                        List.of(SCHEMA), new boolean[] {false}, context -> LateFilterOperator.create(node, context))
                .withWatermarks(tick -> List.of(Tick.END_OF_TIME, watermarks.get(tick)));
    }

    private static History.Change row(@Nullable Object... row) {
        return new History.Change(0, Arrays.asList(row), 1);
    }

    @Test
    void rowsAreJudgedByTheTickBefore() {
        History history = new History(
                1,
                List.of(
                        List.of(row("first", 1L, 0L), row("no time", null, 1L)),
                        // Was 100 behind, with 10 to spare: 89 is late, 90 is not.
                        List.of(row("late", 89L, 2L), row("spared", 90L, 3L), row("no time", null, 4L)),
                        List.of(row("late too", 5L, 5L)),
                        List.of(row("after the end", 1L << 50, 6L))));
        for (Mode mode : Mode.values()) {
            OperatorHarness.Result result = harness(10, List.of(100L, 100L, Tick.END_OF_TIME, Tick.END_OF_TIME))
                    .run(history, mode, new Random(1));
            assertThat(result.last())
                    .isEqualTo(new ZSet()
                            .add(1, "first", 1L, 0L)
                            .add(1, "no time", null, 1L)
                            .add(1, "spared", 90L, 3L)
                            .add(1, "no time", null, 4L));
            assertThat(result.late())
                    .isEqualTo(new ZSet()
                            .add(1, "late", 89L, 2L, 11L)
                            .add(1, "late too", 5L, 5L, 95L)
                            .add(1, "after the end", 1L << 50, 6L, Tick.END_OF_TIME - (1L << 50)));
            assertThat(result.sawWeights()).isFalse();
        }
    }

    /** Main path and side output together hold each row once. */
    @Test
    void everyRowGoesOneWay() {
        Random random = new Random(11);
        List<List<History.Change>> ticks = new ArrayList<>();
        List<Long> watermarks = new ArrayList<>();
        ZSet main = new ZSet();
        ZSet late = new ZSet();
        long before = Tick.NO_WATERMARK;
        long arrival = 0;
        for (int t = 0; t < 30; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (int i = random.nextInt(40); i > 0; i--) {
                long time = t * 10L + random.nextInt(60) - 40;
                String text = "some text that is not short " + time;
                tick.add(row(text, time, arrival));
                if (before != Tick.NO_WATERMARK && time < before - 7) {
                    late.add(1, text, time, arrival, before - time);
                } else {
                    main.add(1, text, time, arrival);
                }
                arrival++;
            }
            ticks.add(tick);
            before = t < 2 ? Tick.NO_WATERMARK : t * 10L - 10;
            watermarks.add(before);
        }
        History history = new History(1, ticks);
        for (Mode mode : Mode.values()) {
            OperatorHarness.Result result = harness(7, watermarks).run(history, mode, random);
            assertThat(result.last()).isEqualTo(main);
            assertThat(result.late()).isEqualTo(late);
        }
        harness(7, watermarks).runShortOfMemory(history, random);
        harness(7, watermarks).runRestoring(history, random);
    }
}

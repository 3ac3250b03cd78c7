package io.tailwater.executor.aggregate;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
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
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Consolidating changes how many rows there are, never the relation. */
final class ConsolidateOperatorTest {
    private static final Schema NUMBER = Schema.of(new Column("n", DataType.BIGINT.notNull()));

    private static OperatorHarness harness(Schema schema, boolean weighted) {
        PlanNode.Consolidate node =
                new PlanNode.Consolidate(new PlanNode.Values(List.of(), schema, Traits.NONE), Traits.NONE);
        return new OperatorHarness(
                List.of(schema), new boolean[] {weighted}, context -> ConsolidateOperator.create(node, context));
    }

    private static History.Change row(long weight, long value) {
        return new History.Change(0, List.of(value), weight);
    }

    @Test
    void equalRowsOfATickBecomeOne() {
        List<History.Change> tick = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            tick.add(row(1, i % 10));
        }
        OperatorHarness.Result result =
                harness(NUMBER, false).run(new History(1, List.of(tick, tick)), Mode.RANDOM_CUTS, new Random(1));
        assertThat(result.rowsOut()).containsExactly(10L, 10L);
        assertThat(result.last().rows())
                .hasSize(10)
                .allSatisfy((key, weight) -> assertThat(weight).isEqualTo(200L));
    }

    @Test
    void whatATickTakesBackIsNotEmitted() {
        OperatorHarness.Result result = harness(NUMBER, true)
                .run(new History(1, List.of(List.of(row(2, 7), row(-2, 7), row(1, 8)))), Mode.WHOLE, new Random(1));
        assertThat(result.rowsOut()).containsExactly(1L);
        assertThat(result.last()).isEqualTo(new ZSet().add(1, 8L));
    }

    /** More different rows than the table holds, and so few equal ones that it is given up for a while. */
    @Test
    void manyDifferentRowsGetThrough() {
        List<List<History.Change>> ticks = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (int i = 0; i < 40_000; i++) {
                tick.add(row(1, i % 30_000));
            }
            ticks.add(tick);
        }
        OperatorHarness.Result result = harness(NUMBER, false).run(new History(1, ticks), Mode.WHOLE, new Random(1));
        assertThat(result.last()).isEqualTo(new History(1, ticks).content(0, 2));
        assertThat(result.rowsOut().get(1)).isEqualTo(40_000L);
    }

    @Property(tries = 80)
    void theRelationIsTheSame(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema;
        do {
            schema = rows.schema(1 + random.nextInt(4));
        } while (schema.columns().stream().anyMatch(c -> c.type().kind().isView()));
        List<List<History.Change>> ticks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (int r = random.nextInt(60); r > 0; r--) {
                tick.add(new History.Change(0, rows.row(schema, 3), 1 + random.nextInt(2)));
            }
            ticks.add(tick);
        }
        History history = new History(1, ticks).undone(random);
        harness(schema, true).runShortOfMemory(history, random);
        harness(schema, true).runRestoring(history, random);
        for (Mode mode : Mode.values()) {
            OperatorHarness.Result result = harness(schema, true).run(history, mode, random);
            for (int t = 0; t < history.ticks().size(); t++) {
                assertThat(result.afterTick().get(t)).as("%s", mode).isEqualTo(history.content(0, t));
            }
        }
    }
}

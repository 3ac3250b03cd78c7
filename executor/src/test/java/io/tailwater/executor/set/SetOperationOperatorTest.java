package io.tailwater.executor.set;

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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class SetOperationOperatorTest {
    private static final Schema KEY = Schema.of(new Column("k", DataType.BIGINT.notNull()));
    private static final Traits APPEND_ONLY = new Traits(Traits.NONE.distribution(), true, List.of(), List.of());

    private static OperatorHarness harness(
            Schema left, Schema right, PlanNode.SetKind kind, boolean all, Traits traits, boolean[] weighted) {
        PlanNode.SetOperation node = new PlanNode.SetOperation(
                new PlanNode.Values(List.of(), left, Traits.NONE),
                new PlanNode.Values(List.of(), right, Traits.NONE),
                kind,
                all,
                left,
                traits);
        return new OperatorHarness(
                List.of(left, right), weighted, context -> SetOperationOperator.create(node, context));
    }

    private static History.Change change(int input, long weight, @Nullable Object... row) {
        return new History.Change(input, Arrays.asList(row), weight);
    }

    @Test
    void rowsOfBothInputsAreCounted() {
        History history = new History(
                2,
                List.of(
                        List.of(change(0, 3, 7L), change(1, 1, 7L), change(0, 1, 8L)),
                        List.of(change(1, 1, 8L), change(1, 4, 7L))));
        OperatorHarness.Result result = harness(
                        KEY, KEY, PlanNode.SetKind.EXCEPT, true, Traits.NONE, new boolean[] {true, true})
                .run(history, Mode.WHOLE, new Random(0));
        assertThat(result.afterTick()).containsExactly(new ZSet().add(2, 7L).add(1, 8L), new ZSet());
    }

    @Test
    void rowThatWasNeverThereCannotBeTakenOut() {
        assertThatThrownBy(() -> harness(
                                KEY, KEY, PlanNode.SetKind.INTERSECT, false, Traits.NONE, new boolean[] {true, true})
                        .run(new History(2, List.of(List.of(change(1, -1, 9L)))), Mode.WHOLE, new Random(0)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("(9) has weight -1");
    }

    /** A NULL on one side only, where the result's column is NOT NULL. */
    @Test
    void nullOfOneInputIsInNoIntersection() {
        Schema nullable = Schema.of(new Column("k", DataType.BIGINT));
        OperatorHarness.Result result = harness(
                        KEY, nullable, PlanNode.SetKind.INTERSECT, true, Traits.NONE, new boolean[] {true, true})
                .run(
                        new History(
                                2,
                                List.of(List.of(
                                        change(0, 2, 1L), change(1, 1, new Object[] {null}), change(1, 5, 1L)))),
                        Mode.WHOLE,
                        new Random(0));
        assertThat(result.last()).isEqualTo(new ZSet().add(2, 1L));
    }

    @Test
    void intersectionOfGrowingInputsOnlyGrows() {
        Random random = new Random(5);
        RandomRows rows = new RandomRows(random);
        boolean[] appendOnly = {true, true};
        for (boolean all : new boolean[] {false, true}) {
            History history = rows.history(List.of(KEY, KEY), appendOnly, 5, 40, 6);
            OperatorHarness.Result result = harness(
                            KEY, KEY, PlanNode.SetKind.INTERSECT, all, APPEND_ONLY, new boolean[] {false, false})
                    .run(history, Mode.RANDOM_CUTS, random);
            assertThat(result.sawWeights()).isFalse();
            assertThat(result.afterTick()).isEqualTo(expected(history, PlanNode.SetKind.INTERSECT, all));
        }
    }

    private static List<ZSet> expected(History history, PlanNode.SetKind kind, boolean all) {
        List<ZSet> out = new ArrayList<>();
        for (int t = 0; t < history.ticks().size(); t++) {
            Map<List<Object>, Long> right = history.content(1, t).rows();
            ZSet now = new ZSet();
            history.content(0, t).rows().forEach((row, l) -> {
                long r = right.getOrDefault(row, 0L);
                long count = kind == PlanNode.SetKind.INTERSECT
                        ? all ? Math.min(l, r) : Math.min(1, r)
                        : all ? Math.max(0, l - r) : r == 0 ? 1 : 0;
                if (count > 0) {
                    now.addRow(count, new ArrayList<>(row));
                }
            });
            out.add(now);
        }
        return out;
    }

    /** Equals multiset arithmetic, in every cut, order and number of workers; taking everything out leaves nothing. */
    @Property(tries = 120)
    void equalsMultisets(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = rows.schema(1 + random.nextInt(3));
        PlanNode.SetKind kind = random.nextBoolean() ? PlanNode.SetKind.INTERSECT : PlanNode.SetKind.EXCEPT;
        boolean all = random.nextBoolean();
        boolean[] appendOnly = {random.nextInt(3) == 0, random.nextInt(3) == 0};
        boolean[] weighted = {!appendOnly[0], !appendOnly[1]};
        History history = rows.history(List.of(schema, schema), appendOnly, 4, 60, 2 + random.nextInt(4));
        List<ZSet> expected = expected(history, kind, all);
        OperatorHarness harness = harness(schema, schema, kind, all, Traits.NONE, weighted);
        for (Mode mode : Mode.values()) {
            assertThat(harness.run(history, mode, random).afterTick())
                    .as("%s", mode)
                    .isEqualTo(expected);
        }
        assertThat(harness.run(history.shuffled(random), Mode.RANDOM_CUTS, random)
                        .afterTick())
                .isEqualTo(expected);
        int[] key = IntStream.range(0, schema.size()).toArray();
        assertThat(harness.runOnWorkers(3, history, c -> harness.owner(c.input(), c, key, 3), random))
                .isEqualTo(expected.get(3));
        OperatorHarness undoing = harness(schema, schema, kind, all, Traits.NONE, new boolean[] {true, true});
        undoing.runRestoring(history.undone(random), random);
        OperatorHarness.Result undone = undoing.run(history.undone(random), Mode.RANDOM_CUTS, random);
        assertThat(undone.last().isEmpty()).isTrue();
        assertThat(undone.atEnd().rows()).isZero();
        harness.runShortOfMemory(history, random);
        assertThat(harness.runRestoring(history, random).afterTick()).isEqualTo(expected);
    }
}

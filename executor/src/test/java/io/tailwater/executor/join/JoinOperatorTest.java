package io.tailwater.executor.join;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.JoinKind;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.expr.BatchPredicate;
import io.tailwater.executor.harness.DuckOracle;
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
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class JoinOperatorTest {
    private static final Traits APPEND_ONLY = new Traits(new Distribution.Any(), true, List.of(), List.of());
    private static final Schema KEY_VALUE =
            Schema.of(new Column("k", DataType.BIGINT), new Column("v", DataType.BIGINT.notNull()));

    /** A join under test; the residual, if any, is {@code left.v < right.v} of the last columns. */
    private record Case(PlanNode.Join node, boolean leftAppends, boolean rightAppends) {
        OperatorHarness harness() {
            return new OperatorHarness(
                    List.of(node.left().schema(), node.right().schema()),
                    new boolean[] {!leftAppends, !rightAppends},
                    context -> JoinOperator.create(node, context, node.residual() == null ? null : residual()));
        }

        private BatchPredicate residual() {
            int left = node.left().schema().size() - 1;
            int right = node.left().schema().size() + node.right().schema().size() - 1;
            return new BatchPredicate() {
                @Override
                public int select(ColumnBatch batch, int[] selection) {
                    int n = 0;
                    for (int i = 0; i < batch.rows(); i++) {
                        Object a = Values.get(batch, left, i);
                        Object b = Values.get(batch, right, i);
                        if (a != null && b != null && (Long) a < (Long) b) {
                            selection[n++] = i;
                        }
                    }
                    return n;
                }

                @Override
                public void close() {}
            };
        }

        String sql() {
            List<String> conditions = new ArrayList<>();
            for (int i = 0; i < node.leftKeys().size(); i++) {
                String op = node.nullSafe().get(i) ? " IS NOT DISTINCT FROM " : " = ";
                conditions.add("l.c" + node.leftKeys().get(i) + op + "r.c"
                        + node.rightKeys().get(i));
            }
            if (node.residual() != null) {
                conditions.add("l.c" + (node.left().schema().size() - 1) + " < r.c"
                        + (node.right().schema().size() - 1));
            }
            String condition = conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
            return switch (node.kind()) {
                case INNER, LEFT, RIGHT, FULL -> "SELECT l.*, r.* FROM l " + node.kind() + " JOIN r ON " + condition;
                case SEMI -> "SELECT * FROM l WHERE EXISTS (SELECT 1 FROM r WHERE " + condition + ")";
                case ANTI -> "SELECT * FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE " + condition + ")";
                case NULL_AWARE_ANTI ->
                    "SELECT * FROM l WHERE l.c" + node.leftKeys().get(0) + " NOT IN (SELECT c"
                            + node.rightKeys().get(0) + " FROM r)";
            };
        }
    }

    private static Case join(
            Schema left,
            Schema right,
            JoinKind kind,
            List<Integer> leftKeys,
            List<Integer> rightKeys,
            List<Boolean> nullSafe,
            boolean residual,
            boolean... appendOnly) {
        List<Column> columns = new ArrayList<>(left.columns());
        if (kind != JoinKind.SEMI && kind != JoinKind.ANTI && kind != JoinKind.NULL_AWARE_ANTI) {
            columns.addAll(right.columns());
        }
        boolean appends = (kind == JoinKind.INNER || kind == JoinKind.SEMI) && appendOnly[0] && appendOnly[1];
        return new Case(
                new PlanNode.Join(
                        new PlanNode.Values(List.of(), left, appendOnly[0] ? APPEND_ONLY : Traits.NONE),
                        new PlanNode.Values(List.of(), right, appendOnly[1] ? APPEND_ONLY : Traits.NONE),
                        kind,
                        leftKeys,
                        rightKeys,
                        nullSafe,
                        residual ? new Expr.Literal("true", DataType.BOOLEAN) : null,
                        new Schema(columns),
                        appends ? APPEND_ONLY : Traits.NONE),
                appendOnly[0],
                appendOnly[1]);
    }

    private static History.Change change(int input, long weight, @Nullable Object... row) {
        return new History.Change(input, Arrays.asList(row), weight);
    }

    @Test
    void outerRowsAppearAndVanishWithTheirMatches() {
        Case left =
                join(KEY_VALUE, KEY_VALUE, JoinKind.LEFT, List.of(0), List.of(0), List.of(false), false, false, false);
        OperatorHarness.Result result = left.harness()
                .run(
                        new History(
                                2,
                                List.of(
                                        List.of(change(0, 2, 1L, 10L), change(0, 1, null, 5L)),
                                        List.of(change(1, 1, 1L, 7L), change(1, 3, 1L, 8L)),
                                        List.of(change(1, -1, 1L, 7L), change(1, -3, 1L, 8L)),
                                        List.of(change(0, -2, 1L, 10L)))),
                        Mode.WHOLE,
                        new Random(0));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet().add(2, 1L, 10L, null, null).add(1, null, 5L, null, null),
                        new ZSet()
                                .add(2, 1L, 10L, 1L, 7L)
                                .add(6, 1L, 10L, 1L, 8L)
                                .add(1, null, 5L, null, null),
                        new ZSet().add(2, 1L, 10L, null, null).add(1, null, 5L, null, null),
                        new ZSet().add(1, null, 5L, null, null));
        assertThat(result.rowsOut()).containsExactly(2L, 3L, 3L, 1L);
        assertThat(result.atEnd().rows()).isZero();
    }

    @Test
    void matchesCountForARowThatIsOutForAMoment() {
        Case left =
                join(KEY_VALUE, KEY_VALUE, JoinKind.LEFT, List.of(0), List.of(0), List.of(false), true, false, false);
        OperatorHarness.Result result = left.harness()
                .run(
                        new History(
                                2,
                                List.of(
                                        List.of(
                                                change(0, 1, 1L, 10L),
                                                change(0, -1, 1L, 10L),
                                                change(1, 1, 1L, 11L),
                                                change(0, 1, 1L, 10L)),
                                        List.of(change(1, -1, 1L, 11L)))),
                        Mode.ROW_BY_ROW,
                        new Random(0));
        assertThat(result.afterTick())
                .containsExactly(new ZSet().add(1, 1L, 10L, 1L, 11L), new ZSet().add(1, 1L, 10L, null, null));
    }

    @Test
    void appendOnlyInnerJoinHasNoWeights() {
        Case inner =
                join(KEY_VALUE, KEY_VALUE, JoinKind.INNER, List.of(0), List.of(0), List.of(false), false, true, true);
        List<History.Change> tick = new ArrayList<>();
        ZSet expected = new ZSet();
        for (long i = 0; i < 100; i++) {
            tick.add(change(0, 1, 1L, i));
            tick.add(change(1, 1, 1L, -i));
            for (long j = 0; j < 100; j++) {
                expected.add(1, 1L, i, 1L, -j);
            }
        }
        OperatorHarness.Result result =
                inner.harness().run(new History(2, List.of(tick)), Mode.RANDOM_CUTS, new Random(3));
        assertThat(result.last()).isEqualTo(expected);
        assertThat(result.sawWeights()).isFalse();
    }

    @Test
    void rowTakenOutTooOftenIsNamed() {
        Case inner =
                join(KEY_VALUE, KEY_VALUE, JoinKind.INNER, List.of(0), List.of(0), List.of(false), false, false, true);
        assertThatThrownBy(() -> inner.harness()
                        .run(
                                new History(2, List.of(List.of(change(0, 1, 1L, 10L), change(0, -1, 1L, 11L)))),
                                Mode.WHOLE,
                                new Random(0)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("(11) with join key (1)");
    }

    @Test
    void notInOfSeveralColumnsIsRefused() {
        Case notIn = join(
                KEY_VALUE,
                KEY_VALUE,
                JoinKind.NULL_AWARE_ANTI,
                List.of(0, 1),
                List.of(0, 1),
                List.of(false, false),
                false,
                false,
                false);
        assertThatThrownBy(() -> notIn.harness().run(new History(2, List.of()), Mode.WHOLE, new Random(0)))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FEATURE_NOT_SUPPORTED));
    }

    @Test
    void integerKeysOfDifferentWidthsMeet() {
        Schema narrow = Schema.of(new Column("k", DataType.SMALLINT), new Column("v", DataType.BIGINT));
        Case inner =
                join(narrow, KEY_VALUE, JoinKind.FULL, List.of(0), List.of(0), List.of(false), false, false, false);
        OperatorHarness.Result result = inner.harness()
                .run(
                        new History(
                                2,
                                List.of(List.of(
                                        change(0, 1, -3L, 1L), change(1, 1, -3L, 2L), change(1, 1, 70_000L, 3L)))),
                        Mode.WHOLE,
                        new Random(0));
        assertThat(result.last()).isEqualTo(new ZSet().add(1, -3L, 1L, -3L, 2L).add(1, null, null, 70_000L, 3L));
    }

    /** Any join over any history equals DuckDB's answer after each tick, however the ticks are cut. */
    @Property(tries = 120)
    void equalsDuckDbAfterEachTick(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Case test = anyJoin(rows, random);
        PlanNode.Join node = test.node();
        JoinKind kind = node.kind();
        Schema left = node.left().schema();
        Schema right = node.right().schema();
        boolean[] appendOnly = {test.leftAppends(), test.rightAppends()};
        History history = rows.history(
                List.of(left, right), appendOnly, 1 + random.nextInt(5), 5 + random.nextInt(40), 3 + random.nextInt(9));
        List<ZSet> expected = new ArrayList<>();
        try (DuckOracle duck = new DuckOracle()) {
            for (int t = 0; t < history.ticks().size(); t++) {
                duck.table("l", left, history.content(0, t));
                duck.table("r", right, history.content(1, t));
                expected.add(duck.query(test.sql(), test.node().schema()));
            }
        }
        for (Mode mode : Mode.values()) {
            OperatorHarness.Result result = test.harness().run(history.shuffled(random), mode, random);
            assertThat(result.afterTick()).as("%s: %s", mode, test.sql()).isEqualTo(expected);
            assertThat(result.sawWeights() && test.node().traits().appendOnly()).isFalse();
        }
        OperatorHarness harness = test.harness();
        int workers = 1 + random.nextInt(4);
        int[] key = node.leftKeys().stream().mapToInt(i -> i).toArray();
        ZSet onWorkers = harness.runOnWorkers(
                workers,
                history,
                c -> kind == JoinKind.NULL_AWARE_ANTI && c.input() == 1
                        ? -1
                        : key.length == 0 ? 0 : harness.owner(c.input(), c, key, workers),
                random);
        assertThat(onWorkers).as("%d workers", workers).isEqualTo(expected.get(expected.size() - 1));
        test.harness().runShortOfMemory(history, random);
        test.harness().runRestoring(history, random);
        if (!appendOnly[0] && !appendOnly[1]) {
            OperatorHarness.Result undone = test.harness().run(history.undone(random), Mode.RANDOM_CUTS, random);
            assertThat(undone.last().isEmpty()).isTrue();
            assertThat(undone.atEnd().rows()).isZero();
        }
    }

    private static Case anyJoin(RandomRows rows, Random random) {
        JoinKind kind = List.of(JoinKind.values()).get(random.nextInt(JoinKind.values().length));
        int keys = kind == JoinKind.NULL_AWARE_ANTI ? 1 : random.nextInt(3);
        boolean residual = kind != JoinKind.NULL_AWARE_ANTI && random.nextInt(3) == 0;
        Schema left = schema(rows, random, keys, null);
        Schema right = schema(rows, random, keys, left);
        List<Integer> keyColumns = new ArrayList<>();
        List<Boolean> nullSafe = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            keyColumns.add(i);
            nullSafe.add(kind != JoinKind.NULL_AWARE_ANTI && random.nextInt(4) == 0);
        }
        boolean[] appendOnly = {random.nextInt(3) == 0, random.nextInt(3) == 0};
        return join(left, right, kind, keyColumns, keyColumns, nullSafe, residual, appendOnly);
    }

    /** Over a long history, with some keys that come and go and many that meet. */
    @Property(tries = 100)
    void goesOnFromSnapshots(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Case test = anyJoin(rows, random);
        Schema left = test.node().left().schema();
        Schema right = test.node().right().schema();
        boolean[] appendOnly = {test.leftAppends(), test.rightAppends()};
        History drawn = rows.history(List.of(left, right), appendOnly, 25, 12, 2 + random.nextInt(9));
        History history = appendOnly[0] || appendOnly[1] ? drawn : drawn.undone(random);
        test.harness().runRestoring(history, random);
    }

    /** Key columns first, of the other side's types; a BIGINT last, for the residual. */
    private static Schema schema(RandomRows rows, Random random, int keys, @Nullable Schema like) {
        List<Column> columns = new ArrayList<>();
        int more = random.nextInt(3);
        for (int i = 0; i < keys + more; i++) {
            DataType type = like != null && i < keys ? like.type(i).withNullable(random.nextBoolean()) : rows.type();
            columns.add(new Column("c" + i, type));
        }
        columns.add(
                new Column("c" + columns.size(), random.nextBoolean() ? DataType.BIGINT : DataType.BIGINT.notNull()));
        return new Schema(columns);
    }
}

package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
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

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class AggregateOperatorTest {
    private static final Traits APPEND_ONLY = new Traits(new Distribution.Any(), true, List.of(), List.of());

    private static PlanNode values(Schema schema, boolean appendOnly) {
        return new PlanNode.Values(List.of(), schema, appendOnly ? APPEND_ONLY : Traits.NONE);
    }

    private static PlanNode.Aggregate aggregate(
            Schema input, boolean appendOnly, List<Integer> keys, List<AggregateCall> calls) {
        List<Column> columns = new ArrayList<>();
        keys.forEach(k -> columns.add(input.column(k)));
        calls.forEach(c -> columns.add(new Column("a" + columns.size(), c.type())));
        return new PlanNode.Aggregate(values(input, appendOnly), keys, calls, new Schema(columns), Traits.NONE);
    }

    private static OperatorHarness harness(PlanNode.Aggregate node) {
        boolean appendOnly = node.input().traits().appendOnly();
        return new OperatorHarness(
                List.of(node.input().schema()),
                new boolean[] {!appendOnly},
                context -> AggregateOperator.create(node, context));
    }

    private static History.Change change(long weight, @Nullable Object... row) {
        return new History.Change(0, Arrays.asList(row), weight);
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    private static OperatorHarness.Result run(PlanNode.Aggregate node, List<History.Change>... ticks) {
        History history = new History(1, List.of(ticks));
        OperatorHarness.Result result = harness(node).run(history, Mode.WHOLE, new Random(1));
        for (int seed = 0; seed < 4; seed++) {
            assertThat(harness(node).runRestoring(history, new Random(seed)).afterTick())
                    .isEqualTo(result.afterTick());
        }
        return result;
    }

    private static final Schema KEY_VALUE =
            Schema.of(new Column("k", DataType.BIGINT), new Column("v", DataType.BIGINT));

    @Test
    void emitsOnlyTheNetChangeOfATick() {
        PlanNode.Aggregate node = aggregate(
                KEY_VALUE, false, List.of(0), List.of(AggregateCall.of(AggregateFunction.SUM, DataType.BIGINT, 1)));
        OperatorHarness.Result result = run(
                node,
                List.of(change(1, 1L, 10L), change(1, 2L, 20L)),
                List.of(change(1, 1L, 5L), change(-1, 1L, 5L)),
                List.of(change(-1, 2L, 20L)));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet().add(1, 1L, 10L).add(1, 2L, 20L),
                        new ZSet().add(1, 1L, 10L).add(1, 2L, 20L),
                        new ZSet().add(1, 1L, 10L));
        assertThat(result.rowsOut()).containsExactly(2L, 0L, 1L);
        assertThat(result.atEnd().rows()).isEqualTo(1);
    }

    @Test
    void globalAggregateHasARowOverNoInput() {
        PlanNode.Aggregate node = aggregate(
                KEY_VALUE,
                false,
                List.of(),
                List.of(
                        AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT),
                        AggregateCall.of(AggregateFunction.MAX, DataType.BIGINT, 1)));
        OperatorHarness.Result result = run(node, List.of(), List.of(change(2, 1L, 7L)), List.of(change(-2, 1L, 7L)));
        assertThat(result.afterTick())
                .containsExactly(new ZSet().add(1, 0L, null), new ZSet().add(1, 2L, 7L), new ZSet().add(1, 0L, null));
    }

    @Test
    void sumOfBigintFailsOnlyIfTheResultDoesNotFit() {
        PlanNode.Aggregate node = aggregate(
                KEY_VALUE, false, List.of(), List.of(AggregateCall.of(AggregateFunction.SUM, DataType.BIGINT, 1)));
        OperatorHarness.Result fits =
                run(node, List.of(change(1, 1L, Long.MAX_VALUE), change(3, 1L, 4L), change(-1, 1L, 12L)), List.of());
        assertThat(fits.last()).isEqualTo(new ZSet().add(1, Long.MAX_VALUE));
        assertThatThrownBy(() -> run(node, List.of(change(2, 1L, Long.MAX_VALUE))))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE));
    }

    @Test
    void distinctOfAnAppendOnlyInputHasNoWeights() {
        PlanNode.Aggregate plain = aggregate(KEY_VALUE, true, List.of(0), List.of());
        PlanNode.Aggregate node =
                new PlanNode.Aggregate(plain.input(), plain.groupKeys(), plain.calls(), plain.schema(), APPEND_ONLY);
        OperatorHarness.Result result =
                run(node, List.of(change(1, 1L, 1L), change(1, 1L, 2L)), List.of(change(1, 1L, 3L), change(1, 2L, 3L)));
        assertThat(result.last()).isEqualTo(new ZSet().add(1, 1L).add(1, 2L));
        assertThat(result.rowsOut()).containsExactly(1L, 1L);
        assertThat(result.sawWeights()).isFalse();
    }

    @Test
    void negativeGroupIsAnErrorThatNamesIt() {
        PlanNode.Aggregate node = aggregate(KEY_VALUE, false, List.of(0), List.of());
        assertThatThrownBy(() -> run(node, List.of(change(1, 1L, 1L), change(-1, 42L, 1L))))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("(42)");
    }

    @Test
    void scalarSubQueryWithTwoRowsIsACardinalityViolation() {
        PlanNode.Aggregate node = aggregate(
                KEY_VALUE,
                false,
                List.of(),
                List.of(AggregateCall.of(AggregateFunction.SINGLE_VALUE, DataType.BIGINT, 1)));
        assertThat(run(node, List.of(change(1, 1L, null))).last()).isEqualTo(new ZSet().add(1, (Object) null));
        assertThatThrownBy(() -> run(node, List.of(change(1, 1L, null), change(1, 1L, 3L))))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CARDINALITY_VIOLATION));
    }

    @Test
    void zeroAndNaNGroupByValue() {
        Schema schema = Schema.of(new Column("d", DataType.DOUBLE));
        PlanNode.Aggregate node = aggregate(
                schema, false, List.of(0), List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT)));
        double otherNaN = Double.longBitsToDouble(0x7ff8000000000001L);
        OperatorHarness.Result result = run(
                node,
                List.of(
                        change(1, 0.0d),
                        change(1, -0.0d),
                        change(1, Double.NaN),
                        change(1, otherNaN),
                        change(1, (Object) null)));
        assertThat(result.last())
                .isEqualTo(new ZSet().add(1, 0.0d, 2L).add(1, Double.NaN, 2L).add(1, null, 1L));
    }

    @Test
    void textIsJoinedInOrderWithItsSeparator() {
        Schema schema = Schema.of(
                new Column("s", DataType.VARCHAR),
                new Column("sep", DataType.VARCHAR),
                new Column("n", DataType.BIGINT));
        PlanNode.Aggregate node = aggregate(
                schema,
                false,
                List.of(),
                List.of(new AggregateCall(
                        AggregateFunction.STRING_AGG,
                        List.of(0, 1),
                        -1,
                        false,
                        List.of(new SortKey(2, true, false)),
                        DataType.VARCHAR)));
        OperatorHarness.Result result = run(
                node,
                List.of(
                        change(1, "b", ", ", 1L),
                        change(2, "a", ", ", 3L),
                        change(1, "long enough to be kept apart", ", ", null)),
                List.of(change(1, null, ", ", 9L), change(-1, "a", ", ", 3L)),
                List.of(
                        change(-1, "long enough to be kept apart", ", ", null),
                        change(-1, "b", ", ", 1L),
                        change(1, "z", null, 1L)));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet().add(1, "a, a, b, long enough to be kept apart"),
                        new ZSet().add(1, "a, b, long enough to be kept apart"),
                        new ZSet().add(1, "az"));
    }

    @Test
    void averagesRoundOnce() {
        Schema schema = Schema.of(
                new Column("n", DataType.BIGINT),
                new Column("d", DataType.decimal(10, 2)),
                new Column("r", DataType.REAL));
        PlanNode.Aggregate node = aggregate(
                schema,
                false,
                List.of(),
                List.of(
                        AggregateCall.of(AggregateFunction.AVG, DataType.DOUBLE, 0),
                        AggregateCall.of(AggregateFunction.AVG, DataType.decimal(38, 6), 1),
                        AggregateCall.of(AggregateFunction.AVG, DataType.DOUBLE, 2)));
        long big = Long.MAX_VALUE;
        OperatorHarness.Result result = run(
                node,
                List.of(
                        change(1, big, new BigDecimal("0.01"), 0.5f),
                        change(1, big - 1, new BigDecimal("0.01"), 0.25f),
                        change(1, big - 1, new BigDecimal("0.00"), null)),
                List.of(
                        change(-1, big, new BigDecimal("0.01"), 0.5f),
                        change(-1, big - 1, new BigDecimal("0.01"), 0.25f),
                        change(2, 2 - big, new BigDecimal("-0.01"), 0.5f)));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet().add(1, 0x1p63, new BigDecimal("0.006667"), 0.375),
                        // (2^63 - 2 + 2 * (2 - (2^63 - 1))) / 3
                        new ZSet().add(1, -3.0744573456182584E18, new BigDecimal("-0.006667"), 0.5));
    }

    @Test
    void varianceLosesNothingToCancellation() {
        Schema schema = Schema.of(
                new Column("n", DataType.BIGINT),
                new Column("d", DataType.decimal(20, 2)),
                new Column("x", DataType.DOUBLE));
        List<AggregateCall> calls = new ArrayList<>();
        for (int column = 0; column < 3; column++) {
            calls.add(AggregateCall.of(AggregateFunction.VAR_POP, DataType.DOUBLE, column));
            calls.add(AggregateCall.of(AggregateFunction.VAR_SAMP, DataType.DOUBLE, column));
            calls.add(AggregateCall.of(AggregateFunction.STDDEV_POP, DataType.DOUBLE, column));
            calls.add(AggregateCall.of(AggregateFunction.STDDEV_SAMP, DataType.DOUBLE, column));
        }
        PlanNode.Aggregate node = aggregate(schema, false, List.of(), calls);
        long base = 1_000_000_000_000_000L;
        List<History.Change> changes = new ArrayList<>();
        for (long v : new long[] {0, 2, 4, 6}) {
            changes.add(change(1, base + v, BigDecimal.valueOf(base + v, 2).setScale(2), 1e15 + v));
        }
        List<Object> first = new ArrayList<>(
                run(node, changes).last().rows().keySet().iterator().next());
        double root = Math.sqrt(20.0 / 3);
        assertThat(first.subList(0, 4)).containsExactly(5.0, 20.0 / 3, Math.sqrt(5), root);
        assertThat(first.subList(4, 8)).containsExactly(0.0005, 20.0 / 30000, Math.sqrt(0.0005), root / 100);
        assertThat(first.subList(8, 12)).containsExactly(5.0, 20.0 / 3, Math.sqrt(5), root);
        ZSet one = run(node, changes.subList(0, 1)).last();
        assertThat(one).isEqualTo(new ZSet().add(1, 0.0, null, 0.0, null, 0.0, null, 0.0, null, 0.0, null, 0.0, null));
    }

    @Test
    void sumOfDecimalsFailsPast38Digits() {
        Schema schema = Schema.of(new Column("d", DataType.decimal(38, 0)));
        PlanNode.Aggregate node = aggregate(
                schema, false, List.of(), List.of(AggregateCall.of(AggregateFunction.SUM, DataType.decimal(38, 0), 0)));
        BigDecimal most = BigDecimal.TEN.pow(38).subtract(BigDecimal.ONE);
        assertThat(run(node, List.of(change(1_000_000, most), change(-999_999, most)))
                        .last())
                .isEqualTo(new ZSet().add(1, most));
        assertThatThrownBy(() -> run(node, List.of(change(1, most), change(1, BigDecimal.ONE))))
                .isInstanceOfSatisfying(
                        StreamException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE));
    }

    /** Any doubles, any order, retraction: the sum is the correctly rounded exact sum. */
    @Property(tries = 150)
    void sumOfDoublesIsExactWhateverTheOrder(@ForAll long seed) {
        Random random = new Random(seed);
        Schema schema = Schema.of(new Column("d", DataType.DOUBLE));
        PlanNode.Aggregate node = aggregate(
                schema,
                false,
                List.of(),
                List.of(
                        AggregateCall.of(AggregateFunction.SUM, DataType.DOUBLE, 0),
                        AggregateCall.of(AggregateFunction.AVG, DataType.DOUBLE, 0),
                        AggregateCall.of(AggregateFunction.VAR_POP, DataType.DOUBLE, 0)));
        List<History.Change> first = new ArrayList<>();
        List<History.Change> second = new ArrayList<>();
        BigDecimal exact = BigDecimal.ZERO;
        long kept = 0;
        int spread = 1 + random.nextInt(1000);
        for (int i = 0; i < 1 + random.nextInt(20); i++) {
            double value = Math.scalb(random.nextDouble() - 0.5, random.nextInt(2 * spread) - spread);
            long weight = 1L + random.nextInt(3);
            first.add(change(weight, value));
            if (i > 0 && random.nextInt(3) == 0) {
                second.add(change(-weight, value));
            } else {
                exact = exact.add(new BigDecimal(value).multiply(BigDecimal.valueOf(weight)));
                kept += weight;
            }
        }
        java.util.Collections.shuffle(second, random);
        List<Object> row = new ArrayList<>(
                run(node, first, second).last().rows().keySet().iterator().next());
        // BigDecimal.doubleValue of this release does not always round correctly: settle it by comparing neighbours.
        assertNearest((Double) row.get(0), exact);
        if (((Double) row.get(1)) != 0 && Math.abs((Double) row.get(1)) > Double.MIN_NORMAL) {
            assertNearest((Double) row.get(1), exact.divide(BigDecimal.valueOf(kept), new java.math.MathContext(1200)));
        }
        OperatorHarness.Result other = run(node, shuffled(first, random), shuffled(second, random));
        assertThat(other.last().rows().keySet()).containsExactly(row);
    }

    @Test
    void sumsOfDoublesHalfWayGoToTheEvenOne() {
        Schema schema = Schema.of(new Column("d", DataType.DOUBLE));
        PlanNode.Aggregate node = aggregate(
                schema, false, List.of(), List.of(AggregateCall.of(AggregateFunction.SUM, DataType.DOUBLE, 0)));
        double wide = 0x1p53;
        // The huge value moves the sum to its full width; taken out again, it leaves the other way of rounding.
        OperatorHarness.Result result = run(
                node,
                List.of(change(1, wide), change(1, 1.0)),
                List.of(change(1, 2.0)),
                List.of(change(1, 0x1p-1000)),
                List.of(change(-1, 0x1p-1000), change(-1, 1.0), change(-1, 2.0), change(1, 1.0)),
                List.of(change(1, 2.0)),
                List.of(change(-1, 1.0), change(-1, 2.0), change(-1, wide), change(1, -wide), change(1, -3.0)));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet().add(1, wide),
                        new ZSet().add(1, wide + 4),
                        new ZSet().add(1, wide + 4),
                        new ZSet().add(1, wide),
                        new ZSet().add(1, wide + 4),
                        new ZSet().add(1, -wide - 4));
    }

    private static List<History.Change> shuffled(List<History.Change> changes, Random random) {
        List<History.Change> copy = new ArrayList<>(changes);
        java.util.Collections.shuffle(copy, random);
        return copy;
    }

    private static void assertNearest(double actual, BigDecimal exact) {
        BigDecimal error = new BigDecimal(actual).subtract(exact).abs();
        assertThat(error)
                .isLessThanOrEqualTo(
                        new BigDecimal(Math.nextUp(actual)).subtract(exact).abs());
        assertThat(error)
                .isLessThanOrEqualTo(
                        new BigDecimal(Math.nextDown(actual)).subtract(exact).abs());
    }

    @Test
    void infinitiesAndNaNComeAndGo() {
        Schema schema = Schema.of(new Column("d", DataType.DOUBLE));
        PlanNode.Aggregate node = aggregate(
                schema, false, List.of(), List.of(AggregateCall.of(AggregateFunction.SUM, DataType.DOUBLE, 0)));
        OperatorHarness.Result result = run(
                node,
                List.of(change(1, 1.5d), change(1, Double.POSITIVE_INFINITY)),
                List.of(change(1, Double.NEGATIVE_INFINITY)),
                List.of(change(-1, Double.POSITIVE_INFINITY)),
                List.of(change(-1, Double.NEGATIVE_INFINITY), change(1, 1e300), change(1, Double.MIN_VALUE)),
                List.of(change(-1, 1e300), change(-1, 1.5)));
        assertThat(result.afterTick())
                .containsExactly(
                        new ZSet().add(1, Double.POSITIVE_INFINITY),
                        new ZSet().add(1, Double.NaN),
                        new ZSet().add(1, Double.NEGATIVE_INFINITY),
                        new ZSet().add(1, 1e300),
                        new ZSet().add(1, Double.MIN_VALUE));
    }

    /** A random query over a random history equals DuckDB's answer after each tick, however the ticks are cut. */
    @Property(tries = 60)
    void equalsDuckDbAfterEachTick(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        boolean appendOnly = random.nextInt(3) == 0;
        Schema schema = rows.schema(2 + random.nextInt(4));
        List<Integer> keys = new ArrayList<>();
        for (int c = 0; c < schema.size() && keys.size() < 3; c++) {
            if (random.nextInt(3) == 0) {
                keys.add(c);
            }
        }
        List<AggregateCall> calls = new ArrayList<>();
        List<String> sql = new ArrayList<>();
        for (int i = random.nextInt(5); i > (keys.isEmpty() ? -1 : 0); i--) {
            randomCall(schema, random, calls, sql);
        }
        PlanNode.Aggregate node = aggregate(schema, appendOnly, keys, calls);
        History history = rows.history(
                List.of(schema), new boolean[] {appendOnly}, 1 + random.nextInt(4), 60, 3 + random.nextInt(20));
        compare(node, history, query(keys, sql), random);
    }

    private static String query(List<Integer> keys, List<String> calls) {
        List<String> columns = new ArrayList<>();
        keys.forEach(k -> columns.add("c" + k));
        String by = String.join(", ", columns);
        columns.addAll(calls);
        String select = "SELECT " + String.join(", ", columns) + " FROM t";
        return keys.isEmpty() ? select : select + " GROUP BY " + by;
    }

    private static void compare(PlanNode.Aggregate node, History history, String query, Random random) {
        Schema schema = node.input().schema();
        List<ZSet> expected = new ArrayList<>();
        try (DuckOracle duck = new DuckOracle()) {
            for (int t = 0; t < history.ticks().size(); t++) {
                duck.table("t", schema, history.content(0, t));
                expected.add(duck.query(query, node.schema()));
            }
        }
        for (Mode mode : Mode.values()) {
            OperatorHarness.Result result = harness(node).run(history.shuffled(random), mode, random);
            assertThat(result.afterTick()).as("%s: %s", mode, query).isEqualTo(expected);
        }
        OperatorHarness harness = harness(node);
        int workers = 1 + random.nextInt(4);
        int[] key = node.groupKeys().stream().mapToInt(i -> i).toArray();
        ZSet onWorkers = harness.runOnWorkers(
                workers, history, c -> key.length == 0 ? 0 : harness.owner(0, c, key, workers), random);
        assertThat(onWorkers).as("%d workers", workers).isEqualTo(expected.get(expected.size() - 1));
        harness.runShortOfMemory(history, random);
        assertThat(harness.runRestoring(history, random).afterTick())
                .as("restored: %s", query)
                .isEqualTo(expected);
        if (!node.input().traits().appendOnly()) {
            History undo = history.undone(random);
            harness(node).runRestoring(undo, random);
            OperatorHarness.Result undone = harness(node).run(undo, Mode.RANDOM_CUTS, random);
            assertThat(undone.atEnd().rows()).isEqualTo(node.groupKeys().isEmpty() ? 1 : 0);
            if (!node.groupKeys().isEmpty()) {
                assertThat(undone.last().isEmpty()).isTrue();
            }
        }
    }

    private static void randomCall(Schema schema, Random random, List<AggregateCall> calls, List<String> sql) {
        int column = random.nextInt(schema.size());
        DataType type = schema.type(column);
        int filter = -1;
        for (int c = 0; c < schema.size(); c++) {
            if (schema.type(c).kind() == TypeKind.BOOLEAN && random.nextBoolean()) {
                filter = c;
            }
        }
        AggregateFunction function;
        DataType result;
        String text;
        boolean distinct = false;
        switch (random.nextInt(9)) {
            case 0 -> {
                calls.add(new AggregateCall(
                        AggregateFunction.COUNT, List.of(), filter, false, List.of(), DataType.BIGINT));
                sql.add("count(*)" + filterText(filter));
                return;
            }
            case 1, 2 -> {
                function = AggregateFunction.MIN;
                result = type;
                text = "min(c" + column + ")";
            }
            case 3, 4 -> {
                function = AggregateFunction.MAX;
                result = type;
                text = "max(c" + column + ")";
            }
            case 5 -> {
                if (type.kind() == TypeKind.VARCHAR) {
                    List<SortKey> order = order(schema, column, random);
                    calls.add(new AggregateCall(
                            AggregateFunction.STRING_AGG, List.of(column), filter, false, order, DataType.VARCHAR));
                    sql.add("string_agg(c" + column + ", '' ORDER BY " + DuckOracle.orderBy(order) + ")"
                            + filterText(filter));
                    return;
                }
                function = AggregateFunction.COUNT;
                distinct = true;
                result = DataType.BIGINT;
                text = "count(DISTINCT c" + column + ")";
            }
            case 6 -> {
                boolean last = random.nextBoolean();
                List<SortKey> order = order(schema, column, random);
                calls.add(new AggregateCall(
                        last ? AggregateFunction.LAST_VALUE : AggregateFunction.FIRST_VALUE,
                        List.of(column),
                        filter,
                        false,
                        order,
                        type));
                sql.add((last ? "last" : "first") + "(c" + column + " ORDER BY " + DuckOracle.orderBy(order) + ")"
                        + " FILTER (WHERE c" + column + " IS NOT NULL" + (filter < 0 ? ")" : " AND c" + filter + ")"));
                return;
            }
            default -> {
                distinct = random.nextInt(3) == 0;
                String d = distinct ? "DISTINCT " : "";
                if (type.kind().isInteger()) {
                    boolean average = random.nextBoolean();
                    function = average ? AggregateFunction.AVG : AggregateFunction.SUM;
                    result = average ? DataType.DOUBLE : DataType.BIGINT;
                    text = average
                            ? "(sum(" + d + "c" + column + ")" + filterText(filter) + ")::DOUBLE / (count(" + d + "c"
                                    + column + ")" + filterText(filter) + ")::DOUBLE"
                            : "sum(" + d + "c" + column + ")" + filterText(filter);
                    calls.add(new AggregateCall(function, List.of(column), filter, distinct, List.of(), result));
                    sql.add(text);
                    return;
                } else if (type.kind() == TypeKind.DECIMAL) {
                    function = AggregateFunction.SUM;
                    result = DataType.decimal(38, type.scale());
                    text = "sum(" + d + "c" + column + ")";
                } else if (type.kind() == TypeKind.DOUBLE) {
                    function = AggregateFunction.SUM;
                    result = DataType.DOUBLE;
                    text = "sum(" + d + "c" + column + ")";
                } else if (type.kind() == TypeKind.BOOLEAN) {
                    boolean and = random.nextBoolean();
                    function = and ? AggregateFunction.BOOL_AND : AggregateFunction.BOOL_OR;
                    result = DataType.BOOLEAN;
                    text = (and ? "bool_and(" : "bool_or(") + d + "c" + column + ")";
                } else {
                    function = AggregateFunction.COUNT;
                    result = DataType.BIGINT;
                    text = "count(" + d + "c" + column + ")";
                }
            }
        }
        calls.add(new AggregateCall(function, List.of(column), filter, distinct, List.of(), result));
        sql.add(text + filterText(filter));
    }

    /** By another column first, at times; by the value last, so that ties are alike. */
    private static List<SortKey> order(Schema schema, int column, Random random) {
        List<SortKey> order = new ArrayList<>();
        int other = random.nextInt(schema.size());
        if (other != column && random.nextBoolean()) {
            order.add(new SortKey(other, random.nextBoolean(), random.nextBoolean()));
        }
        order.add(new SortKey(column, random.nextBoolean(), random.nextBoolean()));
        return order;
    }

    private static String filterText(int filter) {
        return filter < 0 ? "" : " FILTER (WHERE c" + filter + ")";
    }

    @Test
    void manyGroupsGrowTheTableAndLeaveAgain() {
        PlanNode.Aggregate node = aggregate(
                KEY_VALUE, false, List.of(0), List.of(AggregateCall.of(AggregateFunction.MIN, DataType.BIGINT, 1)));
        List<History.Change> in = new ArrayList<>();
        List<History.Change> out = new ArrayList<>();
        ZSet expected = new ZSet();
        for (long k = 0; k < 20_000; k++) {
            in.add(change(1, k * 7, k));
            (k % 2 == 0 ? out : new ArrayList<History.Change>()).add(change(-1, k * 7, k));
            if (k % 2 == 1) {
                expected.add(1, k * 7, k);
            }
        }
        OperatorHarness.Result result = run(node, in, out);
        assertThat(result.last()).isEqualTo(expected);
        assertThat(result.atEnd().rows()).isEqualTo(10_000);
        assertThat(Mem.CHECKED).as("tests run with checked memory").isTrue();
    }
}

package io.tailwater.executor.time;

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

final class SessionAssignOperatorTest {
    private static final long SECOND = 1_000_000;
    private static final Schema SCHEMA = Schema.of(
            new Column("k", DataType.BIGINT), new Column("ts", DataType.TIMESTAMP), new Column("s", DataType.VARCHAR));

    private static PlanNode.SessionAssign node(
            Schema schema, List<Integer> keys, int time, long gap, PlanNode.@Nullable Retention retention) {
        List<Column> columns = new ArrayList<>(schema.columns());
        columns.add(new Column("window_start", schema.type(time).notNull()));
        columns.add(new Column("window_end", schema.type(time).notNull()));
        return new PlanNode.SessionAssign(
                new PlanNode.Values(List.of(), schema, Traits.NONE),
                keys,
                time,
                gap,
                new Schema(columns),
                Traits.NONE,
                retention);
    }

    private static OperatorHarness harness(PlanNode.SessionAssign node, boolean weighted) {
        return new OperatorHarness(
                List.of(node.input().schema()),
                new boolean[] {weighted},
                context -> SessionAssignOperator.create(node, context));
    }

    private static History.Change at(long weight, long key, @Nullable Long seconds) {
        return new History.Change(
                0, Arrays.asList(key, seconds == null ? null : seconds * SECOND, "text number " + seconds), weight);
    }

    private static ZSet rows(long... keySecondStartEnd) {
        ZSet out = new ZSet();
        for (int i = 0; i < keySecondStartEnd.length; i += 4) {
            out.add(
                    1,
                    keySecondStartEnd[i],
                    keySecondStartEnd[i + 1] * SECOND,
                    "text number " + keySecondStartEnd[i + 1],
                    keySecondStartEnd[i + 2] * SECOND,
                    keySecondStartEnd[i + 3] * SECOND);
        }
        return out;
    }

    @Test
    void rowsMergeAndSplitSessions() {
        History history = new History(
                1,
                List.of(
                        List.of(at(1, 1L, 0L), at(1, 1L, 10L), at(1, 1L, null)),
                        List.of(at(1, 1L, 5L)),
                        List.of(at(-1, 1L, 5L))));
        OperatorHarness.Result result =
                harness(node(SCHEMA, List.of(0), 1, 6 * SECOND, null), true).run(history, Mode.WHOLE, new Random(0));
        ZSet apart = rows(1, 0, 0, 6, 1, 10, 10, 16);
        assertThat(result.afterTick()).containsExactly(apart, rows(1, 0, 0, 16, 1, 5, 0, 16, 1, 10, 0, 16), apart);
        assertThat(result.rowsOut()).containsExactly(2L, 5L, 5L);
    }

    @Test
    void rowExactlyAGapLaterBeginsASession() {
        History history = new History(1, List.of(List.of(at(1, 1L, 0L), at(1, 1L, 6L), at(1, 1L, 11L))));
        OperatorHarness.Result result =
                harness(node(SCHEMA, List.of(0), 1, 6 * SECOND, null), true).run(history, Mode.WHOLE, new Random(0));
        assertThat(result.last()).isEqualTo(rows(1, 0, 0, 6, 1, 6, 6, 17, 1, 11, 6, 17));
    }

    /** A row between others of its session moves none of them. */
    @Test
    void rowWithinASessionIsEmittedAlone() {
        History history = new History(
                1,
                List.of(List.of(at(1, 1L, 0L), at(1, 1L, 4L), at(1, 1L, 8L)), List.of(at(1, 1L, 3L), at(1, 1L, 5L))));
        OperatorHarness.Result result =
                harness(node(SCHEMA, List.of(0), 1, 6 * SECOND, null), true).run(history, Mode.WHOLE, new Random(0));
        assertThat(result.rowsOut()).containsExactly(3L, 2L);
    }

    @Test
    void rowThatWasNeverThereCannotBeTakenOut() {
        assertThatThrownBy(() -> harness(node(SCHEMA, List.of(0), 1, SECOND, null), true)
                        .run(new History(1, List.of(List.of(at(-1, 1L, 3L)))), Mode.WHOLE, new Random(0)))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("has weight -1");
    }

    /** What is held stays the same over a long stream of sessions that end. */
    @Test
    void closedSessionsAreDropped() {
        List<List<History.Change>> ticks = new ArrayList<>();
        ZSet expected = new ZSet();
        for (long t = 0; t < 300; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (long i = 0; i < 3; i++) {
                tick.add(at(1, t % 7, 10 * t + i));
                List<@Nullable Object> row =
                        new ArrayList<>(at(1, t % 7, 10 * t + i).row());
                row.add(10 * t * SECOND);
                row.add((10 * t + 7) * SECOND);
                expected.addRow(1, row);
            }
            ticks.add(tick);
        }
        for (int column : new int[] {1, 3, 4}) {
            PlanNode.Retention retention =
                    new PlanNode.Retention(column, List.of(new PlanNode.Bound(0, 0), new PlanNode.Bound(1, 5)));
            OperatorHarness.Result result = harness(node(SCHEMA, List.of(0), 1, 5 * SECOND, retention), false)
                    .withWatermarks(tick -> List.of(10L * tick * SECOND, Tick.END_OF_TIME))
                    .run(new History(1, ticks), Mode.RANDOM_CUTS, new Random(0));
            assertThat(result.last()).isEqualTo(expected);
            assertThat(result.stateRows().subList(3, 300)).containsOnly(3L);
            assertThat(result.atEnd().bytes()).isLessThan(100_000);
        }
        harness(
                        node(
                                SCHEMA,
                                List.of(0),
                                1,
                                5 * SECOND,
                                new PlanNode.Retention(3, List.of(new PlanNode.Bound(0, 0)))),
                        false)
                .withWatermarks(tick -> List.of(10L * tick * SECOND))
                .runRestoringOutput(new History(1, ticks), new Random(0));
        OperatorHarness.Result ended = harness(
                        node(
                                SCHEMA,
                                List.of(0),
                                1,
                                5 * SECOND,
                                new PlanNode.Retention(4, List.of(new PlanNode.Bound(0, 0)))),
                        false)
                .withWatermarks(tick -> List.of(tick == 299 ? Tick.END_OF_TIME : Tick.NO_WATERMARK))
                .run(new History(1, ticks), Mode.WHOLE, new Random(0));
        assertThat(ended.stateRows().get(298)).isEqualTo(299 * 3);
        assertThat(ended.atEnd().rows()).isZero();
    }

    private static ZSet model(ZSet content, PlanNode.SessionAssign node) {
        Map<List<Object>, List<Map.Entry<List<Object>, Long>>> groups = new HashMap<>();
        for (Map.Entry<List<Object>, Long> row : content.rows().entrySet()) {
            if (row.getKey().get(node.timeColumn()) != ZSet.Null.NULL) {
                List<Object> key = new ArrayList<>();
                node.partitionKeys().forEach(k -> key.add(row.getKey().get(k)));
                groups.computeIfAbsent(key, k -> new ArrayList<>()).add(row);
            }
        }
        ZSet out = new ZSet();
        for (List<Map.Entry<List<Object>, Long>> rows : groups.values()) {
            rows.sort(Comparator.comparing(row -> (Long) row.getKey().get(node.timeColumn())));
            for (int from = 0; from < rows.size(); ) {
                int to = from + 1;
                while (to < rows.size() && time(rows, to, node) < time(rows, to - 1, node) + node.gapMicros()) {
                    to++;
                }
                for (int i = from; i < to; i++) {
                    List<@Nullable Object> row = new ArrayList<>();
                    rows.get(i).getKey().forEach(v -> row.add(v == ZSet.Null.NULL ? null : v));
                    row.add(time(rows, from, node));
                    row.add(time(rows, to - 1, node) + node.gapMicros());
                    out.addRow(rows.get(i).getValue(), row);
                }
                from = to;
            }
        }
        return out;
    }

    private static long time(List<Map.Entry<List<Object>, Long>> rows, int i, PlanNode.SessionAssign node) {
        return (Long) rows.get(i).getKey().get(node.timeColumn());
    }

    /** Equals chaining each key's sorted rows, in every cut, order and number of workers; taking everything out leaves nothing. */
    @Property(tries = 200)
    void equalsChainsOfSortedRows(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        List<Column> columns = new ArrayList<>();
        int time = random.nextInt(3);
        for (int c = 0; c < 3; c++) {
            DataType type = c == time ? DataType.TIMESTAMP : rows.type();
            columns.add(new Column("c" + c, c == time && random.nextBoolean() ? type.notNull() : type));
        }
        Schema schema = new Schema(columns);
        List<Integer> keys = new ArrayList<>();
        for (int c = 2; c >= 0; c--) {
            if (c != time && random.nextInt(3) > 0) {
                keys.add(c);
            }
        }
        boolean weighted = random.nextInt(3) > 0;
        // RandomRows puts times 1.5 s apart.
        long gap = 1 + random.nextInt(4) * 1_500_000L + random.nextInt(2);
        PlanNode.SessionAssign node = node(schema, keys, time, gap, null);
        History history = rows.history(
                List.of(schema), new boolean[] {!weighted}, 5, 5 + random.nextInt(60), 3 + random.nextInt(60));
        List<ZSet> expected = new ArrayList<>();
        for (int t = 0; t < 5; t++) {
            expected.add(model(history.content(0, t), node));
        }
        OperatorHarness harness = harness(node, weighted);
        for (Mode mode : Mode.values()) {
            assertThat(harness.run(history, mode, random).afterTick())
                    .as("%s", mode)
                    .isEqualTo(expected);
        }
        assertThat(harness.run(history.shuffled(random), Mode.RANDOM_CUTS, random)
                        .afterTick())
                .isEqualTo(expected);
        int[] key = keys.stream().mapToInt(i -> i).toArray();
        assertThat(harness.runOnWorkers(3, history, c -> harness.owner(0, c, key, 3), random))
                .isEqualTo(expected.get(4));
        harness.runShortOfMemory(history, random);
        harness.runRestoring(history, random);
        if (weighted) {
            OperatorHarness.Result undone = harness.run(history.undone(random), Mode.RANDOM_CUTS, random);
            assertThat(undone.last().isEmpty()).isTrue();
            assertThat(undone.atEnd().rows()).isZero();
        }
    }
}

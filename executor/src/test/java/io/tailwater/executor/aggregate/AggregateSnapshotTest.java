package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.OperatorHarness;
import io.tailwater.executor.harness.RandomRows;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** What snapshots of groups hold, and that nothing is missing from them. */
final class AggregateSnapshotTest {
    private static final Schema INPUT = Schema.of(
            new Column("k", DataType.BIGINT),
            new Column("s", DataType.VARCHAR),
            new Column("n", DataType.BIGINT),
            new Column("d", DataType.DOUBLE),
            new Column("m", DataType.decimal(12, 2)),
            new Column("b", DataType.BOOLEAN),
            new Column("sep", DataType.VARCHAR));
    private static final int S = 1;
    private static final int N = 2;
    private static final int D = 3;
    private static final int M = 4;
    private static final int B = 5;
    private static final int SEP = 6;

    private static AggregateCall distinct(AggregateFunction function, DataType type, int column) {
        return new AggregateCall(function, List.of(column), -1, true, List.of(), type);
    }

    private static AggregateCall ordered(AggregateFunction function, List<Integer> columns, int filter, DataType type) {
        List<SortKey> order = List.of(new SortKey(N, true, true), new SortKey(columns.get(0), false, false));
        return new AggregateCall(function, columns, filter, false, order, type);
    }

    private static List<AggregateCall> everyCall() {
        DataType money = DataType.decimal(38, 2);
        return List.of(
                AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT),
                AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT, S),
                AggregateCall.of(AggregateFunction.SUM, DataType.BIGINT, N),
                AggregateCall.of(AggregateFunction.AVG, DataType.DOUBLE, N),
                AggregateCall.of(AggregateFunction.SUM, DataType.DOUBLE, D),
                AggregateCall.of(AggregateFunction.SUM, money, M),
                AggregateCall.of(AggregateFunction.STDDEV_POP, DataType.DOUBLE, D),
                AggregateCall.of(AggregateFunction.VAR_SAMP, DataType.DOUBLE, M),
                AggregateCall.of(AggregateFunction.BOOL_AND, DataType.BOOLEAN, B),
                AggregateCall.of(AggregateFunction.BOOL_OR, DataType.BOOLEAN, B),
                AggregateCall.of(AggregateFunction.MIN, DataType.BIGINT, N),
                AggregateCall.of(AggregateFunction.MAX, DataType.VARCHAR, S),
                AggregateCall.of(AggregateFunction.MIN, DataType.DOUBLE, D),
                AggregateCall.of(AggregateFunction.MAX, DataType.decimal(12, 2), M),
                ordered(AggregateFunction.STRING_AGG, List.of(S, SEP), -1, DataType.VARCHAR),
                ordered(AggregateFunction.FIRST_VALUE, List.of(S), B, DataType.VARCHAR),
                ordered(AggregateFunction.LAST_VALUE, List.of(D), -1, DataType.DOUBLE),
                distinct(AggregateFunction.COUNT, DataType.BIGINT, S),
                distinct(AggregateFunction.SUM, DataType.DOUBLE, D),
                distinct(AggregateFunction.STRING_AGG, DataType.VARCHAR, S));
    }

    private static PlanNode.Aggregate node(boolean appendOnly, List<Integer> keys, List<AggregateCall> calls) {
        List<Column> columns = new ArrayList<>();
        keys.forEach(k -> columns.add(INPUT.column(k)));
        calls.forEach(c -> columns.add(new Column("a" + columns.size(), c.type())));
        Traits input = new Traits(Traits.NONE.distribution(), appendOnly, List.of(), List.of());
        return new PlanNode.Aggregate(
                new PlanNode.Values(List.of(), INPUT, input), keys, calls, new Schema(columns), Traits.NONE);
    }

    private static OperatorHarness harness(PlanNode.Aggregate node) {
        return new OperatorHarness(
                List.of(INPUT),
                new boolean[] {!node.input().traits().appendOnly()},
                context -> AggregateOperator.create(node, context));
    }

    /** Doubles as they may be: far apart in size, so that exact sums outgrow their window, and at times no numbers. */
    private static History wild(History history, Random random) {
        double[] values = {1e300, -1e-300, Double.MIN_VALUE, Double.POSITIVE_INFINITY, Double.NaN, 0x1p60};
        List<List<History.Change>> ticks = new ArrayList<>();
        double[] replaced = new double[64];
        for (int i = 0; i < replaced.length; i++) {
            replaced[i] = random.nextInt(4) == 0 ? values[random.nextInt(values.length)] : i * 0.25;
        }
        for (List<History.Change> tick : history.ticks()) {
            List<History.Change> out = new ArrayList<>();
            for (History.Change change : tick) {
                List<@Nullable Object> row = new ArrayList<>(change.row());
                if (row.get(D) instanceof Double d) {
                    row.set(D, replaced[Math.floorMod((int) (d * 4), replaced.length)]);
                }
                out.add(new History.Change(0, row, change.weight()));
            }
            ticks.add(out);
        }
        return new History(1, ticks);
    }

    /** Groups come, go and come again between snapshots, and all functions go on as if nothing had happened. */
    @Property(tries = 25)
    void restoredGroupsGoOnAsTheyWere(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        boolean appendOnly = random.nextInt(3) == 0;
        List<Integer> keys = switch (random.nextInt(3)) {
            case 0 -> List.of();
            case 1 -> List.of(0);
            default -> List.of(0, S);
        };
        int perTick = random.nextBoolean() ? 4 : 40;
        History history = rows.history(List.of(INPUT), new boolean[] {appendOnly}, 12, perTick, 2 + random.nextInt(12));
        if (!appendOnly) {
            history = history.undone(random);
        }
        OperatorHarness harness = harness(node(appendOnly, keys, everyCall()));
        for (int i = 0; i < 3; i++) {
            harness.runRestoring(wild(history, random), random);
        }
    }

    /** Trees of several levels, from entries that come in the order of the tree and not of time. */
    @Test
    void largeMultisetsAreMadeAnew() {
        List<AggregateCall> calls = List.of(
                AggregateCall.of(AggregateFunction.MIN, DataType.BIGINT, N),
                distinct(AggregateFunction.COUNT, DataType.BIGINT, S));
        Random random = new Random(3);
        List<List<History.Change>> ticks = new ArrayList<>();
        List<History.Change> all = new ArrayList<>();
        for (int t = 0; t < 12; t++) {
            List<History.Change> tick = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                if (t > 5 && random.nextInt(3) > 0) {
                    History.Change gone = all.remove(random.nextInt(all.size()));
                    tick.add(new History.Change(0, gone.row(), -1));
                } else {
                    List<@Nullable Object> row = new ArrayList<>(List.of((long) random.nextInt(2)));
                    long n = random.nextInt(100_000);
                    row.add("a text that is kept apart, " + n % 5000);
                    row.add(n);
                    row.addAll(java.util.Collections.nCopies(4, null));
                    tick.add(new History.Change(0, row, 1));
                    all.add(tick.get(tick.size() - 1));
                }
            }
            ticks.add(tick);
        }
        harness(node(false, List.of(0), calls)).runRestoring(new History(1, ticks), random);
    }

    /** An operator with its input and output, without a harness. */
    private static final class Fixture implements AutoCloseable {
        final MemoryAccount memory = MemoryAccount.unlimited("aggregate");
        final ZSet out = new ZSet();
        final AggregateOperator operator;
        long tick;

        Fixture(PlanNode.Aggregate node) {
            OperatorContext context = new OperatorContext(
                    memory,
                    batch -> {
                        out.addBatch(batch);
                        batch.close();
                    },
                    (reader, batch) -> batch.close(),
                    0,
                    1,
                    ZoneOffset.UTC,
                    new OperatorContext.TickClock());
            operator = AggregateOperator.create(node, context);
            operator.trackChanges();
        }

        void tick(long weight, long... keys) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            long[] weights = new long[keys.length];
            for (int i = 0; i < keys.length; i++) {
                weights[i] = weight;
                List<@Nullable Object> row = new ArrayList<>(List.of(keys[i], "text of key " + keys[i], 10 * keys[i]));
                row.addAll(java.util.Collections.nCopies(4, null));
                rows.add(row);
            }
            operator.onBatch(0, ZSet.batch(INPUT, memory, rows, weights));
            operator.onTickEnd(new Tick(tick, tick++, List.of()));
        }

        StateRows snapshot(VnodeRange full) {
            try (StateWriter writer = new StateWriter(full, memory)) {
                writer.operator("0");
                operator.snapshot(writer);
                return writer.finish(0, 0);
            }
        }

        /** How many rows {gone, there, of multisets} are in the next snapshot. */
        List<Integer> snapshotSize(VnodeRange full) {
            List<Integer> out = new ArrayList<>(List.of(0, 0, 0));
            try (StateRows rows = snapshot(full)) {
                for (ColumnBatch batch : rows.batches()) {
                    StateReader row = new StateReader(batch);
                    while (row.next()) {
                        int kind = row.removed() ? 0 : row.part() == 0 ? 1 : 2;
                        out.set(kind, out.get(kind) + 1);
                    }
                }
            }
            return out;
        }

        @Override
        public void close() {
            operator.close();
            assertThat(memory.usedBytes()).as("bytes leaked").isZero();
        }
    }

    private static long[] keys(int n) {
        long[] keys = new long[n];
        for (int i = 0; i < n; i++) {
            keys[i] = i;
        }
        return keys;
    }

    @Test
    void snapshotHoldsWhatHasChanged() {
        PlanNode.Aggregate node =
                node(false, List.of(0), List.of(AggregateCall.of(AggregateFunction.MAX, DataType.VARCHAR, S)));
        try (Fixture fixture = new Fixture(node)) {
            fixture.tick(1, keys(10_000));
            assertThat(fixture.snapshotSize(VnodeRange.NONE)).containsExactly(0, 10_000, 10_000);
            assertThat(fixture.snapshotSize(VnodeRange.NONE)).containsExactly(0, 0, 0);
            // Touched twice, its text added twice: one row and one entry.
            fixture.tick(1, 7);
            fixture.tick(1, 7, 8);
            assertThat(fixture.snapshotSize(VnodeRange.NONE)).containsExactly(0, 2, 2);
            // Touched without a change to the multiset that is left.
            fixture.tick(1, 9);
            fixture.tick(-1, 9);
            assertThat(fixture.snapshotSize(VnodeRange.NONE)).containsExactly(0, 1, 0);
            // Gone, gone and back, new and gone again.
            fixture.tick(-1, 10, 11);
            fixture.tick(1, 11, 20_000);
            fixture.tick(-1, 20_000);
            assertThat(fixture.snapshotSize(VnodeRange.NONE)).containsExactly(3, 1, 1);
            assertThat(fixture.snapshotSize(VnodeRange.ALL)).containsExactly(0, 9_999, 9_999);
            assertThat(fixture.snapshotSize(VnodeRange.NONE)).containsExactly(0, 0, 0);
        }
    }

    @Test
    void ofFullVnodesAllIsWrittenOnce() {
        PlanNode.Aggregate node =
                node(false, List.of(0), List.of(AggregateCall.of(AggregateFunction.MIN, DataType.BIGINT, N)));
        VnodeRange full = new VnodeRange(0, 128);
        int inside = 0;
        for (long key : keys(1000)) {
            inside += full.contains(Hashing.vnode(Hashing.hashLong(key))) ? 1 : 0;
        }
        try (Fixture fixture = new Fixture(node)) {
            fixture.tick(1, keys(1000));
            assertThat(fixture.snapshotSize(full)).containsExactly(0, 1000, 1000);
            assertThat(fixture.snapshotSize(full)).containsExactly(0, inside, inside);
            fixture.tick(-1, keys(1000));
            assertThat(fixture.snapshotSize(full)).containsExactly(1000 - inside, 0, 0);
        }
    }

    /** What a snapshot said to be gone must not be said again by the next one, after which it may be there again. */
    @Test
    void restoringIsNoChange() {
        PlanNode.Aggregate node =
                node(false, List.of(0), List.of(AggregateCall.of(AggregateFunction.MIN, DataType.BIGINT, N)));
        try (Fixture first = new Fixture(node);
                Fixture second = new Fixture(node)) {
            List<StateRows> chain = new ArrayList<>();
            first.tick(1, 1, 2, 3);
            chain.add(first.snapshot(VnodeRange.NONE));
            first.tick(-1, 1, 2);
            chain.add(first.snapshot(VnodeRange.NONE));
            first.tick(1, 1);
            chain.add(first.snapshot(VnodeRange.NONE));
            for (StateRows rows : chain) {
                for (ColumnBatch batch : rows.batches()) {
                    StateReader row = new StateReader(batch);
                    while (row.next()) {
                        second.operator.restore(row);
                    }
                }
                rows.close();
            }
            second.operator.restored();
            assertThat(second.snapshotSize(VnodeRange.NONE)).containsExactly(0, 0, 0);
            second.tick = first.tick;
            second.tick(1, 3);
            assertThat(second.out.isEmpty()).as("a minimum that is the same").isTrue();
            second.tick(-1, 1);
            assertThat(second.out).isEqualTo(new ZSet().add(-1, 1L, 10L));
            assertThat(second.snapshotSize(VnodeRange.NONE)).containsExactly(1, 1, 1);
        }
    }

    /** The row of no input is emitted once, whether the snapshot was before the first tick or after it. */
    @Test
    void globalRowIsEmittedOnce() {
        PlanNode.Aggregate node =
                node(false, List.of(), List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT)));
        for (int ticks = 0; ticks < 3; ticks++) {
            try (Fixture first = new Fixture(node);
                    Fixture second = new Fixture(node)) {
                for (int t = 0; t < ticks; t++) {
                    first.tick(1);
                }
                try (StateRows rows = first.snapshot(VnodeRange.NONE)) {
                    assertThat(rows.rows()).isEqualTo(Math.min(ticks, 1));
                    for (ColumnBatch batch : rows.batches()) {
                        StateReader row = new StateReader(batch);
                        while (row.next()) {
                            second.operator.restore(row);
                        }
                    }
                }
                second.operator.restored();
                second.tick = first.tick;
                second.tick(1);
                assertThat(second.out).isEqualTo(ticks == 0 ? new ZSet().add(1, 0L) : new ZSet());
                second.tick(1, 5);
                assertThat(second.out)
                        .isEqualTo(
                                ticks == 0
                                        ? new ZSet().add(1, 1L)
                                        : new ZSet().add(-1, 0L).add(1, 1L));
            }
        }
    }
}

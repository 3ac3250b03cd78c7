package io.tailwater.executor.view;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.RandomRows;
import io.tailwater.executor.harness.StateChain;
import io.tailwater.executor.operator.Operator.StateSize;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class ViewSpineTest {
    private static final Schema ONE = Schema.of(new Column("v", DataType.BIGINT));

    private static ColumnBatch batch(Schema schema, MemoryAccount memory, List<History.Change> changes) {
        return ZSet.batch(
                schema,
                memory,
                changes.stream().map(History.Change::row).toList(),
                changes.stream().mapToLong(History.Change::weight).toArray());
    }

    private static ZSet read(ViewSpine.Snapshot snapshot, MemoryAccount memory) {
        ZSet out = new ZSet();
        List<List<Object>> seen = new ArrayList<>();
        snapshot.read(memory, b -> {
            ZSet single = new ZSet().addBatch(b);
            assertThat(single.rows()).as("each row once").hasSize(b.rows());
            seen.addAll(single.rows().keySet());
            out.addBatch(b);
            b.close();
        });
        assertThat(seen).doesNotHaveDuplicates();
        return out;
    }

    private static ZSet sum(List<ColumnBatch> batches) {
        ZSet out = new ZSet();
        batches.forEach(b -> {
            out.addBatch(b);
            b.close();
        });
        return out;
    }

    private static Consumer<StateWriter> writer(ViewSpine spine) {
        return out -> {
            out.operator("view");
            spine.writeChanges(out);
        };
    }

    @Property(tries = 80)
    void snapshotsStayAsTheyWereWhileTheViewGoesOn(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = rows.schema(1 + random.nextInt(4));
        History history = rows.history(
                List.of(schema),
                new boolean[1],
                1 + random.nextInt(12),
                1 + random.nextInt(120),
                4 + random.nextInt(60));
        history = random.nextBoolean() ? history.undone(random) : history;
        MemoryAccount memory = MemoryAccount.unlimited("view");
        MemoryAccount readers = MemoryAccount.unlimited("readers");
        List<ViewSpine.Snapshot> snapshots = new ArrayList<>();
        long hashMask = random.nextInt(3) == 0 ? 0xE000_0000_0000_0000L : -1;
        try (ViewSpine spine = new ViewSpine(schema, false, memory, hashMask)) {
            for (int t = 0; t < history.ticks().size(); t++) {
                List<History.Change> tick = history.ticks().get(t);
                int cut = random.nextInt(tick.size() + 1);
                spine.append(batch(schema, memory, tick.subList(0, cut)));
                spine.append(batch(schema, memory, tick.subList(cut, tick.size())));
                spine.endTick();
                ZSet net = history.content(0, t);
                history.content(0, t - 1).rows().forEach((row, weight) -> net.addRow(-weight, new ArrayList<>(row)));
                assertThat(sum(spine.takeDelta())).isEqualTo(net);
                spine.publish(t);
                assertThat(sum(spine.content())).isEqualTo(history.content(0, t));
                snapshots.add(spine.snapshot());
            }
            for (int t = 0; t < snapshots.size(); t++) {
                assertThat(snapshots.get(t).tick()).isEqualTo(t);
                assertThat(read(snapshots.get(t), readers)).isEqualTo(history.content(0, t));
            }
            long total = history.content(0, history.ticks().size() - 1).rows().values().stream()
                    .mapToLong(w -> w)
                    .sum();
            assertThat(spine.stateSize().rows()).isEqualTo(total);
        }
        snapshots.forEach(ViewSpine.Snapshot::close);
        assertThat(memory.usedBytes()).isZero();
        assertThat(readers.usedBytes()).isZero();
    }

    /** A view that dies and is made again from its snapshots, whenever, goes on as if nothing had been. */
    @Property(tries = 80)
    void chainOfSnapshotsHoldsTheView(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        Schema schema = rows.schema(1 + random.nextInt(4));
        History drawn = rows.history(
                List.of(schema),
                new boolean[1],
                1 + random.nextInt(20),
                1 + random.nextInt(random.nextBoolean() ? 20 : 200),
                4 + random.nextInt(60));
        History history = random.nextBoolean() ? drawn.undone(random) : drawn;
        boolean appendOnly = random.nextInt(4) == 0;
        MemoryAccount memory = MemoryAccount.unlimited("view");
        long hashMask = random.nextInt(4) == 0 ? 0xE000_0000_0000_0000L : -1;
        ViewSpine spine = new ViewSpine(schema, appendOnly, memory, hashMask);
        try (StateChain chain = new StateChain()) {
            for (int t = 0; t < history.ticks().size(); t++) {
                spine.append(batch(schema, memory, history.ticks().get(t)));
                spine.endTick();
                spine.publish(t);
                assertThat(sum(spine.content())).isEqualTo(history.content(0, t));
                if (random.nextInt(3) == 0) {
                    chain.take(StateChain.anyRange(random), writer(spine));
                    if (random.nextInt(3) == 0) {
                        StateSize before = spine.stateSize();
                        spine.close();
                        spine = new ViewSpine(schema, appendOnly, memory, hashMask);
                        chain.readRows(spine::restore);
                        spine.restored();
                        assertThat(spine.takeDelta()).isEmpty();
                        assertThat(spine.stateSize().rows()).isEqualTo(before.rows());
                        spine.publish(t);
                        try (ViewSpine.Snapshot read = spine.snapshot()) {
                            ZSet seen = new ZSet();
                            read.read(memory, b -> {
                                seen.addBatch(b);
                                b.close();
                            });
                            assertThat(seen).isEqualTo(history.content(0, t));
                        }
                    }
                }
            }
        } finally {
            spine.close();
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /** What a snapshot costs follows from what has changed, net, whatever the view holds and however many ticks it took. */
    @Test
    void snapshotHoldsTheNetChangeOnly() {
        MemoryAccount memory = MemoryAccount.unlimited("view");
        try (ViewSpine spine = new ViewSpine(ONE, false, memory);
                StateChain chain = new StateChain()) {
            for (long from = 0; from < 100_000; from += 10_000) {
                List<History.Change> many = new ArrayList<>();
                for (long i = from; i < from + 10_000; i++) {
                    many.add(new History.Change(0, List.of(i), 1));
                }
                spine.append(batch(ONE, memory, many));
                spine.endTick();
            }
            assertThat(chain.take(VnodeRange.NONE, writer(spine))).isEqualTo(100_000);
            assertThat(chain.take(VnodeRange.NONE, writer(spine))).isZero();
            for (long t = 0; t < 100; t++) {
                spine.append(batch(
                        ONE,
                        memory,
                        List.of(new History.Change(0, List.of(t), -1), new History.Change(0, List.of(t + 1), 1))));
                spine.endTick();
            }
            // One row less of 0, one more of 100.
            assertThat(chain.take(VnodeRange.NONE, writer(spine))).isEqualTo(2);
            assertThat(chain.take(new VnodeRange(120, 136), writer(spine)))
                    .isBetween(100_000L / 16 - 500, 100_000L / 16 + 500);
            assertThat(chain.take(VnodeRange.ALL, writer(spine))).isEqualTo(99_999);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void snapshotThatTakesOutMoreThanItPutInIsRefused() {
        MemoryAccount memory = MemoryAccount.unlimited("view");
        try (ViewSpine spine = new ViewSpine(ONE, false, memory);
                ViewSpine damaged = new ViewSpine(ONE, false, memory);
                StateChain chain = new StateChain()) {
            spine.append(batch(ONE, memory, List.of(new History.Change(0, List.of(7L), 1))));
            spine.endTick();
            StateChain lost = new StateChain();
            lost.take(VnodeRange.NONE, writer(spine));
            lost.close();
            spine.append(batch(ONE, memory, List.of(new History.Change(0, List.of(7L), -1))));
            spine.endTick();
            chain.take(VnodeRange.NONE, writer(spine));
            chain.readRows(damaged::restore);
            assertThatThrownBy(damaged::restored)
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("(7) with weight -1");
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void largeRunsMergeOverSeveralTicksAndKeepTheSum() {
        MemoryAccount memory = MemoryAccount.unlimited("view");
        ZSet expected = new ZSet();
        try (ViewSpine spine = new ViewSpine(ONE, false, memory)) {
            for (int t = 0; t < 30; t++) {
                List<History.Change> tick = new ArrayList<>();
                for (long i = 0; i < 3000; i++) {
                    tick.add(new History.Change(0, List.of(t * 2000L + i), 1));
                    expected.add(1, t * 2000L + i);
                    if (t > 0 && i < 1000) {
                        tick.add(new History.Change(0, List.of((t - 1) * 2000L + i), -1));
                        expected.add(-1, (t - 1) * 2000L + i);
                    }
                }
                spine.append(batch(ONE, memory, tick));
                spine.endTick();
                spine.publish(t);
            }
            try (ViewSpine.Snapshot snapshot = spine.snapshot()) {
                assertThat(read(snapshot, memory)).isEqualTo(expected);
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void appendOnlyViewRepeatsEqualRowsAndHasNoWeights() {
        MemoryAccount memory = MemoryAccount.unlimited("view");
        try (ViewSpine spine = new ViewSpine(ONE, true, memory)) {
            spine.append(batch(
                    ONE,
                    memory,
                    List.of(new History.Change(0, List.of(1L), 5000), new History.Change(0, List.of(2L), 1))));
            spine.endTick();
            spine.publish(0);
            List<ColumnBatch> all = new ArrayList<>(spine.takeDelta());
            all.addAll(spine.content());
            try (ViewSpine.Snapshot snapshot = spine.snapshot()) {
                snapshot.read(memory, all::add);
            }
            assertThat(all).allMatch(b -> b.weights() == 0);
            assertThat(sum(all)).isEqualTo(new ZSet().add(15_000, 1L).add(3, 2L));
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void rowsThatComeAndGoLeaveNothingBehind() {
        MemoryAccount memory = MemoryAccount.unlimited("view");
        try (ViewSpine spine = new ViewSpine(ONE, false, memory)) {
            for (int t = 0; t < 60; t++) {
                List<History.Change> tick = new ArrayList<>();
                for (long i = 0; i < 1000; i++) {
                    tick.add(new History.Change(0, List.of(t / 2 * 1000L + i), t % 2 == 0 ? 1 : -1));
                }
                spine.append(batch(ONE, memory, tick));
                spine.endTick();
            }
            assertThat(spine.stateSize().rows()).isZero();
            assertThat(spine.stateSize().bytes()).isLessThan(200_000);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void rowThatWasNeverThereCannotBeTakenOut() {
        MemoryAccount memory = MemoryAccount.unlimited("view");
        try (ViewSpine spine = new ViewSpine(ONE, false, memory)) {
            spine.append(batch(ONE, memory, List.of(new History.Change(0, List.of(1L), 2))));
            spine.endTick();
            spine.append(batch(ONE, memory, List.of(new History.Change(0, List.of(1L), -3))));
            assertThatThrownBy(spine::endTick)
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("(1) would have weight -1");
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void consolidatorNetsByWholeRow() {
        MemoryAccount memory = MemoryAccount.unlimited("sink");
        try (DeltaConsolidator consolidator = new DeltaConsolidator(ONE, memory)) {
            consolidator.add(batch(
                    ONE,
                    memory,
                    List.of(
                            new History.Change(0, List.of(1L), 1),
                            new History.Change(0, List.of(2L), -1),
                            new History.Change(0, List.of(1L), 1))));
            consolidator.add(batch(ONE, memory, List.of(new History.Change(0, List.of(2L), 1))));
            List<ColumnBatch> net = consolidator.take();
            assertThat(net).hasSize(1);
            assertThat(net.get(0).rows()).isEqualTo(1);
            assertThat(sum(net)).isEqualTo(new ZSet().add(2, 1L));
            assertThat(consolidator.take()).isEmpty();
        }
        assertThat(memory.usedBytes()).isZero();
    }
}

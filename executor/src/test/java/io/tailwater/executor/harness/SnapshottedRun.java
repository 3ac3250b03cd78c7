package io.tailwater.executor.harness;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.executor.harness.OperatorHarness.Mode;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.SnapshotChain;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** One operator over a history, with snapshots of random vnodes after random ticks; it is lost at times and goes on from the last snapshot. */
final class SnapshottedRun implements AutoCloseable {
    private final OperatorHarness harness;
    private final History history;
    private final Random random;
    private final MemoryAccount memory = new MemoryAccount("harness", 1L << 30);
    private final MemoryAccount feeding = MemoryAccount.unlimited("input");
    private final MemoryAccount storing = MemoryAccount.unlimited("snapshots");
    private final List<Long> numbers = new ArrayList<>();
    private final List<Snapshot> chain = new ArrayList<>();
    private int losses;
    private OperatorHarness.Output output = new OperatorHarness.Output();
    /** What had come out when the last snapshot was taken. */
    private OperatorHarness.@Nullable Output captured;

    private Operator operator;
    private Map<String, Long> state = Map.of();

    /** A snapshot as it would be in a file. */
    private record Snapshot(VnodeRange full, StateRows rows) {}

    /** @param losses how often the operator may be lost; with 0 no snapshots are taken either */
    SnapshottedRun(OperatorHarness harness, History history, Random random, int losses) {
        this.harness = harness;
        this.history = history;
        this.random = random;
        this.losses = losses;
        for (long number = random.nextInt(3); numbers.size() < history.ticks().size(); ) {
            numbers.add(number);
            number += 1 + random.nextInt(3);
        }
        operator = create();
    }

    private Operator create() {
        Operator out = harness.create(output.context(memory, 0, 1));
        out.trackChanges();
        return out;
    }

    OperatorHarness.Result run() {
        boolean disturbed = losses > 0;
        if (disturbed && random.nextInt(4) == 0) {
            takeSnapshot();
        }
        while (output.ticks() < history.ticks().size()) {
            int tick = output.ticks();
            harness.feed(operator, history.ticks().get(tick), Mode.WHOLE, random, feeding);
            operator.onTickEnd(new Tick(numbers.get(tick), numbers.get(tick) * 1000, harness.watermarks(tick)));
            output.tickEnded(operator);
            if (disturbed && random.nextInt(2) == 0) {
                takeSnapshot();
            }
            if (captured != null && losses > 0 && random.nextInt(3) == 0) {
                losses--;
                operator.close();
                assertThat(memory.usedBytes()).as("bytes leaked").isZero();
                restore(captured);
            }
        }
        state = readState();
        return output.result(operator.stateSize());
    }

    private void takeSnapshot() {
        int from = random.nextInt(257);
        VnodeRange full = switch (random.nextInt(5)) {
            case 0 -> VnodeRange.ALL;
            case 1 -> VnodeRange.NONE;
            default -> new VnodeRange(from, from + random.nextInt(257 - from));
        };
        chain.add(new Snapshot(full, write(full)));
        captured = output.copy();
        SnapshotChain counting = counting();
        while (!counting.needs(0)) {
            chain.remove(0).rows().close();
            counting = counting();
        }
    }

    private SnapshotChain counting() {
        return new SnapshotChain(chain.stream().map(Snapshot::full).toList());
    }

    private StateRows write(VnodeRange full) {
        try (StateWriter writer = new StateWriter(full, storing)) {
            writer.operator("0");
            operator.snapshot(writer);
            return writer.finish(0, 0);
        }
    }

    private void restore(OperatorHarness.Output then) {
        output = then.copy();
        operator = create();
        SnapshotChain counting = counting();
        for (int i = 0; i < chain.size(); i++) {
            for (ColumnBatch batch : chain.get(i).rows().batches()) {
                StateReader row = new StateReader(batch);
                while (row.next()) {
                    if (counting.counts(i, row.hash())) {
                        operator.restore(row);
                    }
                }
            }
        }
        operator.restored();
    }

    /** All state that is left at the end, as text to weight. */
    Map<String, Long> state() {
        return state;
    }

    private Map<String, Long> readState() {
        Map<String, Long> out = new TreeMap<>();
        try (StateRows rows = write(VnodeRange.ALL)) {
            for (ColumnBatch batch : rows.batches()) {
                StateReader row = new StateReader(batch);
                while (row.next()) {
                    assertThat(row.removed()).isFalse();
                    String text = row.part() + " " + Long.toHexString(row.hash()) + " "
                            + text(row.key(), row.keyBytes()) + " " + text(row.value(), row.valueBytes());
                    out.merge(text, row.weight(), Long::sum);
                }
            }
        }
        return out;
    }

    private static String text(long address, int bytes) {
        byte[] out = new byte[bytes];
        Mem.copyToArray(address, out, 0, bytes);
        return HexFormat.of().formatHex(out);
    }

    @Override
    public void close() {
        operator.close();
        chain.forEach(snapshot -> snapshot.rows().close());
        assertThat(memory.usedBytes()).as("bytes leaked").isZero();
        assertThat(feeding.usedBytes()).as("bytes of input leaked").isZero();
        assertThat(storing.usedBytes()).as("bytes of snapshots leaked").isZero();
    }
}

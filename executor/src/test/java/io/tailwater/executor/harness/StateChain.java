package io.tailwater.executor.harness;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.executor.snapshot.SnapshotChain;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Snapshots of one state, taken one after another, and what a reader makes of them. Owned by one test. */
public final class StateChain implements AutoCloseable {
    private final MemoryAccount memory = MemoryAccount.unlimited("snapshots");
    private final List<VnodeRange> ranges = new ArrayList<>();
    private final List<StateRows> files = new ArrayList<>();

    /** A range that may be empty, all, or anything between. */
    public static VnodeRange anyRange(Random random) {
        int a = random.nextInt(Hashing.VNODES + 1);
        int b = random.nextInt(Hashing.VNODES + 1);
        return switch (random.nextInt(6)) {
            case 0 -> VnodeRange.ALL;
            case 1 -> VnodeRange.NONE;
            default -> new VnodeRange(Math.min(a, b), Math.max(a, b));
        };
    }

    /** Takes one more. Returns its number of rows. */
    public long take(VnodeRange full, Consumer<StateWriter> state) {
        try (StateWriter writer = new StateWriter(full, memory)) {
            writer.operator("state");
            state.accept(writer);
            ranges.add(full);
            files.add(writer.finish(0, 0));
        }
        return files.get(files.size() - 1).rows();
    }

    /** Gives the rows that make up the state after the last one taken: from old to new, of a vnode none that a later snapshot holds in full. */
    public void read(Consumer<StateReader> state) {
        SnapshotChain counting = new SnapshotChain(ranges);
        for (int f = 0; f < files.size(); f++) {
            for (ColumnBatch batch : files.get(f).batches()) {
                // Bytes that move and go: nothing may keep their address.
                try (ColumnBatch copy = copy(batch)) {
                    StateReader row = new StateReader(copy);
                    while (row.next()) {
                        if (counting.counts(f, row.hash())) {
                            state.accept(row);
                        }
                    }
                    wipe(copy);
                }
            }
        }
    }

    private ColumnBatch copy(ColumnBatch batch) {
        int rows = batch.rows();
        try (BatchBuilder out = new BatchBuilder(StateRows.SCHEMA, rows, false, memory)) {
            Mem.copy(batch.data(StateRows.OPERATOR), out.data(StateRows.OPERATOR), 4L * rows);
            Mem.copy(batch.data(StateRows.PART), out.data(StateRows.PART), 4L * rows);
            Mem.copy(batch.data(StateRows.HASH), out.data(StateRows.HASH), 8L * rows);
            Mem.copy(batch.data(StateRows.WEIGHT), out.data(StateRows.WEIGHT), 8L * rows);
            for (int column : new int[] {StateRows.KEY, StateRows.VALUE}) {
                for (int i = 0; i < rows; i++) {
                    long view = batch.data(column) + 16L * i;
                    if (batch.isNull(column, i)) {
                        out.setNull(column, i);
                    } else {
                        out.putBytes(column, i, StringView.bytes(view), StringView.length(view));
                    }
                }
            }
            return out.finish(rows);
        }
    }

    private static void wipe(ColumnBatch batch) {
        for (int column : new int[] {StateRows.KEY, StateRows.VALUE}) {
            for (int i = 0; i < batch.rows(); i++) {
                long view = batch.data(column) + 16L * i;
                if (!batch.isNull(column, i)) {
                    Mem.fill(StringView.bytes(view), StringView.length(view), (byte) 0xAA);
                }
            }
        }
    }

    @Override
    public void close() {
        files.forEach(StateRows::close);
        files.clear();
        if (memory.usedBytes() != 0) {
            throw new AssertionError(memory.usedBytes() + " bytes of snapshots leaked");
        }
    }
}

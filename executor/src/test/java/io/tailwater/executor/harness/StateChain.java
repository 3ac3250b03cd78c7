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
import java.util.stream.IntStream;

/** Snapshots of one state, taken one after another, and what a reader makes of them. Owned by one test. */
public final class StateChain implements AutoCloseable {
    private final MemoryAccount memory = MemoryAccount.unlimited("snapshots");
    private final List<VnodeRange> ranges = new ArrayList<>();
    private final List<StateRows> files = new ArrayList<>();

    private final int worker;

    public StateChain() {
        this(0);
    }

    /** @param worker whose state it is */
    public StateChain(int worker) {
        this.worker = worker;
    }

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

    /** Takes one more, what {@code state} writes. Returns its number of rows. */
    public long take(VnodeRange full, Consumer<StateWriter> state) {
        try (StateWriter writer = new StateWriter(full, memory)) {
            state.accept(writer);
            ranges.add(full);
            files.add(writer.finish(0, worker));
        }
        return files.get(files.size() - 1).rows();
    }

    /** Gives the rows that make up the state after the last one taken, from old to new, in memory that is overwritten after each call. */
    public void read(Consumer<StateRows> state) {
        SnapshotChain counting = new SnapshotChain(ranges);
        for (int f = 0; f < files.size(); f++) {
            int file = f;
            for (ColumnBatch batch : files.get(f).batches()) {
                int[] rows = IntStream.range(0, batch.rows())
                        .filter(i -> counting.counts(file, Mem.getLong(batch.data(StateRows.HASH) + 8L * i)))
                        .toArray();
                if (rows.length > 0) {
                    ColumnBatch copy = copy(batch, rows);
                    try (StateRows part = new StateRows(0, worker, files.get(f).operators(), List.of(copy))) {
                        state.accept(part);
                        wipe(copy);
                    }
                }
            }
        }
    }

    /** {@link #read} row by row. */
    public void readRows(Consumer<StateReader> state) {
        read(part -> {
            StateReader row = new StateReader(part.batches().get(0));
            while (row.next()) {
                state.accept(row);
            }
        });
    }

    private ColumnBatch copy(ColumnBatch batch, int[] rows) {
        try (BatchBuilder out = new BatchBuilder(StateRows.SCHEMA, rows.length, false, memory)) {
            for (int i = 0; i < rows.length; i++) {
                for (int column : new int[] {StateRows.OPERATOR, StateRows.PART}) {
                    Mem.putInt(out.data(column) + 4L * i, Mem.getInt(batch.data(column) + 4L * rows[i]));
                }
                for (int column : new int[] {StateRows.HASH, StateRows.WEIGHT}) {
                    Mem.putLong(out.data(column) + 8L * i, Mem.getLong(batch.data(column) + 8L * rows[i]));
                }
                for (int column : new int[] {StateRows.KEY, StateRows.VALUE}) {
                    long view = batch.data(column) + 16L * rows[i];
                    if (batch.isNull(column, rows[i])) {
                        out.setNull(column, i);
                    } else {
                        out.putBytes(column, i, StringView.bytes(view), StringView.length(view));
                    }
                }
            }
            return out.finish(rows.length);
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

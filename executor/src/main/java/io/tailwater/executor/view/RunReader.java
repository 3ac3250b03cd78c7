package io.tailwater.executor.view;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads the sum of some runs in order, batch by batch. The caller keeps the runs alive. Owned by one thread; not thread-safe. */
final class RunReader {
    private final RowLayout layout;
    private final RowOrder order;
    private final boolean repeat;
    private final SortedRun[] runs;
    private final int[] positions;
    private final int[] ends;
    private final long[] entries;
    private final long[] weights;
    private long owed;
    private long owedEntry;

    /**
     * A reader at the first row.
     *
     * @param repeat whether a row of weight 3 comes as three rows without weights: an append-only relation has none
     */
    RunReader(RowLayout layout, RowOrder order, boolean repeat, List<SortedRun> runs) {
        this.repeat = repeat;
        this.layout = layout;
        this.order = order;
        this.runs = runs.toArray(new SortedRun[0]);
        positions = new int[this.runs.length];
        ends = runs.stream().mapToInt(SortedRun::count).toArray();
        long most = runs.stream().mapToLong(SortedRun::count).sum();
        // Small changes of big views are read tick after tick.
        int rows = (int) Math.max(1, Math.min(most, ColumnBatch.TARGET_ROWS));
        entries = new long[rows];
        weights = new long[rows];
    }

    /** Narrows a reader that has not begun to the vnodes {@code [from, to)}, which are all below or all from half of them on: hashes are in signed order. */
    RunReader within(int from, int to) {
        for (int r = 0; r < runs.length; r++) {
            positions[r] = runs[r].firstOf(from);
            ends[r] = to == Hashing.VNODES / 2 ? runs[r].count() : runs[r].firstOf(to);
        }
        return this;
    }

    /** Writes the rows into a snapshot, as additions to a multiset. */
    void write(StateWriter out) {
        for (int rows = fill(); rows > 0; rows = fill()) {
            for (int i = 0; i < rows; i++) {
                out.begin(0, Mem.getLong(entries[i] + SortedRun.HASH), weights[i]);
                out.put(layout, entries[i] + SortedRun.ROW);
                out.value();
                out.end();
            }
        }
    }

    /** Gives each batch to the consumer, who owns it. A batch has weights only if one of them is not 1. */
    void read(MemoryAccount memory, Consumer<ColumnBatch> consumer) {
        DataType[] types = layout.types();
        int[] columns = new int[types.length];
        java.util.Arrays.setAll(columns, i -> i);
        while (true) {
            int rows = fill();
            if (rows == 0) {
                return;
            }
            boolean weighted = false;
            for (int i = 0; i < rows && !weighted; i++) {
                weighted = weights[i] != 1;
            }
            try (BatchBuilder out = new BatchBuilder(types, rows, weighted, memory)) {
                consumer.accept(SortedRun.decode(layout, out, columns, entries, weights, rows, weighted));
            }
        }
    }

    /** The batches; the caller owns them. */
    List<ColumnBatch> readAll(MemoryAccount memory) {
        List<ColumnBatch> out = new ArrayList<>();
        try {
            read(memory, out::add);
        } catch (RuntimeException | Error e) {
            out.forEach(ColumnBatch::close);
            throw e;
        }
        return out;
    }

    private int fill() {
        int rows = 0;
        while (owed > 0 && rows < entries.length) {
            entries[rows] = owedEntry;
            weights[rows++] = 1;
            owed--;
        }
        while (rows < entries.length) {
            int least = -1;
            for (int r = 0; r < runs.length; r++) {
                if (positions[r] < ends[r]
                        && (least < 0
                                || SortedRun.compare(
                                                runs[r].entry(positions[r]), runs[least].entry(positions[least]), order)
                                        < 0)) {
                    least = r;
                }
            }
            if (least < 0) {
                return rows;
            }
            long entry = runs[least].entry(positions[least]);
            long weight = 0;
            for (int r = least; r < runs.length; r++) {
                if (positions[r] < ends[r]) {
                    long other = runs[r].entry(positions[r]);
                    if (r == least || same(entry, other)) {
                        weight += Mem.getLong(other + SortedRun.WEIGHT);
                        positions[r]++;
                    }
                }
            }
            if (repeat) {
                owedEntry = entry;
                for (owed = weight; owed > 0 && rows < entries.length; owed--) {
                    entries[rows] = entry;
                    weights[rows++] = 1;
                }
            } else if (weight != 0) {
                entries[rows] = entry;
                weights[rows++] = weight;
            }
        }
        return rows;
    }

    private boolean same(long a, long b) {
        return Mem.getLong(a) == Mem.getLong(b) && layout.equal(a + SortedRun.ROW, b + SortedRun.ROW);
    }
}

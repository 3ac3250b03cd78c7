package io.tailwater.executor.view;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;

import java.util.Arrays;

/** Collects the rows of a tick in the order they come and makes a {@link SortedRun} of their sum. Owned by one thread; not thread-safe. */
final class DeltaBuffer implements AutoCloseable {
    private static final int FIRST_ROWS = 256;

    private final RowLayout layout;
    private final RowOrder order;
    private final int[] columns;
    private final int entryBytes;
    private final MemoryAccount account;
    private final long hashMask;
    private ByteHeap heap;
    private long address;
    private long capacityBytes;
    private int count;
    private long[] sorted = new long[FIRST_ROWS];

    DeltaBuffer(RowLayout layout, RowOrder order, MemoryAccount account) {
        this(layout, order, account, -1);
    }

    /**
     * An empty buffer.
     *
     * @param hashMask the bits of hashes to use; few of them make different rows tie, as tests want
     */
    DeltaBuffer(RowLayout layout, RowOrder order, MemoryAccount account, long hashMask) {
        this.layout = layout;
        this.order = order;
        this.account = account;
        this.hashMask = hashMask;
        entryBytes = SortedRun.ROW + layout.width();
        columns = new int[layout.columns()];
        Arrays.setAll(columns, i -> i);
        heap = new ByteHeap(account);
    }

    int count() {
        return count;
    }

    long reservedBytes() {
        return capacityBytes + heap.reservedBytes();
    }

    /** Borrows the batch. */
    void add(ColumnBatch batch) {
        int n = batch.rows();
        if (n == 0) {
            return;
        }
        reserve(n);
        long first = address + (long) count * entryBytes;
        layout.encode(batch, columns, n, first + SortedRun.ROW, entryBytes);
        for (int i = 0; i < n; i++) {
            long entry = first + (long) i * entryBytes;
            Mem.putLong(entry + SortedRun.HASH, layout.hash(entry + SortedRun.ROW, 0) & hashMask);
            Mem.putLong(entry + SortedRun.WEIGHT, batch.weight(i));
        }
        for (int v = 0; v < layout.views(); v++) {
            ownViews(first + SortedRun.ROW + (long) StringView.SIZE * v, n);
        }
        count += n;
    }

    /** Adds one entry of a run; its bytes are copied. */
    void add(long entry, long weight) {
        reserve(1);
        long to = address + (long) count * entryBytes;
        Mem.putLong(to + SortedRun.HASH, Mem.getLong(entry + SortedRun.HASH));
        Mem.putLong(to + SortedRun.WEIGHT, weight);
        layout.copy(entry + SortedRun.ROW, to + SortedRun.ROW);
        for (int v = 0; v < layout.views(); v++) {
            ownViews(to + SortedRun.ROW + (long) StringView.SIZE * v, 1);
        }
        count++;
    }

    /** Adds a row that was flattened; its bytes are copied. */
    void addFlat(long hash, long flat, long weight) {
        reserve(1);
        long to = address + (long) count * entryBytes;
        Mem.putLong(to + SortedRun.HASH, hash);
        Mem.putLong(to + SortedRun.WEIGHT, weight);
        layout.unflatten(flat, to + SortedRun.ROW);
        for (int v = 0; v < layout.views(); v++) {
            ownViews(to + SortedRun.ROW + (long) StringView.SIZE * v, 1);
        }
        count++;
    }

    private void ownViews(long firstSlot, int n) {
        for (int i = 0; i < n; i++) {
            long slot = firstSlot + (long) i * entryBytes;
            int length = StringView.length(slot);
            if (length > StringView.INLINE) {
                long copy = heap.allocate(length);
                Mem.copy(Mem.getLong(slot + 8), copy, length);
                Mem.putLong(slot + 8, copy);
            }
        }
    }

    private void reserve(int rows) {
        long used = (long) count * entryBytes;
        long wanted = used + (long) rows * entryBytes;
        if (wanted > capacityBytes) {
            long grown = Math.max(wanted, Math.max(capacityBytes * 2, (long) FIRST_ROWS * entryBytes));
            long moved = account.allocate(grown);
            if (capacityBytes > 0) {
                Mem.copy(address, moved, used);
                account.free(address, capacityBytes);
            }
            address = moved;
            capacityBytes = grown;
        }
    }

    /** The sum of what was added; the buffer is empty then. The caller owns the run. */
    SortedRun build() {
        sort();
        SortedRun.Writer writer = new SortedRun.Writer(layout, count, account, heap);
        heap = new ByteHeap(account);
        try {
            sum(writer);
            return writer.finish();
        } catch (RuntimeException | Error e) {
            writer.close();
            throw e;
        }
    }

    private void sum(SortedRun.Writer writer) {
        int i = 0;
        while (i < count) {
            long entry = entry(sorted[i]);
            long weight = 0;
            int j = i;
            while (j < count && same(entry, entry(sorted[j]))) {
                weight += Mem.getLong(entry(sorted[j]) + SortedRun.WEIGHT);
                j++;
            }
            if (weight != 0) {
                writer.add(entry, weight);
            }
            i = j;
        }
        count = 0;
    }

    private long entry(long index) {
        return address + index * entryBytes;
    }

    private boolean same(long a, long b) {
        return a == b || (Mem.getLong(a) == Mem.getLong(b) && layout.equal(a + SortedRun.ROW, b + SortedRun.ROW));
    }

    /** Fills {@link #sorted} with the indexes of the entries in order: by high hash bits first, then what ties there. */
    private void sort() {
        if (sorted.length < count) {
            sorted = new long[Math.max(count, sorted.length * 2)];
        }
        int indexBits = 32 - Integer.numberOfLeadingZeros(Math.max(count, 1));
        long indexMask = (1L << indexBits) - 1;
        for (int i = 0; i < count; i++) {
            sorted[i] = (Mem.getLong(entry(i)) & ~indexMask) | i;
        }
        Arrays.sort(sorted, 0, count);
        int from = 0;
        while (from < count) {
            long prefix = sorted[from] & ~indexMask;
            int to = from;
            while (to < count && (sorted[to] & ~indexMask) == prefix) {
                sorted[to] &= indexMask;
                to++;
            }
            if (to - from > 1) {
                sortTies(from, to);
            }
            from = to;
        }
    }

    /** Ties are nearly always the same row again and again, which one look finds out. */
    private void sortTies(int from, int to) {
        boolean allSame = true;
        for (int i = from + 1; i < to && allSame; i++) {
            allSame = same(entry(sorted[from]), entry(sorted[i]));
        }
        if (allSame) {
            return;
        }
        // By full hash, then by row: at most a handful but in tests, where an insertion sort is fast enough.
        for (int i = from + 1; i < to; i++) {
            long moved = sorted[i];
            int j = i - 1;
            while (j >= from && SortedRun.compare(entry(sorted[j]), entry(moved), order) > 0) {
                sorted[j + 1] = sorted[j];
                j--;
            }
            sorted[j + 1] = moved;
        }
    }

    @Override
    public void close() {
        if (capacityBytes > 0) {
            account.free(address, capacityBytes);
            capacityBytes = 0;
        }
        heap.close();
        count = 0;
    }
}

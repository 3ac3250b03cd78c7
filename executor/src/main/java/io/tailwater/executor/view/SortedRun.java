package io.tailwater.executor.view;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * An immutable Z-set: entries {hash, weight, encoded row}, each row once and with a weight other than 0, ordered by hash, then by row. Counted
 * references; the last {@link #release} frees it. Thread-safe.
 */
final class SortedRun {
    static final int HASH = 0;
    static final int WEIGHT = 8;
    static final int ROW = 16;

    private final RowLayout layout;
    private final MemoryAccount account;
    private final long address;
    private final long bytes;
    private final int count;
    private final ByteHeap heap;
    private final AtomicInteger references = new AtomicInteger(1);

    private SortedRun(RowLayout layout, MemoryAccount account, long address, long bytes, int count, ByteHeap heap) {
        this.layout = layout;
        this.account = account;
        this.address = address;
        this.bytes = bytes;
        this.count = count;
        this.heap = heap;
    }

    int count() {
        return count;
    }

    long reservedBytes() {
        return bytes + heap.reservedBytes();
    }

    long entry(int index) {
        return address + (long) index * (ROW + layout.width());
    }

    SortedRun retain() {
        if (references.getAndIncrement() <= 0) {
            throw new AssertionError("retain of a freed run");
        }
        return this;
    }

    void release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            throw new AssertionError("run released more often than retained");
        }
        if (left == 0) {
            if (bytes > 0) {
                account.free(address, bytes);
            }
            heap.close();
        }
    }

    /** The weight of an entry's row in this run, 0 if it is not there. */
    long weightOf(long entry, RowOrder order) {
        int low = lowerBound(Mem.getLong(entry + HASH));
        for (int i = low; i < count && Mem.getLong(entry(i) + HASH) == Mem.getLong(entry + HASH); i++) {
            if (layout.equal(entry(i) + ROW, entry + ROW)) {
                return Mem.getLong(entry(i) + WEIGHT);
            }
        }
        return 0;
    }

    /** First entry whose hash is not less. Hashes are uniform, so the first guess is close. */
    private int lowerBound(long hash) {
        int low = 0;
        int high = count;
        int guess = (int) Math.multiplyHigh((hash >>> 1) + (1L << 62) & Long.MAX_VALUE, 2L * count);
        int step = 8;
        guess = Math.min(Math.max(guess, 0), Math.max(count - 1, 0));
        while (low < high) {
            if (Mem.getLong(entry(guess) + HASH) < hash) {
                low = guess + 1;
                guess = step > 0 ? Math.min(guess + step, (low + high) >>> 1) : (low + high) >>> 1;
            } else {
                high = guess;
                guess = step > 0 ? Math.max(guess - step, (low + high) >>> 1) : (low + high) >>> 1;
            }
            guess = Math.min(Math.max(guess, low), Math.max(low, high - 1));
            step = step > 0 && step < 1 << 10 ? step * 4 : 0;
        }
        return low;
    }

    static int compare(long a, long b, RowOrder order) {
        int hashes = Long.compare(Mem.getLong(a + HASH), Mem.getLong(b + HASH));
        return hashes != 0 ? hashes : order.compare(a + ROW, b + ROW);
    }

    /** Writes entries into a batch of their rows with their weights. */
    static ColumnBatch decode(
            RowLayout layout,
            BatchBuilder out,
            int[] outColumns,
            long[] entries,
            long[] weights,
            int rows,
            boolean weighted) {
        layout.decode(entries, ROW, rows, out, outColumns);
        if (weighted) {
            for (int i = 0; i < rows; i++) {
                Mem.putLong(out.weights() + 8L * i, weights[i]);
            }
        }
        return out.finish(rows);
    }

    /** Builds a run from entries that come in order. */
    static final class Writer implements AutoCloseable {
        private final RowLayout layout;
        private final MemoryAccount account;
        private final int entryBytes;
        private final ByteHeap heap;
        private final boolean copiesStrings;
        private long address;
        private long bytes;
        private int count;

        /** @param strings whose bytes the entries already refer to; the run takes them over */
        Writer(RowLayout layout, int capacity, MemoryAccount account, ByteHeap strings) {
            this(layout, capacity, account, strings, false);
        }

        /** Copies the bytes of strings. */
        Writer(RowLayout layout, int capacity, MemoryAccount account) {
            this(layout, capacity, account, new ByteHeap(account), layout.views() > 0);
        }

        private Writer(RowLayout layout, int capacity, MemoryAccount account, ByteHeap heap, boolean copies) {
            this.layout = layout;
            this.account = account;
            this.heap = heap;
            this.copiesStrings = copies;
            entryBytes = ROW + layout.width();
            bytes = (long) capacity * entryBytes;
            address = bytes == 0 ? 0 : account.allocate(bytes);
        }

        void add(long entry, long weight) {
            long to = address + (long) count * entryBytes;
            Mem.putLong(to + HASH, Mem.getLong(entry + HASH));
            Mem.putLong(to + WEIGHT, weight);
            layout.copy(entry + ROW, to + ROW);
            if (copiesStrings) {
                for (int v = 0; v < layout.views(); v++) {
                    long slot = to + ROW + (long) StringView.SIZE * v;
                    int length = StringView.length(slot);
                    if (length > StringView.INLINE) {
                        long copy = heap.allocate(length);
                        Mem.copy(Mem.getLong(slot + 8), copy, length);
                        Mem.putLong(slot + 8, copy);
                    }
                }
            }
            count++;
        }

        SortedRun finish() {
            long used = (long) count * entryBytes;
            if (used < bytes - bytes / 4) {
                long smaller = used == 0 ? 0 : account.allocate(used);
                if (used > 0) {
                    Mem.copy(address, smaller, used);
                }
                account.free(address, bytes);
                address = smaller;
                bytes = used;
            }
            SortedRun run = new SortedRun(layout, account, address, bytes, count, heap);
            address = 0;
            bytes = 0;
            return run;
        }

        /** Gives up an unfinished run. */
        @Override
        public void close() {
            if (bytes > 0) {
                account.free(address, bytes);
                bytes = 0;
            }
            heap.close();
        }
    }
}

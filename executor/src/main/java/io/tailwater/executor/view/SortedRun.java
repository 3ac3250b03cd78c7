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
 *
 * <p>A directory tells for each value of the hash's leading bits the first entry that has it, about two entries to a value.
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
    private final long directory;
    private final int directoryBits;
    private final ByteHeap heap;
    private final AtomicInteger references = new AtomicInteger(1);

    private SortedRun(Writer from) {
        layout = from.layout;
        account = from.account;
        address = from.address;
        bytes = from.bytes;
        count = from.count;
        directory = from.directory;
        directoryBits = from.directoryBits;
        heap = from.heap;
    }

    int count() {
        return count;
    }

    long reservedBytes() {
        return bytes + directoryBytes(directoryBits) + heap.reservedBytes();
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
            account.free(directory, directoryBytes(directoryBits));
            heap.close();
        }
    }

    /** The weight of an entry's row in this run, 0 if it is not there. */
    long weightOf(long entry) {
        long hash = Mem.getLong(entry + HASH);
        long bucket = directory + 4L * bucket(hash, directoryBits);
        int to = Mem.getInt(bucket + 4);
        for (int i = Mem.getInt(bucket); i < to; i++) {
            long candidate = entry(i);
            if (Mem.getLong(candidate + HASH) == hash && layout.equal(candidate + ROW, entry + ROW)) {
                return Mem.getLong(candidate + WEIGHT);
            }
        }
        return 0;
    }

    /** The first entry of a vnode or of a later one, in the order of signed hashes. */
    int firstOf(int vnode) {
        long hash = (long) vnode << 56;
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Mem.getLong(entry(middle) + HASH) < hash) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The hash's leading bits, in the order of signed hashes. */
    private static int bucket(long hash, int bits) {
        return bits == 0 ? 0 : (int) ((hash ^ Long.MIN_VALUE) >>> (64 - bits));
    }

    private static long directoryBytes(int bits) {
        // One more than there are values, for the end of the last.
        return 4 * ((1L << bits) + 1);
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
        private long directory;
        private final int directoryBits;
        private int buckets;

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
            directoryBits = 32 - Integer.numberOfLeadingZeros(capacity / 2);
            directory = account.allocate(directoryBytes(directoryBits));
            bytes = (long) capacity * entryBytes;
            try {
                address = bytes == 0 ? 0 : account.allocate(bytes);
            } catch (RuntimeException | Error e) {
                account.free(directory, directoryBytes(directoryBits));
                throw e;
            }
        }

        void add(long entry, long weight) {
            long to = address + (long) count * entryBytes;
            long hash = Mem.getLong(entry + HASH);
            fillDirectory(bucket(hash, directoryBits));
            Mem.putLong(to + HASH, hash);
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

        /** Buckets up to this one, so far without an entry, begin with the next. */
        private void fillDirectory(int bucket) {
            while (buckets <= bucket) {
                Mem.putInt(directory + 4L * buckets++, count);
            }
        }

        SortedRun finish() {
            fillDirectory(1 << directoryBits);
            long used = (long) count * entryBytes;
            if (used < bytes / 2) {
                long smaller = used == 0 ? 0 : account.allocate(used);
                if (used > 0) {
                    Mem.copy(address, smaller, used);
                }
                account.free(address, bytes);
                address = smaller;
                bytes = used;
            }
            SortedRun run = new SortedRun(this);
            address = 0;
            bytes = 0;
            directory = 0;
            return run;
        }

        /** Gives up an unfinished run. */
        @Override
        public void close() {
            if (bytes > 0) {
                account.free(address, bytes);
                bytes = 0;
            }
            if (directory != 0) {
                account.free(directory, directoryBytes(directoryBits));
                directory = 0;
            }
            heap.close();
        }
    }
}

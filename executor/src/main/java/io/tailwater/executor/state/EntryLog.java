package io.tailwater.executor.state;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;

import java.util.Arrays;

/**
 * What has been added to the multisets of an {@link OrderedState} since the last snapshot, off-heap: per addition {owner, weight, row as
 * {@link RowLayout#flatten} writes it}. Additions of one row for one owner become one, at the latest when they are visited, and earlier when the log has
 * doubled; so it takes no more than twice what the multisets have really changed by.
 *
 * <p>Owned by one thread; not thread-safe.
 */
public final class EntryLog implements AutoCloseable {
    private static final int OWNER = 0;
    private static final int WEIGHT = 8;
    private static final int ROW = 16;
    private static final int FIRST_CHUNK = 1 << 12;
    private static final int LAST_CHUNK = 1 << 20;
    /** A log of fewer bytes is not worth the look for equal rows. */
    private static final long COMPACT_ABOVE = 1 << 20;

    private final RowLayout row;
    private final MemoryAccount account;
    private Chunks chunks;
    private long compactAbove = COMPACT_ABOVE;

    public EntryLog(RowLayout row, MemoryAccount account) {
        this.row = row;
        this.account = account;
        chunks = new Chunks(account);
    }

    /**
     * Notes that a row's weight has changed for an owner. Copies the row, with its strings.
     *
     * @param owner any number, mostly the address of the row that holds the multiset's root
     */
    public void add(long owner, long encoded, long weight) {
        if (chunks.used > compactAbove) {
            compact();
        }
        long at = chunks.allocate(ROW + row.flatBytes(encoded));
        Mem.putLong(at + OWNER, owner);
        Mem.putLong(at + WEIGHT, weight);
        row.flatten(encoded, at + ROW);
    }

    /** What to do with a change of a multiset. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Gets one change.
         *
         * @param flatRow address of the row as {@link RowLayout#flatten} wrote it
         * @param weight to be added, not 0
         */
        void visit(long owner, long flatRow, int flatBytes, long weight);
    }

    /** Visits the changes, at most one for each row of each owner. */
    public void forEach(Visitor visitor) {
        if (chunks.used == 0) {
            return;
        }
        addUp();
        for (int c = 0; c < chunks.count; c++) {
            long end = chunks.end(c);
            for (long at = chunks.addresses[c]; at < end; ) {
                int bytes = row.flatBytes(at + ROW);
                long weight = Mem.getLong(at + WEIGHT);
                if (weight != 0) {
                    visitor.visit(Mem.getLong(at + OWNER), at + ROW, bytes, weight);
                }
                at += ROW + bytes;
            }
        }
    }

    /** Forgets the changes. */
    public void clear() {
        chunks.clear();
        compactAbove = COMPACT_ABOVE;
    }

    public long reservedBytes() {
        return chunks.reserved;
    }

    /** Gives all weight of equal rows of one owner to the first of them. */
    private void addUp() {
        int log = 64 - Long.numberOfLeadingZeros(2 * chunks.entries - 1);
        long bytes = 8L << log;
        long slots = account.allocate(bytes);
        try {
            Mem.fill(slots, bytes, (byte) 0);
            for (int c = 0; c < chunks.count; c++) {
                long end = chunks.end(c);
                for (long at = chunks.addresses[c]; at < end; ) {
                    int flat = row.flatBytes(at + ROW);
                    addUp(slots, log, at, flat);
                    at += ROW + flat;
                }
            }
        } finally {
            account.free(slots, bytes);
        }
    }

    private void addUp(long slots, int log, long at, int flat) {
        long owner = Mem.getLong(at + OWNER);
        long hash = Hashing.combine(Hashing.hashBytes(at + ROW, flat), owner);
        long mask = (8L << log) - 1;
        long slot = hash >>> (64 - log) << 3;
        while (true) {
            long other = Mem.getLong(slots + slot);
            if (other == 0) {
                Mem.putLong(slots + slot, at);
                return;
            }
            if (Mem.getLong(other + OWNER) == owner
                    && row.flatBytes(other + ROW) == flat
                    && Mem.equal(other + ROW, at + ROW, flat)) {
                Mem.putLong(other + WEIGHT, Mem.getLong(other + WEIGHT) + Mem.getLong(at + WEIGHT));
                Mem.putLong(at + WEIGHT, 0);
                return;
            }
            slot = (slot + 8) & mask;
        }
    }

    /** Copies what is left when equal rows are one. */
    private void compact() {
        Chunks left = new Chunks(account);
        try {
            forEach((owner, flatRow, flatBytes, weight) ->
                    Mem.copy(flatRow - ROW, left.allocate(ROW + flatBytes), ROW + flatBytes));
        } catch (RuntimeException | Error e) {
            left.close();
            throw e;
        }
        chunks.close();
        chunks = left;
        compactAbove = Math.max(COMPACT_ABOVE, 2 * left.used);
    }

    @Override
    public void close() {
        chunks.close();
    }

    /** Memory that is only appended to. Blocks do not move. */
    private static final class Chunks implements AutoCloseable {
        private final MemoryAccount account;
        private long[] addresses = new long[8];
        private int[] sizes = new int[8];
        private int[] filled = new int[8];
        private int count;
        private long entries;
        private long used;
        private long reserved;

        Chunks(MemoryAccount account) {
            this.account = account;
        }

        long allocate(int bytes) {
            if (count == 0 || sizes[count - 1] - filled[count - 1] < bytes) {
                addChunk(bytes);
            }
            long at = addresses[count - 1] + filled[count - 1];
            filled[count - 1] += bytes;
            used += bytes;
            entries++;
            return at;
        }

        private void addChunk(int atLeast) {
            int grown = count == 0 ? FIRST_CHUNK : Math.min(LAST_CHUNK, sizes[count - 1] * 2);
            int bytes = Math.max(grown, atLeast);
            if (count == addresses.length) {
                addresses = Arrays.copyOf(addresses, 2 * count);
                sizes = Arrays.copyOf(sizes, 2 * count);
                filled = Arrays.copyOf(filled, 2 * count);
            }
            addresses[count] = account.allocate(bytes);
            sizes[count] = bytes;
            filled[count++] = 0;
            reserved += bytes;
        }

        long end(int chunk) {
            return addresses[chunk] + filled[chunk];
        }

        /** Keeps one chunk: as much will come again. */
        void clear() {
            while (count > 1) {
                freeLast();
            }
            if (count == 1) {
                filled[0] = 0;
            }
            used = 0;
            entries = 0;
        }

        private void freeLast() {
            count--;
            account.free(addresses[count], sizes[count]);
            reserved -= sizes[count];
        }

        @Override
        public void close() {
            while (count > 0) {
                freeLast();
            }
            used = 0;
            entries = 0;
        }
    }
}

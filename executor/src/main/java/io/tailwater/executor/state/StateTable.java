package io.tailwater.executor.state;

import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.VnodeRange;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Objects;

/**
 * Key to row, off-heap. A row is one block: {hash, tick stamp and flags, weight, key, value}; its address is stable until it is removed. The key is
 * encoded by a {@link RowLayout}, the value is {@code valueBytes} bytes of the operator's own, zero in a new row.
 *
 * <p>Slots are 8 bytes: the hash's low 16 bits as a tag over the row's 48-bit address. Each of the 256 vnodes (the hash's top 8 bits) has its own
 * power-of-two run of slots, at most half full, with linear probing and the home slot from the bits below the vnode's. So a table grows a vnode
 * at a time, without a pause over the whole table, and is walked by vnode.
 *
 * <p>Owned by one thread; not thread-safe.
 */
public final class StateTable implements AutoCloseable {
    /** Offsets within a row. */
    public static final int HASH = 0;

    public static final int STAMP = 8;
    public static final int WEIGHT = 16;
    public static final int KEY = 24;
    /** Low bits of the stamp word that belong to the operator. */
    public static final int FLAG_BITS = 4;

    public static final long FLAG_MASK = (1L << FLAG_BITS) - 1;
    /** The stamp of a row that was just inserted. */
    public static final long NEVER = -1;
    /** The stamp of a row that came from a snapshot and has not been touched since. */
    public static final long RESTORED = -2;
    /** The stamp of a row that was removed and waits for the next snapshot to say so. */
    private static final long REMOVED = -3;

    private static final long ADDRESS = (1L << 48) - 1;
    private static final int FIRST_SLOTS_LOG = 3;
    private static final int BLOCK = 256;
    private static final int GROW_BLOCK = 64;

    private final RowLayout key;
    private final int keyWords;
    private final int valueBytes;
    private final int rowBytes;
    private final MemoryAccount account;
    private final Arena arena;
    /** Per vnode: log2 of its slots over the address of the first; 0 before its first row. */
    private final long[] segments = new long[Hashing.VNODES];

    private final int[] segmentRows = new int[Hashing.VNODES];
    private final long[] blockSlots = new long[BLOCK];
    private final long[] blockFound = new long[BLOCK];
    private final long[] growSlots = new long[GROW_BLOCK];
    private final long[] growHashes = new long[GROW_BLOCK];
    private long rows;
    private long slotBytes;
    private long growths;
    /** Rows touched since the last snapshot, and rows removed since; null if nobody takes snapshots. */
    private @Nullable AddressList changed;

    private @Nullable AddressList removed;
    /** A row with this stamp or less has not been touched since the last snapshot. */
    private long capturedStamp = NEVER;
    /** Keeps the touching loads of a probe from being optimised away; nothing reads it. */
    @SuppressWarnings("UnusedVariable")
    private long touched;

    public StateTable(RowLayout key, int valueBytes, MemoryAccount account) {
        this.key = key;
        this.keyWords = key.views() > 0 ? -1 : key.width() >>> 3;
        this.valueBytes = (valueBytes + 7) & -8;
        this.rowBytes = KEY + key.width() + this.valueBytes;
        this.account = account;
        this.arena = new Arena(account);
    }

    /** Offset of the value within a row. */
    public int valueOffset() {
        return KEY + key.width();
    }

    public RowLayout key() {
        return key;
    }

    /** Where rows live, and where what they refer to must live. */
    public Arena arena() {
        return arena;
    }

    public long rows() {
        return rows;
    }

    public long reservedBytes() {
        return arena.reservedBytes()
                + slotBytes
                + (changed == null ? 0 : changed.reservedBytes())
                + (removed == null ? 0 : removed.reservedBytes());
    }

    public static long stamp(long row) {
        return Mem.getLong(row + STAMP) >> FLAG_BITS;
    }

    /** Sets the tick stamp, keeps the flags. */
    public static void setStamp(long row, long stamp) {
        Mem.putLong(row + STAMP, (stamp << FLAG_BITS) | (Mem.getLong(row + STAMP) & FLAG_MASK));
    }

    /** Notes from now on what changes, for {@link #takeChanges}. Only for a table without rows. */
    public void trackChanges() {
        if (rows > 0) {
            throw new AssertionError("a table with " + rows + " rows is to note what changes");
        }
        changed = new AddressList(account);
        removed = new AddressList(account);
    }

    /** Sets the stamp of a row whose stamp is less: it is about to change. */
    public void touch(long row, long stamp) {
        if (changed != null && stamp(row) <= capturedStamp) {
            changed.add(row);
        }
        setStamp(row, stamp);
    }

    /**
     * Visits what has changed since the last call: first keys whose row was removed, then rows. A key may occur among both; what is there is then the row. Of a vnode
     * that is {@code full} all rows are visited, and no removed ones. The visitors must not insert or remove.
     *
     * @param stamp the greatest that any row has; those touched later have a greater one
     * @param gone gets rows of which only hash and key can be read
     */
    public void takeChanges(VnodeRange full, long stamp, RowVisitor gone, RowVisitor there) {
        takeChanges(full, stamp, gone, there, () -> {});
    }

    /**
     * The same.
     *
     * @param rest runs last, while {@link #isRemoved} can still be asked of rows that have been removed since the last call
     */
    public void takeChanges(VnodeRange full, long stamp, RowVisitor gone, RowVisitor there, Runnable rest) {
        AddressList touchedRows = Objects.requireNonNull(changed, "changes are not tracked");
        AddressList removedRows = Objects.requireNonNull(removed, "changes are not tracked");
        for (long i = 0; i < removedRows.size(); i++) {
            long row = removedRows.get(i);
            if (!full.contains(Hashing.vnode(Mem.getLong(row + HASH)))) {
                gone.visit(row);
            }
        }
        for (int vnode = full.from(); vnode < full.to(); vnode++) {
            forEach(vnode, there);
        }
        for (long i = 0; i < touchedRows.size(); i++) {
            long row = touchedRows.get(i);
            if (stamp(row) != REMOVED && !full.contains(Hashing.vnode(Mem.getLong(row + HASH)))) {
                there.visit(row);
            }
        }
        rest.run();
        for (long i = 0; i < removedRows.size(); i++) {
            release(removedRows.get(i));
        }
        touchedRows.clear();
        removedRows.clear();
        capturedStamp = stamp;
    }

    /** Whether the row was removed and waits for {@link #takeChanges}. */
    public static boolean isRemoved(long row) {
        return stamp(row) == REMOVED;
    }

    public static long flags(long row) {
        return Mem.getLong(row + STAMP) & FLAG_MASK;
    }

    public static void setFlags(long row, long flags) {
        Mem.putLong(row + STAMP, (Mem.getLong(row + STAMP) & ~FLAG_MASK) | flags);
    }

    public static long weight(long row) {
        return Mem.getLong(row + WEIGHT);
    }

    public static void setWeight(long row, long weight) {
        Mem.putLong(row + WEIGHT, weight);
    }

    /**
     * Finds the rows of {@code n} keys, inserting those that are missing (weight 0, stamp {@link #NEVER}, value zero).
     *
     * @param keys address of the first encoded key, {@code stride} bytes from the next
     * @param found gets the rows' addresses
     */
    public void findOrInsert(long keys, int stride, long[] hashes, int n, long[] found) {
        for (int from = 0; from < n; from += BLOCK) {
            int size = Math.min(BLOCK, n - from);
            locate(hashes, from, size);
            long before = growths;
            if (keyWords == 1) {
                resolveOneWord(keys, stride, hashes, from, size, found, before);
            } else if (keyWords == 2) {
                resolveTwoWords(keys, stride, hashes, from, size, found, before);
            } else if (keyWords > 2) {
                resolveWords(keys, stride, hashes, from, size, found, before);
            } else {
                resolveAny(keys, stride, hashes, from, size, found, before);
            }
        }
    }

    /** Like {@link #findOrInsert}, but leaves 0 for a key that is not there. */
    public void find(long keys, int stride, long[] hashes, int n, long[] found) {
        for (int from = 0; from < n; from += BLOCK) {
            int size = Math.min(BLOCK, n - from);
            locate(hashes, from, size);
            for (int i = 0; i < size; i++) {
                long at = blockSlots[i];
                found[from + i] = at == 0 ? 0 : lookup(at, keys + (long) (from + i) * stride, hashes[from + i]);
            }
        }
    }

    /** Phases one to three: hash to slot, slot to candidate, touch the candidate, each loop free to miss the cache in parallel. */
    private void locate(long[] hashes, int from, int size) {
        for (int i = 0; i < size; i++) {
            blockSlots[i] = home(hashes[from + i]);
        }
        for (int i = 0; i < size; i++) {
            long at = blockSlots[i];
            blockFound[i] = at == 0 ? 0 : Mem.getLong(at) & ADDRESS;
        }
        long sum = 0;
        for (int i = 0; i < size; i++) {
            long row = blockFound[i];
            sum += row == 0 ? 0 : Mem.getLong(row + KEY - 8);
        }
        touched += sum;
    }

    private void resolveOneWord(
            long keys, int stride, long[] hashes, int from, int size, long[] found, long growthsBefore) {
        for (int i = 0; i < size; i++) {
            long hash = hashes[from + i];
            long at = growths == growthsBefore && blockSlots[i] != 0 ? blockSlots[i] : firstSlot(hash);
            long wanted = keys + (long) (from + i) * stride;
            long word = Mem.getLong(wanted);
            while (true) {
                long slot = Mem.getLong(at);
                if (slot == 0) {
                    found[from + i] = insert(at, hash, wanted);
                    break;
                }
                long row = slot & ADDRESS;
                if ((slot ^ hash << 48) >>> 48 == 0 && Mem.getLong(row + KEY) == word) {
                    found[from + i] = row;
                    break;
                }
                at = next(at, hash);
            }
        }
    }

    private void resolveTwoWords(
            long keys, int stride, long[] hashes, int from, int size, long[] found, long growthsBefore) {
        for (int i = 0; i < size; i++) {
            long hash = hashes[from + i];
            long at = growths == growthsBefore && blockSlots[i] != 0 ? blockSlots[i] : firstSlot(hash);
            long wanted = keys + (long) (from + i) * stride;
            long first = Mem.getLong(wanted);
            long second = Mem.getLong(wanted + 8);
            while (true) {
                long slot = Mem.getLong(at);
                if (slot == 0) {
                    found[from + i] = insert(at, hash, wanted);
                    break;
                }
                long row = slot & ADDRESS;
                if ((slot ^ hash << 48) >>> 48 == 0
                        && Mem.getLong(row + KEY) == first
                        && Mem.getLong(row + KEY + 8) == second) {
                    found[from + i] = row;
                    break;
                }
                at = next(at, hash);
            }
        }
    }

    private void resolveWords(
            long keys, int stride, long[] hashes, int from, int size, long[] found, long growthsBefore) {
        for (int i = 0; i < size; i++) {
            long hash = hashes[from + i];
            long at = growths == growthsBefore && blockSlots[i] != 0 ? blockSlots[i] : firstSlot(hash);
            long wanted = keys + (long) (from + i) * stride;
            while (true) {
                long slot = Mem.getLong(at);
                if (slot == 0) {
                    found[from + i] = insert(at, hash, wanted);
                    break;
                }
                long row = slot & ADDRESS;
                if ((slot ^ hash << 48) >>> 48 == 0 && sameWords(row + KEY, wanted)) {
                    found[from + i] = row;
                    break;
                }
                at = next(at, hash);
            }
        }
    }

    private boolean sameWords(long a, long b) {
        for (int w = 0; w < keyWords; w++) {
            if (Mem.getLong(a + 8L * w) != Mem.getLong(b + 8L * w)) {
                return false;
            }
        }
        return true;
    }

    private void resolveAny(
            long keys, int stride, long[] hashes, int from, int size, long[] found, long growthsBefore) {
        for (int i = 0; i < size; i++) {
            long hash = hashes[from + i];
            long at = growths == growthsBefore && blockSlots[i] != 0 ? blockSlots[i] : firstSlot(hash);
            long wanted = keys + (long) (from + i) * stride;
            while (true) {
                long slot = Mem.getLong(at);
                if (slot == 0) {
                    found[from + i] = insert(at, hash, wanted);
                    break;
                }
                long row = slot & ADDRESS;
                if ((slot ^ hash << 48) >>> 48 == 0
                        && Mem.getLong(row + HASH) == hash
                        && key.equal(row + KEY, wanted)) {
                    found[from + i] = row;
                    break;
                }
                at = next(at, hash);
            }
        }
    }

    private long lookup(long firstSlot, long wanted, long hash) {
        long at = firstSlot;
        while (true) {
            long slot = Mem.getLong(at);
            if (slot == 0) {
                return 0;
            }
            long row = slot & ADDRESS;
            if ((slot ^ hash << 48) >>> 48 == 0 && Mem.getLong(row + HASH) == hash && key.equal(row + KEY, wanted)) {
                return row;
            }
            at = next(at, hash);
        }
    }

    /** Home slot, or 0 if the vnode has no slots yet. */
    private long home(long hash) {
        long segment = segments[(int) (hash >>> 56)];
        return segment == 0 ? 0 : (segment & ADDRESS) + (hash << 8 >>> (64 - (segment >>> 56)) << 3);
    }

    private long firstSlot(long hash) {
        int vnode = (int) (hash >>> 56);
        if (segments[vnode] == 0) {
            setSegment(vnode, allocateSlots(FIRST_SLOTS_LOG), FIRST_SLOTS_LOG);
        }
        return home(hash);
    }

    private long next(long at, long hash) {
        long segment = segments[(int) (hash >>> 56)];
        long base = segment & ADDRESS;
        return base + ((at - base + 8) & ((8L << (segment >>> 56)) - 1));
    }

    private long insert(long at, long hash, long wanted) {
        long row = arena.allocate(rowBytes);
        Mem.putLong(row + HASH, hash);
        Mem.putLong(row + STAMP, NEVER << FLAG_BITS);
        Mem.putLong(row + WEIGHT, 0);
        key.copy(wanted, row + KEY);
        if (key.views() > 0) {
            key.own(row + KEY, arena);
        }
        for (int w = valueOffset(); w < rowBytes; w += 8) {
            Mem.putLong(row + w, 0);
        }
        Mem.putLong(at, row | hash << 48);
        rows++;
        int vnode = (int) (hash >>> 56);
        int now = ++segmentRows[vnode];
        int log = (int) (segments[vnode] >>> 56);
        if (now * 2L > 1L << log) {
            grow(vnode, log);
        }
        return row;
    }

    private void grow(int vnode, int log) {
        long old = segments[vnode] & ADDRESS;
        setSegment(vnode, allocateSlots(log + 1), log + 1);
        long end = old + (8L << log);
        for (long from = old; from < end; from += 8L * GROW_BLOCK) {
            reinsert(from, (int) Math.min(GROW_BLOCK, (end - from) >>> 3));
        }
        freeSlots(old, log);
        growths++;
    }

    /** Puts some slots of the old run into the new one: first all hashes, whose misses overlap, then the places. */
    private void reinsert(long from, int slots) {
        int n = 0;
        for (int i = 0; i < slots; i++) {
            long slot = Mem.getLong(from + 8L * i);
            if (slot != 0) {
                growSlots[n] = slot;
                growHashes[n++] = Mem.getLong((slot & ADDRESS) + HASH);
            }
        }
        for (int i = 0; i < n; i++) {
            long to = home(growHashes[i]);
            while (Mem.getLong(to) != 0) {
                to = next(to, growHashes[i]);
            }
            Mem.putLong(to, growSlots[i]);
        }
    }

    private void setSegment(int vnode, long address, int log) {
        segments[vnode] = address | (long) log << 56;
    }

    private long allocateSlots(int log) {
        long bytes = 8L << log;
        long address = account.allocate(bytes);
        slotBytes += bytes;
        Mem.fill(address, bytes, (byte) 0);
        return address;
    }

    private void freeSlots(long address, int log) {
        account.free(address, 8L << log);
        slotBytes -= 8L << log;
    }

    /** Takes a row out. What its value refers to is the caller's to free first. */
    public void remove(long row) {
        unlink(row);
        if (removed == null) {
            release(row);
        } else {
            setStamp(row, REMOVED);
            removed.add(row);
        }
    }

    /** Takes out a row because a snapshot says that it is gone, which the next one need not say again. */
    public void removeRestored(long row) {
        unlink(row);
        release(row);
    }

    private void unlink(long row) {
        long hash = Mem.getLong(row + HASH);
        int vnode = (int) (hash >>> 56);
        long hole = home(hash);
        while ((Mem.getLong(hole) & ADDRESS) != row) {
            if (Mem.getLong(hole) == 0) {
                throw new AssertionError("removed a row that is not in the table");
            }
            hole = next(hole, hash);
        }
        closeHole(vnode, hole);
        segmentRows[vnode]--;
        rows--;
        if (rows == 0) {
            freeAllSlots();
        }
    }

    private void release(long row) {
        key.disown(row + KEY, arena);
        arena.free(row, rowBytes);
    }

    /** Moves later rows of the probe run back, so that no tombstone is needed. */
    private void closeHole(int vnode, long first) {
        long segment = segments[vnode];
        long base = segment & ADDRESS;
        long mask = (8L << (segment >>> 56)) - 1;
        long hole = first;
        long at = hole;
        while (true) {
            at = base + ((at - base + 8) & mask);
            long slot = Mem.getLong(at);
            if (slot == 0) {
                Mem.putLong(hole, 0);
                return;
            }
            long home = home(Mem.getLong((slot & ADDRESS) + HASH));
            // The row may move into the hole if its home is not between the hole (excluded) and its place.
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                Mem.putLong(hole, slot);
                hole = at;
            }
        }
    }

    /** What to do with a row. */
    @FunctionalInterface
    public interface RowVisitor {
        void visit(long row);
    }

    /** Visits each row of a vnode once. The visitor must not insert or remove. */
    public void forEach(int vnode, RowVisitor visitor) {
        long segment = segments[vnode];
        if (segment != 0) {
            long base = segment & ADDRESS;
            for (long at = base; at < base + (8L << (segment >>> 56)); at += 8) {
                long slot = Mem.getLong(at);
                if (slot != 0) {
                    visitor.visit(slot & ADDRESS);
                }
            }
        }
    }

    /** Visits each row once. The visitor must not insert or remove. */
    public void forEach(RowVisitor visitor) {
        for (int vnode = 0; vnode < Hashing.VNODES; vnode++) {
            forEach(vnode, visitor);
        }
    }

    @Override
    public void close() {
        freeAllSlots();
        arena.close();
        if (changed != null) {
            changed.close();
        }
        if (removed != null) {
            removed.close();
        }
        rows = 0;
    }

    private void freeAllSlots() {
        for (int vnode = 0; vnode < Hashing.VNODES; vnode++) {
            if (segments[vnode] != 0) {
                freeSlots(segments[vnode] & ADDRESS, (int) (segments[vnode] >>> 56));
                segments[vnode] = 0;
            }
        }
        Arrays.fill(segmentRows, 0);
    }
}

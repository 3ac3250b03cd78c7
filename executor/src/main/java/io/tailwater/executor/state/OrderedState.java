package io.tailwater.executor.state;

import io.tailwater.api.batch.Mem;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

/**
 * Ordered multisets of encoded rows, one per root. A root is {@link #ROOT_BYTES} bytes of the owner's, zero for an empty multiset: {top node, number
 * of entries, number of entries of negative weight}. Up to {@link #FANOUT} entries are one sorted array that grows with its content; above, a B+-tree
 * whose nodes have that fan-out and are freed when they are empty.
 *
 * <p>Node: {int count, int capacity, int level}, then at level 0 entries {row, weight}, above children {address, least row that belongs there}; the
 * first child's least row is not kept. Each entry and each least row owns its long strings.
 *
 * <p>Owned by one thread; not thread-safe.
 */
public final class OrderedState {
    public static final int ROOT_BYTES = 24;

    private static final int FANOUT = 64;
    private static final int FIRST_CAPACITY = 2;
    private static final int ENTRIES = 8;
    private static final int NEGATIVES = 16;
    private static final int COUNT = 0;
    private static final int CAPACITY = 4;
    private static final int LEVEL = 8;
    private static final int HEADER = 16;
    private static final int MAX_LEVELS = 16;

    private final RowLayout row;
    private final RowOrder order;
    private final Arena arena;
    private final int entryBytes;
    private final int childBytes;
    private final long[] path = new long[MAX_LEVELS];
    private final int[] pathChild = new int[MAX_LEVELS];
    private final Cursor cursor = new Cursor();
    /** Long strings of removed rows that are still read, as (address, length); null if they are freed at once. */
    private final @Nullable AddressList removed;
    /** What {@link #addFor} notes; null if nobody takes snapshots. */
    private @Nullable EntryLog log;

    public OrderedState(RowLayout row, RowOrder order, Arena arena) {
        this(row, order, arena, null);
    }

    /**
     * Multisets whose removed rows' strings stay where they are until {@link #freeRemoved}, so that a plain copy of a row remains readable.
     *
     * @param removed what they are noted in, owned by the caller; null to free them at once
     */
    public OrderedState(RowLayout row, RowOrder order, Arena arena, @Nullable AddressList removed) {
        this.row = row;
        this.removed = row.views() == 0 ? null : removed;
        this.order = order;
        this.arena = arena;
        entryBytes = row.width() + 8;
        childBytes = 8 + row.width();
    }

    /** Layout of the rows. */
    public RowLayout row() {
        return row;
    }

    /** From now on {@link #addFor} notes what it adds. The log stays the caller's. */
    public void noteIn(EntryLog to) {
        log = to;
    }

    /**
     * {@link #add}, noted for the next snapshot if there will be one.
     *
     * @param owner what the log is to say whose root it is
     */
    public long addFor(long owner, long root, long encoded, long weight) {
        if (log != null) {
            log.add(owner, encoded, weight);
        }
        return add(root, encoded, weight);
    }

    /** Adds to the weight of a row, which is copied in if it is new and dropped at weight 0. Returns the weight before. */
    public long add(long root, long encoded, long weight) {
        int depth = descend(root, encoded);
        long leaf = Mem.getLong(root);
        if (depth > 0) {
            leaf = child(path[depth - 1], pathChild[depth - 1]);
        }
        int at = leaf == 0 ? -1 : search(leaf, encoded);
        if (at < 0) {
            insert(root, leaf, depth, -at - 1, encoded, weight);
            adjust(root, 1, 0, weight);
            return 0;
        }
        long entry = entry(leaf, at);
        long old = Mem.getLong(entry + row.width());
        Mem.putLong(entry + row.width(), old + weight);
        if (old + weight == 0) {
            if (removed == null) {
                row.disown(entry, arena);
            } else {
                row.disownLater(entry, removed);
            }
            removeEntry(root, leaf, depth, at);
            adjust(root, -1, old, 0);
        } else {
            adjust(root, 0, old, old + weight);
        }
        return old;
    }

    private static void adjust(long root, int entries, long oldWeight, long newWeight) {
        Mem.putLong(root + ENTRIES, Mem.getLong(root + ENTRIES) + entries);
        long negatives = (newWeight < 0 ? 1L : 0L) - (oldWeight < 0 ? 1L : 0L);
        Mem.putLong(root + NEGATIVES, Mem.getLong(root + NEGATIVES) + negatives);
    }

    /** How many different rows there are. */
    public long entries(long root) {
        return Mem.getLong(root + ENTRIES);
    }

    /** The least row, or 0. */
    public long first(long root) {
        long node = Mem.getLong(root);
        while (node != 0 && level(node) > 0) {
            node = child(node, 0);
        }
        return node == 0 ? 0 : entry(node, 0);
    }

    /** The greatest row, or 0. */
    public long last(long root) {
        long node = Mem.getLong(root);
        while (node != 0 && level(node) > 0) {
            node = child(node, count(node) - 1);
        }
        return node == 0 ? 0 : entry(node, count(node) - 1);
    }

    public long weight(long entry) {
        return Mem.getLong(entry + row.width());
    }

    /** Fails if a row was taken out more often than it was put in. */
    public void check(long root) {
        if (Mem.getLong(root + NEGATIVES) == 0) {
            return;
        }
        for (Cursor c = cursor(root); c.valid(); c.next()) {
            if (c.weight() < 0) {
                throw new StreamException(
                        ErrorCode.DATA_EXCEPTION,
                        "more rows were removed than had been added: %s has weight %d"
                                .formatted(row.describe(c.entry()), c.weight()),
                        -1,
                        "The input retracts a row that it never inserted.",
                        null);
            }
        }
        throw new AssertionError("a negative entry was counted but is not there");
    }

    /** Frees the strings of rows that were removed since the last call. */
    public void freeRemoved() {
        if (removed != null) {
            for (long i = 0; i < removed.size(); i += 2) {
                arena.free(removed.get(i), (int) removed.get(i + 1));
            }
            removed.clear();
        }
    }

    /** Frees everything; the root is empty then. */
    public void clear(long root) {
        if (Mem.getLong(root) != 0) {
            clearNode(Mem.getLong(root));
        }
        Mem.putLong(root, 0);
        Mem.putLong(root + ENTRIES, 0);
        Mem.putLong(root + NEGATIVES, 0);
    }

    private void clearNode(long node) {
        boolean leaf = level(node) == 0;
        for (int i = 0; i < count(node); i++) {
            if (leaf) {
                row.disown(entry(node, i), arena);
            } else {
                clearNode(child(node, i));
                if (i > 0) {
                    row.disown(least(node, i), arena);
                }
            }
        }
        freeNode(node);
    }

    /** Walks the rows in order. Valid until the next change; each call resets the one cursor there is. */
    public Cursor cursor(long root) {
        cursor.start(Mem.getLong(root));
        return cursor;
    }

    /** A cursor beside the one that the others share; {@link Cursor#first} begins. */
    public Cursor anotherCursor() {
        return new Cursor();
    }

    /**
     * Walks the rows from the first whose column is at least {@code least}. The order must begin with that column, ascending; it is NOT NULL and of 8 bytes.
     */
    public Cursor cursor(long root, int column, long least) {
        cursor.startAt(Mem.getLong(root), row.offset(column), least);
        return cursor;
    }

    private static int count(long node) {
        return Mem.getInt(node + COUNT);
    }

    private static void setCount(long node, int count) {
        Mem.putInt(node + COUNT, count);
    }

    private static int level(long node) {
        return Mem.getInt(node + LEVEL);
    }

    private long entry(long leaf, int index) {
        return leaf + HEADER + (long) index * entryBytes;
    }

    private long childSlot(long node, int index) {
        return node + HEADER + (long) index * childBytes;
    }

    private long child(long node, int index) {
        return Mem.getLong(childSlot(node, index));
    }

    private long least(long node, int index) {
        return childSlot(node, index) + 8;
    }

    /** Fills the path of inner nodes that leads to the leaf of a row; returns its length. */
    private int descend(long root, long encoded) {
        long node = Mem.getLong(root);
        int depth = 0;
        while (node != 0 && level(node) > 0) {
            int low = 1;
            int high = count(node);
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (order.compare(least(node, middle), encoded) <= 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            path[depth] = node;
            pathChild[depth++] = low - 1;
            node = child(node, low - 1);
        }
        return depth;
    }

    /** Index of a row in a leaf, or -(where it belongs) - 1. */
    private int search(long leaf, long encoded) {
        int low = 0;
        int high = count(leaf);
        while (low < high) {
            int middle = (low + high) >>> 1;
            int compared = order.compare(entry(leaf, middle), encoded);
            if (compared == 0) {
                return middle;
            }
            if (compared < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return -low - 1;
    }

    private void insert(long root, long leaf, int depth, int at, long encoded, long weight) {
        if (leaf == 0) {
            long made = allocateLeaf(FIRST_CAPACITY);
            Mem.putLong(root, made);
            putEntry(made, 0, encoded, weight);
            return;
        }
        int capacity = Mem.getInt(leaf + CAPACITY);
        if (count(leaf) < capacity) {
            putEntry(leaf, at, encoded, weight);
        } else if (capacity < FANOUT) {
            long grown = allocateLeaf(capacity * 2);
            Mem.copy(entry(leaf, 0), entry(grown, 0), (long) count(leaf) * entryBytes);
            setCount(grown, count(leaf));
            freeNode(leaf);
            replace(root, depth, grown);
            putEntry(grown, at, encoded, weight);
        } else {
            splitLeaf(root, leaf, depth, at, encoded, weight);
        }
    }

    private void splitLeaf(long root, long leaf, int depth, int at, long encoded, long weight) {
        // A row past the end begins a leaf of its own: ascending input leaves full leaves behind.
        int keep = at == FANOUT ? FANOUT : FANOUT / 2;
        long right = allocateLeaf(FANOUT);
        int moved = FANOUT - keep;
        Mem.copy(entry(leaf, keep), entry(right, 0), (long) moved * entryBytes);
        setCount(leaf, keep);
        setCount(right, moved);
        if (at > keep || moved == 0) {
            putEntry(right, at - keep, encoded, weight);
        } else {
            putEntry(leaf, at, encoded, weight);
        }
        addChild(root, depth, leaf, right, entry(right, 0), true);
    }

    /** Puts {@code right} after {@code left} into the parent at {@code path[depth - 1]}. */
    private void addChild(long root, int depth, long left, long right, long leastRow, boolean copy) {
        if (depth == 0) {
            long top = allocateInner(level(left) + 1);
            Mem.putLong(childSlot(top, 0), left);
            Mem.fill(least(top, 0), row.width(), (byte) 0);
            setCount(top, 1);
            putChild(top, 1, right, leastRow, copy);
            Mem.putLong(root, top);
            return;
        }
        long parent = path[depth - 1];
        int at = pathChild[depth - 1] + 1;
        if (count(parent) < FANOUT) {
            putChild(parent, at, right, leastRow, copy);
            return;
        }
        int keep = at == FANOUT ? FANOUT - 1 : FANOUT / 2;
        long sibling = allocateInner(level(parent));
        int moved = FANOUT - keep;
        Mem.copy(childSlot(parent, keep), childSlot(sibling, 0), (long) moved * childBytes);
        setCount(parent, keep);
        setCount(sibling, moved);
        if (at > keep) {
            putChild(sibling, at - keep, right, leastRow, copy);
        } else {
            putChild(parent, at, right, leastRow, copy);
        }
        // The sibling's first least row moves up, with the strings it owns.
        addChild(root, depth - 1, parent, sibling, least(sibling, 0), false);
        Mem.fill(least(sibling, 0), row.width(), (byte) 0);
    }

    private void putChild(long node, int at, long address, long leastRow, boolean copy) {
        int count = count(node);
        for (int i = count; i > at; i--) {
            Mem.copy(childSlot(node, i - 1), childSlot(node, i), childBytes);
        }
        Mem.putLong(childSlot(node, at), address);
        row.copy(leastRow, least(node, at));
        if (copy) {
            row.own(least(node, at), arena);
        }
        setCount(node, count + 1);
    }

    private void putEntry(long leaf, int at, long encoded, long weight) {
        int count = count(leaf);
        if (at < count) {
            // copyMemory handles overlap as memmove does.
            Mem.copy(entry(leaf, at), entry(leaf, at + 1), (long) (count - at) * entryBytes);
        }
        row.copy(encoded, entry(leaf, at));
        row.own(entry(leaf, at), arena);
        Mem.putLong(entry(leaf, at) + row.width(), weight);
        setCount(leaf, count + 1);
    }

    /** Makes the node that the path's first {@code depth} steps lead to another one. */
    private void replace(long root, int depth, long node) {
        if (depth == 0) {
            Mem.putLong(root, node);
        } else {
            Mem.putLong(childSlot(path[depth - 1], pathChild[depth - 1]), node);
        }
    }

    private void removeEntry(long root, long leaf, int depth, int at) {
        int count = count(leaf) - 1;
        if (count > 0) {
            Mem.copy(entry(leaf, at + 1), entry(leaf, at), (long) (count - at) * entryBytes);
            setCount(leaf, count);
            return;
        }
        freeNode(leaf);
        removeChild(root, depth);
    }

    private void removeChild(long root, int depth) {
        if (depth == 0) {
            Mem.putLong(root, 0);
            return;
        }
        long node = path[depth - 1];
        int at = pathChild[depth - 1];
        int count = count(node) - 1;
        if (count == 0) {
            freeNode(node);
            removeChild(root, depth - 1);
            return;
        }
        // Of the first child no least row is kept, so without it the second's goes.
        row.disown(least(node, Math.max(at, 1)), arena);
        Mem.copy(childSlot(node, at + 1), childSlot(node, at), (long) (count - at) * childBytes);
        if (at == 0) {
            Mem.fill(least(node, 0), row.width(), (byte) 0);
        }
        setCount(node, count);
        if (count == 1 && depth == 1) {
            Mem.putLong(root, child(node, 0));
            freeNode(node);
        }
    }

    private long allocateLeaf(int capacity) {
        return allocateNode(capacity, 0, HEADER + capacity * entryBytes);
    }

    private long allocateInner(int level) {
        if (level >= MAX_LEVELS) {
            throw new AssertionError("a tree of " + level + " levels");
        }
        return allocateNode(FANOUT, level, HEADER + FANOUT * childBytes);
    }

    private long allocateNode(int capacity, int level, int bytes) {
        long node = arena.allocate(bytes);
        Mem.putInt(node + COUNT, 0);
        Mem.putInt(node + CAPACITY, capacity);
        Mem.putInt(node + LEVEL, level);
        return node;
    }

    private void freeNode(long node) {
        int capacity = Mem.getInt(node + CAPACITY);
        arena.free(node, HEADER + capacity * (level(node) == 0 ? entryBytes : childBytes));
    }

    /** A place among the rows of one root. */
    public final class Cursor {
        private final long[] nodes = new long[MAX_LEVELS];
        private final int[] indexes = new int[MAX_LEVELS];
        private int depth;

        private Cursor() {}

        private void start(long top) {
            depth = 0;
            if (top != 0) {
                down(top);
            }
        }

        private void startAt(long top, int offset, long least) {
            depth = 0;
            long node = top;
            while (node != 0) {
                boolean leaf = level(node) == 0;
                // In a leaf: the first entry that is not less. Above: the last child that begins with less, or the
                // first.
                int low = leaf ? 0 : 1;
                int high = count(node);
                while (low < high) {
                    int middle = (low + high) >>> 1;
                    long at = leaf ? OrderedState.this.entry(node, middle) : OrderedState.this.least(node, middle);
                    if (Mem.getLong(at + offset) < least) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                nodes[depth] = node;
                indexes[depth++] = low - 1;
                node = leaf ? 0 : child(node, low - 1);
            }
            if (depth > 0) {
                next();
            }
        }

        private void down(long from) {
            long node = from;
            while (true) {
                nodes[depth] = node;
                indexes[depth++] = 0;
                if (level(node) == 0) {
                    return;
                }
                node = child(node, 0);
            }
        }

        /** Goes to a root's first row. */
        public void first(long root) {
            start(Mem.getLong(root));
        }

        public boolean valid() {
            return depth > 0;
        }

        /** Address of the encoded row. */
        public long entry() {
            return OrderedState.this.entry(nodes[depth - 1], indexes[depth - 1]);
        }

        public long weight() {
            return OrderedState.this.weight(entry());
        }

        public void next() {
            while (depth > 0) {
                int index = ++indexes[depth - 1];
                long node = nodes[depth - 1];
                if (index < count(node)) {
                    if (level(node) > 0) {
                        down(child(node, index));
                    }
                    return;
                }
                depth--;
            }
        }
    }
}

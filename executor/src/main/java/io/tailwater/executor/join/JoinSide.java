package io.tailwater.executor.join;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;

import java.util.ArrayList;
import java.util.List;

/**
 * The rows of one input, chained per key entry. A row holds the columns that are not in the key, in one of two forms:
 *
 * <ul>
 *   <li>bare, for an append-only input of which nothing more is asked: {next, row};
 *   <li>tracked: a row of a {@link StateTable} whose key is {key entry, row}, so that a row is found, added to and taken out in constant time however
 *       many share its join key; its value is {next, previous} and, if rows are also emitted alone, {matches, weight so emitted}.
 * </ul>
 *
 * Owned by one operator; not thread-safe.
 */
final class JoinSide implements AutoCloseable {
    private static final int BARE_ROW = 8;
    private static final int NEXT = 0;
    private static final int PREVIOUS = 8;
    private static final int MATCHES = 16;
    private static final int EMITTED = 24;
    private static final int LINK_BYTES = 16;
    private static final int VALUE_BYTES = 32;

    private final boolean tracked;
    /** Where in a key entry the head of this side's chain is. */
    private final int headOffset;

    private final RowLayout layout;
    /** Batch column per field of the layout; -1 for the key entry. */
    private final int[] columns;

    private final StateTable rows;
    private final Arena bare;
    private final AddressList dirty;
    private final Scratch encoded;
    private final int nextOffset;
    /** Keeps touching loads from being optimised away; nothing reads it. */
    @SuppressWarnings("UnusedVariable")
    private long touched;

    private long bareRows;
    private long[] hashes = new long[ColumnBatch.TARGET_ROWS];
    private long[] found = new long[ColumnBatch.TARGET_ROWS];
    private boolean[] isNew = new boolean[ColumnBatch.TARGET_ROWS];

    /**
     * A side without rows.
     *
     * @param tracked whether rows are found again, to be taken out or emitted alone
     * @param alone whether rows are also emitted alone
     */
    JoinSide(Schema schema, int[] keyColumns, boolean tracked, boolean alone, int headOffset, OperatorContext context) {
        this.tracked = tracked;
        this.headOffset = headOffset;
        List<DataType> types = new ArrayList<>();
        List<Integer> from = new ArrayList<>();
        if (tracked) {
            types.add(DataType.BIGINT.notNull());
            from.add(-1);
        }
        for (int c = 0; c < schema.size(); c++) {
            if (!contains(keyColumns, c)) {
                types.add(schema.type(c));
                from.add(c);
            }
        }
        layout = new RowLayout(types.toArray(new DataType[0]));
        columns = from.stream().mapToInt(i -> i).toArray();
        rows = new StateTable(layout, alone ? VALUE_BYTES : LINK_BYTES, context.memory());
        bare = new Arena(context.memory());
        dirty = new AddressList(context.memory());
        encoded = new Scratch(context.memory());
        nextOffset = tracked ? rows.valueOffset() + NEXT : 0;
    }

    private static boolean contains(int[] columns, int column) {
        for (int c : columns) {
            if (c == column) {
                return true;
            }
        }
        return false;
    }

    boolean tracked() {
        return tracked;
    }

    int headOffset() {
        return headOffset;
    }

    RowLayout layout() {
        return layout;
    }

    /** Batch column per field of the layout; -1 for the key entry. */
    int[] columns() {
        return columns;
    }

    /** Offset of the encoded row in a chained row. */
    int rowOffset() {
        return tracked ? StateTable.KEY : BARE_ROW;
    }

    long size() {
        return tracked ? rows.rows() : bareRows;
    }

    long reservedBytes() {
        return rows.reservedBytes() + bare.reservedBytes() + dirty.reservedBytes();
    }

    long next(long row) {
        return Mem.getLong(row + nextOffset);
    }

    long weight(long row) {
        return tracked ? StateTable.weight(row) : 1;
    }

    /** The rows of the last insert, by position in the batch; only if tracked. */
    long row(int index) {
        return found[index];
    }

    /** Whether the last insert created the row, at this position in the batch. */
    boolean isNew(int index) {
        return isNew[index];
    }

    /** Adds a batch's rows to the chains of their key entries. */
    void insert(ColumnBatch batch, long[] entries, long[] keyHashes, long stamp) {
        int n = batch.rows();
        int width = layout.width();
        long from = encoded.atLeast((long) n * width + 8);
        layout.encode(batch, columns, n, from, width);
        if (tracked) {
            insertTracked(batch, from, entries, keyHashes, stamp);
        } else {
            insertBare(n, from, entries);
        }
    }

    private void insertBare(int n, long from, long[] entries) {
        int width = layout.width();
        boolean views = layout.views() > 0;
        for (int i = 0; i < n; i++) {
            long row = bare.allocate(BARE_ROW + width);
            long head = entries[i] + headOffset;
            Mem.putLong(row, Mem.getLong(head));
            Mem.putLong(head, row);
            layout.copy(from + (long) i * width, row + BARE_ROW);
            if (views) {
                layout.own(row + BARE_ROW, bare);
            }
        }
        bareRows += n;
    }

    private void insertTracked(ColumnBatch batch, long from, long[] entries, long[] keyHashes, long stamp) {
        int n = batch.rows();
        int width = layout.width();
        if (hashes.length < n) {
            hashes = new long[n];
            found = new long[n];
            isNew = new boolean[n];
        }
        for (int i = 0; i < n; i++) {
            long row = from + (long) i * width;
            layout.putLong(0, row, entries[i]);
            // The vnode is the key's, so that a row lives where its key does.
            hashes[i] = (keyHashes[i] & 0xFF00_0000_0000_0000L) | (layout.hash(row, Hashing.NULL_HASH) >>> 8);
        }
        rows.findOrInsert(from, width, hashes, n, found);
        touchHeads(entries, n);
        for (int i = 0; i < n; i++) {
            long row = found[i];
            isNew[i] = StateTable.stamp(row) == StateTable.NEVER;
            if (isNew[i]) {
                link(row, entries[i] + headOffset);
            }
            touch(row, stamp);
            StateTable.setWeight(row, StateTable.weight(row) + batch.weight(i));
        }
    }

    /** Touches the first row of each chain, whose misses then overlap: a new row will be linked in front of it, or a batch pairs with it. */
    void touchHeads(long[] entries, int n) {
        long sum = 0;
        int last = tracked ? nextOffset + PREVIOUS : 0;
        for (int i = 0; i < n; i++) {
            long first = Mem.getLong(entries[i] + headOffset);
            if (first != 0) {
                sum += Mem.getLong(first + last);
            }
        }
        touched += sum;
    }

    private void link(long row, long head) {
        long first = Mem.getLong(head);
        Mem.putLong(row + nextOffset, first);
        if (first != 0) {
            Mem.putLong(first + nextOffset + PREVIOUS, row);
        }
        Mem.putLong(head, row);
    }

    private void unlink(long row) {
        long next = Mem.getLong(row + nextOffset);
        long previous = Mem.getLong(row + nextOffset + PREVIOUS);
        if (previous == 0) {
            Mem.putLong(entry(row) + headOffset, next);
        } else {
            Mem.putLong(previous + nextOffset, next);
        }
        if (next != 0) {
            Mem.putLong(next + nextOffset + PREVIOUS, previous);
        }
    }

    /** The key entry of a tracked row. */
    long entry(long row) {
        return Mem.getLong(row + StateTable.KEY + layout.offset(0));
    }

    /** Marks a tracked row as touched in this tick. */
    void touch(long row, long stamp) {
        if (StateTable.stamp(row) != stamp) {
            StateTable.setStamp(row, stamp);
            dirty.add(row);
        }
    }

    void touchChain(long entry, long stamp) {
        for (long row = Mem.getLong(entry + headOffset); row != 0; row = next(row)) {
            touch(row, stamp);
        }
    }

    void touchAll(long stamp) {
        rows.forEach(row -> touch(row, stamp));
    }

    /** Sum of the weights of the other side's rows that match this one; kept only with a residual. */
    long matches(long row) {
        return Mem.getLong(row + nextOffset + MATCHES);
    }

    void addMatches(long row, long weight) {
        Mem.putLong(row + nextOffset + MATCHES, matches(row) + weight);
    }

    /** The weight with which the row has been emitted alone: as an outer join's unmatched row, or as a semi or anti join's result. */
    long emitted(long row) {
        return Mem.getLong(row + nextOffset + EMITTED);
    }

    void setEmitted(long row, long weight) {
        Mem.putLong(row + nextOffset + EMITTED, weight);
    }

    /** Tracked rows touched in this tick. */
    AddressList dirty() {
        return dirty;
    }

    /** After a tick: touched rows of weight 0 go, one below zero is an error. */
    void sweep(RowLayout key) {
        long n = dirty.size();
        for (long i = 0; i < n; i++) {
            long row = dirty.get(i);
            long weight = StateTable.weight(row);
            if (weight < 0) {
                throw new StreamException(
                        ErrorCode.DATA_EXCEPTION,
                        "more rows were removed than had been added: %s with join key %s has weight %d"
                                .formatted(
                                        layout.describe(row + StateTable.KEY, 1),
                                        key.describe(entry(row) + StateTable.KEY),
                                        weight),
                        -1,
                        "The input retracts a row that it never inserted.",
                        null);
            }
            if (weight == 0) {
                unlink(row);
                rows.remove(row);
            }
        }
        dirty.clear();
    }

    @Override
    public void close() {
        rows.close();
        bare.close();
        dirty.close();
        encoded.close();
    }
}

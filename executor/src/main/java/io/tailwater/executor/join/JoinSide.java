package io.tailwater.executor.join;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.AddressList;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

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
    private final boolean alone;
    /** Where in a key entry the head of this side's chain is. */
    private final int headOffset;

    private final RowLayout layout;
    /** Batch column per field of the layout; -1 for the key entry. */
    private final int[] columns;

    private final StateTable rows;
    private final Arena bare;
    private final AddressList dirty;
    private final MemoryAccount memory;
    /** Bare rows that have come since the last snapshot, as (key entry, row); null if nobody takes snapshots. */
    private @Nullable AddressList arrived;

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
        this.alone = alone;
        memory = context.memory();
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
        return rows.reservedBytes()
                + bare.reservedBytes()
                + dirty.reservedBytes()
                + (arrived == null ? 0 : arrived.reservedBytes());
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
            long row = linkBare(from + (long) i * width, entries[i] + headOffset);
            if (views) {
                layout.own(row + BARE_ROW, bare);
            }
            if (arrived != null) {
                arrived.add(entries[i]);
                arrived.add(row);
            }
        }
        bareRows += n;
    }

    private long linkBare(long from, long head) {
        long row = bare.allocate(BARE_ROW + layout.width());
        Mem.putLong(row, Mem.getLong(head));
        Mem.putLong(head, row);
        layout.copy(from, row + BARE_ROW);
        return row;
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
            hashes[i] = hash(row, keyHashes[i]);
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

    /** Of a tracked row. The vnode is the key's, so that a row lives where its key does. */
    private long hash(long row, long keyHash) {
        return (keyHash & 0xFF00_0000_0000_0000L) | (layout.hash(row, Hashing.NULL_HASH) >>> 8);
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
            rows.touch(row, stamp);
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

    /** Notes from now on which rows come, change and go. */
    void trackChanges() {
        if (tracked) {
            rows.trackChanges();
        } else {
            arrived = new AddressList(memory);
        }
    }

    /**
     * Writes rows as part {@code part}: {key, row without its entry} and, of a tracked one, the weight it has and the sum of its matches, if that is not 0. Bare rows
     * are additions to a multiset. What follows from the rows - totals, and what has been emitted alone - is not written.
     *
     * @param entries where all keys still are that rows written or gone refer to
     * @param stamp see {@link StateTable#takeChanges}
     */
    void write(StateWriter out, int part, StateTable entries, long stamp) {
        if (tracked) {
            rows.takeChanges(
                    out.full(),
                    stamp,
                    row -> {
                        begin(out, part, entries, row, 0);
                        out.end();
                    },
                    row -> {
                        begin(out, part, entries, row, StateTable.weight(row));
                        out.value();
                        if (alone && matches(row) != 0) {
                            out.putLong(matches(row));
                        }
                        out.end();
                    });
        } else {
            writeBare(out, part, entries);
        }
    }

    private void begin(StateWriter out, int part, StateTable entries, long row, long weight) {
        long entry = entry(row);
        long copy = encoded.atLeast(layout.width());
        layout.copy(row + StateTable.KEY, copy);
        layout.putLong(0, copy, 0);
        out.begin(part, Mem.getLong(entry + StateTable.HASH), weight);
        out.put(entries.key(), entry + StateTable.KEY);
        out.put(layout, copy);
    }

    private void writeBare(StateWriter out, int part, StateTable entries) {
        AddressList list = Objects.requireNonNull(arrived, "changes are not tracked");
        for (int vnode = out.full().from(); vnode < out.full().to(); vnode++) {
            entries.forEach(vnode, entry -> {
                for (long row = Mem.getLong(entry + headOffset); row != 0; row = next(row)) {
                    writeBare(out, part, entries.key(), entry, row);
                }
            });
        }
        for (long i = 0; i < list.size(); i += 2) {
            long entry = list.get(i);
            if (!out.isFull(Mem.getLong(entry + StateTable.HASH))) {
                writeBare(out, part, entries.key(), entry, list.get(i + 1));
            }
        }
        list.clear();
    }

    private void writeBare(StateWriter out, int part, RowLayout key, long entry, long row) {
        out.begin(part, Mem.getLong(entry + StateTable.HASH), 1);
        out.put(key, entry + StateTable.KEY);
        out.put(layout, row + BARE_ROW);
        out.value();
        out.end();
    }

    /**
     * Takes over a row that {@link #write} has written.
     *
     * @param flat where in the reader's key the row begins
     */
    void restore(StateReader in, long flat, long entry) {
        long row = encoded.atLeast(layout.width() + 8L);
        layout.unflatten(flat, row);
        if (!tracked) {
            layout.own(linkBare(row, entry + headOffset) + BARE_ROW, bare);
            bareRows++;
            return;
        }
        layout.putLong(0, row, entry);
        hashes[0] = hash(row, in.hash());
        rows.findOrInsert(row, layout.width(), hashes, 1, found);
        long there = found[0];
        if (StateTable.stamp(there) == StateTable.NEVER) {
            link(there, entry + headOffset);
            StateTable.setStamp(there, StateTable.RESTORED);
        }
        StateTable.setWeight(there, in.weight());
        if (alone) {
            Mem.putLong(there + nextOffset + MATCHES, in.valueBytes() == 0 ? 0 : Mem.getLong(in.value()));
        }
    }

    /** Takes out a row that {@link #write} said is gone. It need not be there: it may have come and gone between two snapshots. */
    void restoreGone(StateReader in, long flat, long entry) {
        long row = encoded.atLeast(layout.width() + 8L);
        layout.unflatten(flat, row);
        layout.putLong(0, row, entry);
        hashes[0] = hash(row, in.hash());
        rows.find(row, layout.width(), hashes, 1, found);
        if (found[0] != 0) {
            unlink(found[0]);
            rows.removeRestored(found[0]);
        }
    }

    /** Visits each tracked row once. */
    void forEach(StateTable.RowVisitor visitor) {
        rows.forEach(visitor);
    }

    @Override
    public void close() {
        if (arrived != null) {
            arrived.close();
        }
        rows.close();
        bare.close();
        dirty.close();
        encoded.close();
    }
}

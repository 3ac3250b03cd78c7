package io.tailwater.executor.snapshot;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.executor.state.EntryLog;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import io.tailwater.executor.state.StateTable;

import java.util.ArrayList;
import java.util.List;

/**
 * A {@link StateTable} in snapshots, with the multisets whose roots its rows hold. Part 0 has the table's rows: {flat key}, the row's weight, and a value that is
 * the operator's own. Parts 1, 2, ... have the entries of each multiset: {flat key, flat entry} and the weight to add. What a row that is gone had in its multisets
 * is gone with it.
 *
 * <p>Owned by one operator; not thread-safe.
 */
public final class TableSnapshot implements AutoCloseable {
    private final StateTable table;
    private final MemoryAccount memory;
    private final List<Multiset> multisets;
    private final List<EntryLog> logs = new ArrayList<>();
    private final Scratch key;
    private final Scratch entry;
    private final long[] hash = new long[1];
    private final long[] found = new long[1];
    private int keyBytes;

    /**
     * A multiset of each row.
     *
     * @param rootOffset of its root within a row of the table
     */
    public record Multiset(OrderedState state, int rootOffset) {}

    public TableSnapshot(StateTable table, List<Multiset> multisets, MemoryAccount memory) {
        this.table = table;
        this.multisets = List.copyOf(multisets);
        this.memory = memory;
        key = new Scratch(memory);
        entry = new Scratch(memory);
    }

    /** Notes from now on what is touched, removed, and added by {@link OrderedState#addFor} with the row as owner. */
    public void trackChanges() {
        table.trackChanges();
        for (Multiset multiset : multisets) {
            EntryLog log = new EntryLog(multiset.state().row(), memory);
            logs.add(log);
            multiset.state().noteIn(log);
        }
    }

    /**
     * Writes what has changed since the last call, and all of the writer's full vnodes.
     *
     * @param stamp see {@link StateTable#takeChanges}
     * @param value writes the value of a row, without its multisets
     */
    public void write(StateWriter out, long stamp, StateTable.RowVisitor value) {
        table.takeChanges(
                out.full(),
                stamp,
                row -> {
                    begin(out, 0, row, 0);
                    out.end();
                },
                row -> {
                    begin(out, 0, row, StateTable.weight(row));
                    out.value();
                    value.visit(row);
                    out.end();
                    if (out.isFull(Mem.getLong(row + StateTable.HASH))) {
                        writeMultisets(out, row);
                    }
                },
                () -> writeLogs(out));
    }

    private void begin(StateWriter out, int part, long row, long weight) {
        out.begin(part, Mem.getLong(row + StateTable.HASH), weight);
        out.put(table.key(), row + StateTable.KEY);
    }

    private void writeMultisets(StateWriter out, long row) {
        for (int m = 0; m < multisets.size(); m++) {
            OrderedState state = multisets.get(m).state();
            long root = row + multisets.get(m).rootOffset();
            for (OrderedState.Cursor c = state.cursor(root); c.valid(); c.next()) {
                begin(out, m + 1, row, c.weight());
                out.put(state.row(), c.entry());
                out.value();
                out.end();
            }
        }
    }

    private void writeLogs(StateWriter out) {
        for (int m = 0; m < logs.size(); m++) {
            int part = m + 1;
            logs.get(m).forEach((row, flatRow, flatBytes, weight) -> {
                if (!StateTable.isRemoved(row) && !out.isFull(Mem.getLong(row + StateTable.HASH))) {
                    begin(out, part, row, weight);
                    out.put(flatRow, flatBytes);
                    out.value();
                    out.end();
                }
            });
            logs.get(m).clear();
        }
    }

    /**
     * Takes over a row of one of the parts.
     *
     * @param release frees what the value of a row that is gone refers to, its multisets too
     * @return the row whose value is to be replaced by the reader's, but for its multisets: zero if it is new; or 0 if there is nothing left to do
     */
    public long read(StateReader in, StateTable.RowVisitor release) {
        hash[0] = in.hash();
        long wanted = key.atLeast(table.key().width() + 8L);
        keyBytes = table.key().unflatten(in.key(), wanted);
        if (in.part() == 0 && !in.removed()) {
            table.findOrInsert(wanted, table.key().width(), hash, 1, found);
            StateTable.setStamp(found[0], StateTable.RESTORED);
            StateTable.setWeight(found[0], in.weight());
            return found[0];
        }
        table.find(wanted, table.key().width(), hash, 1, found);
        if (in.part() > 0) {
            readEntry(in, found[0]);
        } else if (found[0] != 0) {
            release.visit(found[0]);
            table.removeRestored(found[0]);
        }
        return 0;
    }

    private void readEntry(StateReader in, long row) {
        if (row == 0) {
            throw new AssertionError("an entry of " + table.key().describe(key.atLeast(8)) + ", which is not there");
        }
        Multiset multiset = multisets.get(in.part() - 1);
        RowLayout layout = multiset.state().row();
        long encoded = entry.atLeast(layout.width() + 8L);
        layout.unflatten(in.key() + keyBytes, encoded);
        multiset.state().add(row + multiset.rootOffset(), encoded, in.weight());
    }

    /** Bytes held to note what has changed. */
    public long reservedBytes() {
        return logs.stream().mapToLong(EntryLog::reservedBytes).sum();
    }

    @Override
    public void close() {
        logs.forEach(EntryLog::close);
        key.close();
        entry.close();
    }
}

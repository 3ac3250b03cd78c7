package io.tailwater.executor.snapshot;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.Scratch;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Gathers what a snapshot says of one job on one worker. A row is written as {@code begin}, key fields, then {@code value} and value fields unless what the key
 * names is gone, then {@code end}.
 *
 * <p>Owned by one thread; not thread-safe. {@link #finish} or close it.
 */
public final class StateWriter implements AutoCloseable {
    private static final int BATCH_ROWS = 1 << 13;
    private static final DataType[] TYPES = BatchBuilder.types(StateRows.SCHEMA);

    private final VnodeRange full;
    private final MemoryAccount account;
    private final List<String> operators = new ArrayList<>();
    private final List<ColumnBatch> batches = new ArrayList<>();
    private final Scratch row;
    /** Made for the first row. */
    private @Nullable BatchBuilder builder;

    private int rows;
    private int part;
    private long hash;
    private long weight;
    private int used;
    private int keyBytes;
    private boolean discarding;

    /** @param full vnodes of which all rows are to be written */
    public StateWriter(VnodeRange full, MemoryAccount account) {
        this.full = full;
        this.account = account;
        row = new Scratch(account);
    }

    /** Vnodes of which all rows must be written; of the others those that have changed since the snapshot before. */
    public VnodeRange full() {
        return full;
    }

    public boolean isFull(long rowHash) {
        return full.contains(Hashing.vnode(rowHash));
    }

    /** What follows is of this operator. */
    public void operator(String stableId) {
        operators.add(stableId);
        discarding = false;
    }

    /** What follows is left out, until the next {@link #operator}. */
    public void discard() {
        discarding = true;
    }

    /** Begins a row; key fields follow. */
    public void begin(int statePart, long rowHash, long rowWeight) {
        part = statePart;
        hash = rowHash;
        weight = rowWeight;
        used = 0;
        keyBytes = -1;
    }

    /** Value fields follow. */
    public void value() {
        keyBytes = used;
    }

    /** An encoded row, with the bytes of its strings behind it; {@link RowLayout#unflatten} reads it. */
    public void put(RowLayout layout, long encoded) {
        int length = layout.flatBytes(encoded);
        layout.flatten(encoded, room(length));
        used += length;
    }

    /** Bytes as they are. A reader must know how many; to keep fields aligned, a multiple of 8. */
    public void put(long address, int bytes) {
        Mem.copy(address, room(bytes), bytes);
        used += bytes;
    }

    public void putLong(long field) {
        Mem.putLong(room(8), field);
        used += 8;
    }

    private long room(int bytes) {
        return row.grow(used, used + bytes) + used;
    }

    /** Ends the row. Without {@link #value} it says that the key is gone. */
    public void end() {
        if (discarding) {
            return;
        }
        BatchBuilder out = builder;
        if (out == null) {
            out = new BatchBuilder(TYPES, BATCH_ROWS, false, account);
            builder = out;
        }
        Mem.putInt(out.data(StateRows.OPERATOR) + 4L * rows, operators.size() - 1);
        Mem.putInt(out.data(StateRows.PART) + 4L * rows, part);
        Mem.putLong(out.data(StateRows.HASH) + 8L * rows, hash);
        Mem.putLong(out.data(StateRows.WEIGHT) + 8L * rows, weight);
        long from = row.grow(used, used);
        if (keyBytes < 0) {
            out.putBytes(StateRows.KEY, rows, from, used);
            out.setNull(StateRows.VALUE, rows);
        } else {
            out.putBytes(StateRows.KEY, rows, from, keyBytes);
            out.putBytes(StateRows.VALUE, rows, from + keyBytes, used - keyBytes);
        }
        if (++rows == BATCH_ROWS) {
            batches.add(out.finish(rows));
            rows = 0;
            builder = null;
        }
    }

    /** All that was written; the caller owns it. The writer is spent. */
    public StateRows finish(long job, int worker) {
        if (builder != null) {
            batches.add(builder.finish(rows));
        }
        List<ColumnBatch> all = List.copyOf(batches);
        batches.clear();
        close();
        return new StateRows(job, worker, operators, all);
    }

    @Override
    public void close() {
        if (builder != null) {
            builder.close();
            builder = null;
        }
        row.close();
        batches.forEach(ColumnBatch::close);
        batches.clear();
    }
}

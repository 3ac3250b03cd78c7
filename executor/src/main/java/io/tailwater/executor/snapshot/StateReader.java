package io.tailwater.executor.snapshot;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.snapshot.StateRows;

/** A row of a snapshot, as {@link StateWriter} wrote it. What it points at is gone with the next row. Owned by one thread. */
public final class StateReader {
    private final ColumnBatch batch;
    private int row = -1;

    /** @param batch of {@link StateRows#SCHEMA}; borrowed */
    public StateReader(ColumnBatch batch) {
        this.batch = batch;
    }

    /** Goes to the next row, if there is one. */
    public boolean next() {
        return ++row < batch.rows();
    }

    public int operator() {
        return Mem.getInt(batch.data(StateRows.OPERATOR) + 4L * row);
    }

    public int part() {
        return Mem.getInt(batch.data(StateRows.PART) + 4L * row);
    }

    public long hash() {
        return Mem.getLong(batch.data(StateRows.HASH) + 8L * row);
    }

    public long weight() {
        return Mem.getLong(batch.data(StateRows.WEIGHT) + 8L * row);
    }

    /** Address of the key's fields. */
    public long key() {
        return StringView.bytes(batch.data(StateRows.KEY) + 16L * row);
    }

    public int keyBytes() {
        return StringView.length(batch.data(StateRows.KEY) + 16L * row);
    }

    /** Whether what the key names is gone. */
    public boolean removed() {
        return batch.isNull(StateRows.VALUE, row);
    }

    /** Address of the value's fields. */
    public long value() {
        return StringView.bytes(batch.data(StateRows.VALUE) + 16L * row);
    }

    public int valueBytes() {
        return StringView.length(batch.data(StateRows.VALUE) + 16L * row);
    }
}

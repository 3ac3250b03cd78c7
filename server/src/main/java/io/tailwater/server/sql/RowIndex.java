package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;

import java.util.Arrays;

/**
 * A hash index over rows of batches by the values of some columns; each distinct key has a dense number, in the order of arrival. Borrows the batches,
 * which must outlive it. Owned by one thread.
 */
final class RowIndex {
    static final int ABSENT = -1;

    private final int[] columns;
    private int[] slots = new int[16];
    private ColumnBatch[] batches = new ColumnBatch[8];
    private int[] rows = new int[8];
    private long[] hashes = new long[8];
    private int size;

    /** @param columns of the indexed rows that make the key; none means that all rows have the same key */
    RowIndex(int[] columns) {
        this.columns = columns.clone();
        Arrays.fill(slots, ABSENT);
    }

    /** Distinct keys. */
    int size() {
        return size;
    }

    ColumnBatch batch(int key) {
        return batches[key];
    }

    int row(int key) {
        return rows[key];
    }

    /** The number of a row's key; if it is new, it gets the number {@link #size} had before the call. */
    int add(ColumnBatch batch, int row) {
        long hash = Hashing.hashKey(batch, columns, row);
        int slot = slot(hash, batch, columns, row);
        if (slots[slot] != ABSENT) {
            return slots[slot];
        }
        if (size == batches.length) {
            batches = Arrays.copyOf(batches, size * 2);
            rows = Arrays.copyOf(rows, size * 2);
            hashes = Arrays.copyOf(hashes, size * 2);
        }
        batches[size] = batch;
        rows[size] = row;
        hashes[size] = hash;
        slots[slot] = size;
        size++;
        if (size * 2 > slots.length) {
            grow();
        }
        return size - 1;
    }

    /** The number of the key that these columns of a row hold, or {@link #ABSENT}. */
    int find(ColumnBatch batch, int[] probe, int row) {
        return slots[slot(Hashing.hashKey(batch, probe, row), batch, probe, row)];
    }

    /** Where the key is, or would go. */
    private int slot(long hash, ColumnBatch batch, int[] probe, int row) {
        int mask = slots.length - 1;
        int slot = (int) hash & mask;
        while (slots[slot] != ABSENT) {
            int key = slots[slot];
            if (hashes[key] == hash && BatchRows.rowEquals(batches[key], columns, rows[key], batch, probe, row)) {
                return slot;
            }
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        slots = new int[slots.length * 4];
        Arrays.fill(slots, ABSENT);
        int mask = slots.length - 1;
        for (int key = 0; key < size; key++) {
            int slot = (int) hashes[key] & mask;
            while (slots[slot] != ABSENT) {
                slot = slot + 1 & mask;
            }
            slots[slot] = key;
        }
    }
}

package io.tailwater.api.batch;

import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * Fills a {@link ColumnBatch}. All columns, weights and validity bitmaps sit in one slab sized for {@code capacity} rows; bytes of long strings
 * go to further slabs. Write through {@link #data}, {@link #setNull}, {@link #putString}, then {@link #finish}. BOOLEAN columns and validity
 * bitmaps start out as false and not-NULL. Owned by one thread; finish or {@link #close} it.
 */
public final class BatchBuilder implements AutoCloseable {
    private static final ColumnBatch[] NO_BATCHES = {};

    private final DataType[] types;
    private final int capacity;
    private final MemoryAccount account;
    private final long[] data;
    private final long[] validity;
    /** Columns whose bitmap is in use; made for the first, as most batches have none. */
    private boolean @Nullable [] hasNulls;

    private long weights;
    private @Nullable Slab slabs;
    private @Nullable ColumnBatch kept;
    private ColumnBatch[] alsoKept = NO_BATCHES;
    /** Made for the first long string. */
    private @Nullable Bytes bytes;

    private boolean done;

    public BatchBuilder(DataType[] types, int capacity, boolean weighted, MemoryAccount account) {
        this(types, capacity, weighted, account, null);
    }

    /**
     * @param shared columns that will be set by {@link #share}, so that no room is made for them; null for none
     */
    public BatchBuilder(
            DataType[] types, int capacity, boolean weighted, MemoryAccount account, boolean @Nullable [] shared) {
        if (capacity < 0 || capacity > ColumnBatch.MAX_ROWS) {
            throw new IllegalArgumentException("capacity " + capacity);
        }
        this.types = types;
        this.capacity = capacity;
        this.account = account;
        data = new long[types.length];
        validity = new long[types.length];
        long bitmap = ((capacity + 63L) >>> 6) << 3;
        long total = weighted ? 8L * capacity : 0;
        for (int c = 0; c < types.length; c++) {
            if (shared == null || !shared[c]) {
                total += columnBytes(types[c].kind(), capacity, bitmap) + bitmap;
            }
        }
        if (total == 0) {
            return;
        }
        slabs = Slab.acquire(account, total);
        long next = slabs.address();
        if (weighted) {
            weights = next;
            next += 8L * capacity;
        }
        for (int c = 0; c < types.length; c++) {
            if (shared == null || !shared[c]) {
                data[c] = next;
                if (types[c].kind() == TypeKind.BOOLEAN) {
                    Mem.fill(next, bitmap, (byte) 0);
                }
                next += columnBytes(types[c].kind(), capacity, bitmap);
                validity[c] = next;
                next += bitmap;
            }
        }
    }

    public BatchBuilder(Schema schema, int capacity, boolean weighted, MemoryAccount account) {
        this(types(schema), capacity, weighted, account);
    }

    /** A schema's types as the array that batches share. */
    public static DataType[] types(Schema schema) {
        return schema.columns().stream()
                .map(io.tailwater.common.type.Column::type)
                .toArray(DataType[]::new);
    }

    private static long columnBytes(TypeKind kind, int capacity, long bitmap) {
        return kind == TypeKind.BOOLEAN ? bitmap : ((long) capacity * kind.width() + 7) & -8;
    }

    public int capacity() {
        return capacity;
    }

    public DataType type(int column) {
        return types[column];
    }

    public long data(int column) {
        return data[column];
    }

    /** Address of the weights to fill, or 0 if this batch has none. */
    public long weights() {
        return weights;
    }

    public void setNull(int column, int row) {
        Mem.clearBit(nullable(column), row);
        // What lies under a NULL must be readable: zero is a valid value of every type.
        TypeKind kind = types[column].kind();
        if (kind.isView()) {
            Mem.putLong(data[column] + 16L * row, 0);
            Mem.putLong(data[column] + 16L * row + 8, 0);
        } else if (kind != TypeKind.BOOLEAN) {
            Mem.fill(data[column] + (long) kind.width() * row, kind.width(), (byte) 0);
        }
    }

    /** The column's validity bitmap, made all-valid at the first call. */
    public long nullable(int column) {
        if (markNullable(column)) {
            Mem.fill(validity[column], ((capacity + 63L) >>> 6) << 3, (byte) -1);
        }
        return validity[column];
    }

    /** Whether the column had no NULL until now. */
    private boolean markNullable(int column) {
        if (hasNulls == null) {
            hasNulls = new boolean[types.length];
        }
        boolean first = !hasNulls[column];
        hasNulls[column] = true;
        return first;
    }

    /** Lets output column {@code column} be the same buffers as a column of {@code from}, whole. Keeps {@code from} alive. */
    public void share(int column, ColumnBatch from, int fromColumn) {
        data[column] = from.data(fromColumn);
        validity[column] = from.validity(fromColumn);
        if (validity[column] != 0) {
            markNullable(column);
        }
        keepAlive(from);
    }

    /** Keeps a batch alive as long as the built one, because string views or buffers of it are used. Twice is harmless. */
    public void keepAlive(ColumnBatch other) {
        if (kept == null) {
            kept = other.retain();
            return;
        }
        if (kept == other) {
            return;
        }
        for (ColumnBatch also : alsoKept) {
            if (also == other) {
                return;
            }
        }
        alsoKept = Arrays.copyOf(alsoKept, alsoKept.length + 1);
        alsoKept[alsoKept.length - 1] = other.retain();
    }

    /** Takes the weights of {@code from}, whole. */
    public void shareWeights(ColumnBatch from) {
        weights = from.weights();
        if (weights != 0) {
            keepAlive(from);
        }
    }

    /** Room for {@code length} bytes that live as long as the batch. */
    public long allocateBytes(int length) {
        Bytes to = bytes;
        if (to == null) {
            to = new Bytes();
            bytes = to;
        }
        if (to.end - to.next < length) {
            Slab slab = Slab.acquire(account, Math.max(length, to.size));
            slabs = slab.before(slabs);
            to.size = Math.min(to.size * 2, 1 << 20);
            to.next = slab.address();
            to.end = slab.address() + slab.capacity();
        }
        long at = to.next;
        to.next += length;
        return at;
    }

    /** Copies bytes in and makes the row's slot a view of them. */
    public void putBytes(int column, int row, long bytes, int length) {
        long slot = data[column] + 16L * row;
        if (length <= StringView.INLINE) {
            StringView.put(slot, bytes, length);
        } else {
            long copy = allocateBytes(length);
            Mem.copy(bytes, copy, length);
            StringView.put(slot, copy, length);
        }
    }

    public void putBytes(int column, int row, byte[] bytes, int offset, int length) {
        long slot = data[column] + 16L * row;
        if (length <= StringView.INLINE) {
            Mem.putLong(slot, length);
            Mem.putLong(slot + 8, 0);
            Mem.copyFromArray(bytes, offset, slot + 4, length);
        } else {
            long copy = allocateBytes(length);
            Mem.copyFromArray(bytes, offset, copy, length);
            StringView.put(slot, copy, length);
        }
    }

    public void putString(int column, int row, String value) {
        byte[] utf8 = value.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        putBytes(column, row, utf8, 0, utf8.length);
    }

    /** The batch of the first {@code rows} rows. The builder is spent; the caller owns the batch. */
    public ColumnBatch finish(int rows) {
        if (done || rows < 0 || rows > capacity) {
            throw new AssertionError("finish(" + rows + ") of a builder for " + capacity + (done ? ", spent" : ""));
        }
        done = true;
        for (int c = 0; c < types.length; c++) {
            if (hasNulls == null || !hasNulls[c]) {
                validity[c] = 0;
            }
        }
        return new ColumnBatch(types, rows, data, validity, weights, slabs, kept, alsoKept);
    }

    /** Gives everything back if {@link #finish} was not reached. */
    @Override
    public void close() {
        if (!done) {
            done = true;
            Slab.release(slabs);
            if (kept != null) {
                kept.close();
            }
            for (ColumnBatch other : alsoKept) {
                other.close();
            }
        }
    }

    /** Where the next long string goes. Owned by the builder. */
    private static final class Bytes {
        private long next;
        private long end;
        private long size = 1 << 14;
    }
}

package io.tailwater.api.batch;

import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Some rows of a relation, column by column, in Arrow's memory layout: per column a data buffer and an optional validity bitmap (LSB first, 1 =
 * not NULL), and an optional column of 64-bit weights. VARCHAR and VARBINARY are 16-byte {@link StringView}s. The data under a NULL is
 * unspecified, but readable.
 *
 * <p>Immutable once built. Reference-counted: {@link #retain} adds an owner, {@link #close} takes one away, the last one frees the memory. A
 * batch may share buffers of other batches, which it then keeps alive. Counting is thread-safe.
 */
public final class ColumnBatch implements AutoCloseable {
    /** How many rows operators aim for. No batch has more than {@link #MAX_ROWS}. */
    public static final int TARGET_ROWS = 4096;

    public static final int MAX_ROWS = 1 << 16;

    private static final AtomicIntegerFieldUpdater<ColumnBatch> REFERENCES =
            AtomicIntegerFieldUpdater.newUpdater(ColumnBatch.class, "references");
    private static final java.util.concurrent.atomic.AtomicLong OPEN = new java.util.concurrent.atomic.AtomicLong();

    private final DataType[] types;
    private final int rows;
    private final long[] data;
    private final long[] validity;
    private final long weights;
    private final @Nullable Slab slabs;
    /** The first batch that this one keeps alive; most keep one or none. */
    private final @Nullable ColumnBatch kept;
    /** The others. */
    private final ColumnBatch[] alsoKept;

    private volatile int references = 1;

    ColumnBatch(
            DataType[] types,
            int rows,
            long[] data,
            long[] validity,
            long weights,
            @Nullable Slab slabs,
            @Nullable ColumnBatch kept,
            ColumnBatch[] alsoKept) {
        this.types = types;
        this.rows = rows;
        this.data = data;
        this.validity = validity;
        this.weights = weights;
        this.slabs = slabs;
        this.kept = kept;
        this.alsoKept = alsoKept;
        if (Mem.CHECKED) {
            OPEN.incrementAndGet();
        }
    }

    /** Batches built and not yet freed, for leak checks; counted only when {@link Mem#CHECKED}. */
    public static long openBatches() {
        return OPEN.get();
    }

    public int rows() {
        return rows;
    }

    public int columns() {
        return data.length;
    }

    public DataType type(int column) {
        return types[column];
    }

    /** Address of the column's values. */
    public long data(int column) {
        return data[column];
    }

    /** Address of the column's validity bitmap, or 0 if it holds no NULL. */
    public long validity(int column) {
        return validity[column];
    }

    public boolean isNull(int column, int row) {
        return validity[column] != 0 && !Mem.getBit(validity[column], row);
    }

    /** Address of the weights, or 0 if each row has weight +1. */
    public long weights() {
        return weights;
    }

    public long weight(int row) {
        return weights == 0 ? 1 : Mem.getLong(weights + 8L * row);
    }

    /** Adds an owner. Returns this. */
    public ColumnBatch retain() {
        if (REFERENCES.getAndIncrement(this) <= 0) {
            throw new AssertionError("retain of a freed batch");
        }
        return this;
    }

    /** Takes an owner away; frees the memory with the last one. */
    @Override
    public void close() {
        int left = REFERENCES.decrementAndGet(this);
        if (left < 0) {
            throw new AssertionError("batch closed more often than owned");
        }
        if (left == 0) {
            Slab.release(slabs);
            if (kept != null) {
                kept.close();
            }
            for (ColumnBatch other : alsoKept) {
                other.close();
            }
            if (Mem.CHECKED) {
                OPEN.decrementAndGet();
            }
        }
    }

    DataType[] types() {
        return types;
    }

    /** For messages and tests: {@code + 1 'a' NULL} a row. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        for (int row = 0; row < Math.min(rows, 100); row++) {
            long weight = weight(row);
            out.append(weight == 1 ? "+" : weight == -1 ? "-" : (weight > 0 ? "+" : "") + weight);
            for (int column = 0; column < columns(); column++) {
                Object value = Values.get(this, column, row);
                out.append(' ')
                        .append(types[column].kind() == TypeKind.VARCHAR && value != null ? "'" + value + "'" : value);
            }
            out.append('\n');
        }
        return rows > 100 ? out + "... " + rows + " rows" : out.toString();
    }
}

package io.tailwater.api.batch;

import org.jspecify.annotations.Nullable;

/**
 * A reusable off-heap block. Power-of-two sizes from 4 KiB to 4 MiB come from a process-wide pool with a bound per size; larger ones are
 * allocated and freed. A batch's slabs are a list, linked here. Slabs go into the pool with their objects, so that a batch costs the heap none. Owned by the
 * batch that holds it; the pool is thread-safe.
 */
final class Slab {
    private static final int MIN_SHIFT = 12;
    private static final int MAX_SHIFT = 22;
    /** At most this many bytes idle per size class. */
    private static final long IDLE_BYTES = 32L << 20;

    private static final Stack[] POOL = new Stack[MAX_SHIFT - MIN_SHIFT + 1];

    static {
        for (int i = 0; i < POOL.length; i++) {
            POOL[i] = new Stack((int) Math.max(4, IDLE_BYTES >> (i + MIN_SHIFT)));
        }
    }

    private final long address;
    private final long capacity;
    /** Null while in the pool. */
    private @Nullable MemoryAccount account;
    /** The slab that its batch held before. */
    private @Nullable Slab next;

    private Slab(long address, long capacity, MemoryAccount account) {
        this.address = address;
        this.capacity = capacity;
        this.account = account;
    }

    static Slab acquire(MemoryAccount account, long bytes) {
        int shift = Math.max(MIN_SHIFT, 64 - Long.numberOfLeadingZeros(Math.max(bytes, 1) - 1));
        if (shift > MAX_SHIFT) {
            long rounded = (bytes + 7) & -8;
            return new Slab(account.allocate(rounded), rounded, account);
        }
        long size = 1L << shift;
        account.reserve(size);
        Slab pooled = POOL[shift - MIN_SHIFT].pop();
        if (pooled == null) {
            return new Slab(Mem.allocate(size), size, account);
        }
        pooled.account = account;
        return pooled;
    }

    /** The list of this and those that came before. */
    Slab before(@Nullable Slab others) {
        next = others;
        return this;
    }

    long address() {
        return address;
    }

    long capacity() {
        return capacity;
    }

    /** Gives back a list. */
    static void release(@Nullable Slab slabs) {
        Slab slab = slabs;
        while (slab != null) {
            Slab following = slab.next;
            slab.release();
            slab = following;
        }
    }

    private void release() {
        if (account == null) {
            throw new AssertionError("a slab that nobody holds");
        }
        account.release(capacity);
        account = null;
        next = null;
        int shift = 63 - Long.numberOfLeadingZeros(capacity);
        boolean poolable = capacity == 1L << shift && shift <= MAX_SHIFT;
        if (!poolable || !POOL[shift - MIN_SHIFT].push(this)) {
            Mem.free(address, capacity);
        }
    }

    private static final class Stack {
        private final @Nullable Slab[] idle;
        private int size;

        Stack(int capacity) {
            idle = new Slab[capacity];
        }

        synchronized @Nullable Slab pop() {
            if (size == 0) {
                return null;
            }
            Slab slab = idle[--size];
            idle[size] = null;
            return slab;
        }

        synchronized boolean push(Slab slab) {
            if (size == idle.length) {
                return false;
            }
            idle[size++] = slab;
            return true;
        }
    }
}

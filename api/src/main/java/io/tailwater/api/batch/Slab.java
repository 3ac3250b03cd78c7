package io.tailwater.api.batch;

/**
 * A reusable off-heap block. Power-of-two sizes from 4 KiB to 4 MiB come from a process-wide pool with a bound per size; larger ones are
 * allocated and freed. Owned by the batch that holds it; the pool is thread-safe.
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
    private final MemoryAccount account;

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
        long pooled = POOL[shift - MIN_SHIFT].pop();
        return new Slab(pooled != 0 ? pooled : Mem.allocate(size), size, account);
    }

    long address() {
        return address;
    }

    long capacity() {
        return capacity;
    }

    void release() {
        account.release(capacity);
        int shift = 63 - Long.numberOfLeadingZeros(capacity);
        boolean poolable = capacity == 1L << shift && shift <= MAX_SHIFT;
        if (!poolable || !POOL[shift - MIN_SHIFT].push(address)) {
            Mem.free(address, capacity);
        }
    }

    private static final class Stack {
        private final long[] idle;
        private int size;

        Stack(int capacity) {
            idle = new long[capacity];
        }

        synchronized long pop() {
            return size == 0 ? 0 : idle[--size];
        }

        synchronized boolean push(long address) {
            if (size == idle.length) {
                return false;
            }
            idle[size++] = address;
            return true;
        }
    }
}

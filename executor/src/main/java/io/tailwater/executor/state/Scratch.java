package io.tailwater.executor.state;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;

/** One off-heap working area that grows to the largest size asked for and is reused. Owned by one thread; not thread-safe. */
public final class Scratch implements AutoCloseable {
    private final MemoryAccount account;
    private long address;
    private long bytes;

    public Scratch(MemoryAccount account) {
        this.account = account;
    }

    /** An area of at least this size; what an earlier call returned is gone. */
    public long atLeast(long wanted) {
        if (wanted > bytes) {
            long grown = Math.max(wanted, Math.max(bytes * 2, 1 << 12));
            close();
            address = account.allocate(grown);
            bytes = grown;
        }
        return address;
    }

    /** Like {@link #atLeast}, but the first {@code kept} bytes are kept. */
    public long grow(long kept, long wanted) {
        if (wanted > bytes) {
            long size = Math.max(wanted, Math.max(bytes * 2, 1 << 12));
            long grown = account.allocate(size);
            if (kept > 0) {
                Mem.copy(address, grown, kept);
            }
            close();
            address = grown;
            bytes = size;
        }
        return address;
    }

    @Override
    public void close() {
        if (bytes != 0) {
            account.free(address, bytes);
        }
        address = 0;
        bytes = 0;
    }
}

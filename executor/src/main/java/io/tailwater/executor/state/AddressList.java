package io.tailwater.executor.state;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;

/** A growing off-heap list of longs, mostly addresses of rows. Owned by one thread; not thread-safe. */
public final class AddressList implements AutoCloseable {
    private static final long FIRST_BYTES = 1 << 10;

    private final MemoryAccount account;
    private long address;
    private long capacityBytes;
    private long usedBytes;

    public AddressList(MemoryAccount account) {
        this.account = account;
    }

    public void add(long value) {
        if (usedBytes == capacityBytes) {
            grow();
        }
        Mem.putLong(address + usedBytes, value);
        usedBytes += 8;
    }

    public long get(long index) {
        return Mem.getLong(address + 8 * index);
    }

    public void set(long index, long value) {
        Mem.putLong(address + 8 * index, value);
    }

    public long size() {
        return usedBytes >>> 3;
    }

    public void clear() {
        usedBytes = 0;
    }

    public long reservedBytes() {
        return capacityBytes;
    }

    @Override
    public void close() {
        if (capacityBytes != 0) {
            account.free(address, capacityBytes);
        }
        address = 0;
        capacityBytes = 0;
        usedBytes = 0;
    }

    private void grow() {
        long wanted = capacityBytes == 0 ? FIRST_BYTES : capacityBytes * 2;
        long grown = account.allocate(wanted);
        if (capacityBytes != 0) {
            Mem.copy(address, grown, usedBytes);
            account.free(address, capacityBytes);
        }
        address = grown;
        capacityBytes = wanted;
    }
}

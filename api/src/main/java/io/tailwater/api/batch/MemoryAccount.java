package io.tailwater.api.batch;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the off-heap bytes of one application and refuses to go past its budget. Thread-safe. */
public final class MemoryAccount {
    private final String owner;
    private final long limitBytes;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong peak = new AtomicLong();

    public MemoryAccount(String owner, long limitBytes) {
        this.owner = owner;
        this.limitBytes = limitBytes;
    }

    /** For tests and short-lived work: no budget of its own. */
    public static MemoryAccount unlimited(String owner) {
        return new MemoryAccount(owner, Long.MAX_VALUE);
    }

    /** Takes {@code bytes}, or fails with 53200 and takes nothing. */
    public void reserve(long bytes) {
        long now = used.addAndGet(bytes);
        if (now > limitBytes) {
            used.addAndGet(-bytes);
            throw new StreamException(
                    ErrorCode.OUT_OF_MEMORY,
                    "memory budget of %s exceeded: %d bytes in use, %d more asked for, %d allowed"
                            .formatted(owner, now - bytes, bytes, limitBytes),
                    -1,
                    "Raise the setting executor.memory, or bound the query's state with a window.",
                    null);
        }
        if (now > peak.get()) {
            peak.accumulateAndGet(now, Math::max);
        }
    }

    public void release(long bytes) {
        long now = used.addAndGet(-bytes);
        if (now < 0) {
            throw new AssertionError(owner + " released more memory than it reserved: " + now);
        }
    }

    public long usedBytes() {
        return used.get();
    }

    public long peakBytes() {
        return peak.get();
    }

    public long limitBytes() {
        return limitBytes;
    }

    /** Allocates and accounts for it. Give it back with {@link #free}. */
    public long allocate(long bytes) {
        reserve(bytes);
        return Mem.allocate(bytes);
    }

    public void free(long address, long bytes) {
        Mem.free(address, bytes);
        release(bytes);
    }
}

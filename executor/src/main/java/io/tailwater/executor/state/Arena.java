package io.tailwater.executor.state;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Off-heap blocks that never move. Small blocks come from chunks and go back to a free list per size class; blocks above {@link #LARGE} bytes are
 * allocated one by one. When the last block is freed, all memory but one chunk is given back. Owned by one thread; not thread-safe.
 */
public final class Arena implements AutoCloseable {
    private static final int STEP_SHIFT = 4;
    /** Classes in steps of 16 bytes end here; powers of two follow. */
    private static final int STEPPED = 1024;

    private static final int LARGE = 1 << 16;
    private static final int FIRST_CHUNK = 1 << 12;
    private static final int LAST_CHUNK = 1 << 20;
    private static final int CLASSES = (STEPPED >> STEP_SHIFT) + 1 + 6;

    private final MemoryAccount account;
    private final long[] free = new long[CLASSES];
    private final Map<Long, Integer> large = new HashMap<>();
    private long[] chunks = new long[8];
    private int[] chunkBytes = new int[8];
    private int chunkCount;
    private long next;
    private long end;
    private long blocks;
    private long reserved;

    public Arena(MemoryAccount account) {
        this.account = account;
    }

    /** Room for {@code bytes}, 8-byte aligned, contents undefined. Give it back with {@link #free} and the same size. */
    public long allocate(int bytes) {
        if (bytes > LARGE) {
            return allocateLarge(bytes);
        }
        int sizeClass = sizeClass(bytes);
        long head = free[sizeClass];
        if (head != 0) {
            free[sizeClass] = Mem.getLong(head);
            blocks++;
            return head;
        }
        int size = classBytes(sizeClass);
        if (end - next < size) {
            addChunk(size);
        }
        long at = next;
        next += size;
        blocks++;
        return at;
    }

    public void free(long address, int bytes) {
        blocks--;
        if (bytes > LARGE) {
            Integer size = large.remove(address);
            if (size == null || size != bytes) {
                throw new AssertionError("free of " + bytes + " bytes, allocated as " + size);
            }
            account.free(address, bytes);
            reserved -= bytes;
        } else {
            int sizeClass = sizeClass(bytes);
            Mem.putLong(address, free[sizeClass]);
            free[sizeClass] = address;
        }
        if (blocks == 0) {
            reset();
        }
    }

    /** Blocks in use. */
    public long blocks() {
        return blocks;
    }

    /** Bytes taken from the account, in use or not. */
    public long reservedBytes() {
        return reserved;
    }

    @Override
    public void close() {
        for (int i = 0; i < chunkCount; i++) {
            account.free(chunks[i], chunkBytes[i]);
        }
        chunkCount = 0;
        large.forEach((address, bytes) -> account.free(address, bytes));
        large.clear();
        reserved = 0;
        blocks = 0;
        next = 0;
        end = 0;
        Arrays.fill(free, 0);
    }

    private void reset() {
        for (int i = 1; i < chunkCount; i++) {
            account.free(chunks[i], chunkBytes[i]);
            reserved -= chunkBytes[i];
        }
        chunkCount = Math.min(chunkCount, 1);
        Arrays.fill(free, 0);
        next = chunkCount == 0 ? 0 : chunks[0];
        end = chunkCount == 0 ? 0 : chunks[0] + chunkBytes[0];
    }

    private long allocateLarge(int bytes) {
        long address = account.allocate(bytes);
        large.put(address, bytes);
        reserved += bytes;
        blocks++;
        return address;
    }

    private void addChunk(int atLeast) {
        int grown = chunkCount == 0 ? FIRST_CHUNK : Math.min(LAST_CHUNK, chunkBytes[chunkCount - 1] * 2);
        int bytes = Math.max(grown, atLeast);
        long address = account.allocate(bytes);
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunkCount * 2);
            chunkBytes = Arrays.copyOf(chunkBytes, chunkCount * 2);
        }
        chunks[chunkCount] = address;
        chunkBytes[chunkCount++] = bytes;
        reserved += bytes;
        next = address;
        end = address + bytes;
    }

    private static int sizeClass(int bytes) {
        if (bytes <= STEPPED) {
            return (Math.max(bytes, 1) + (1 << STEP_SHIFT) - 1) >> STEP_SHIFT;
        }
        // 2 KiB is the first class past the stepped ones.
        return (STEPPED >> STEP_SHIFT) + 22 - Integer.numberOfLeadingZeros(bytes - 1);
    }

    private static int classBytes(int sizeClass) {
        int stepped = STEPPED >> STEP_SHIFT;
        return sizeClass <= stepped ? sizeClass << STEP_SHIFT : STEPPED << (sizeClass - stepped);
    }
}

package io.tailwater.executor.view;

import io.tailwater.api.batch.MemoryAccount;

import java.util.Arrays;

/** Bytes that are only added, and freed all at once. Written by one thread; may be closed by another after a hand-over. */
final class ByteHeap implements AutoCloseable {
    private static final int FIRST_BLOCK = 1 << 10;
    private static final int LAST_BLOCK = 1 << 20;

    private final MemoryAccount account;
    private long[] blocks = new long[4];
    private int[] sizes = new int[4];
    private int count;
    private long next;
    private long end;
    private long reserved;

    ByteHeap(MemoryAccount account) {
        this.account = account;
    }

    long allocate(int bytes) {
        if (end - next < bytes) {
            int size = Math.max(bytes, count == 0 ? FIRST_BLOCK : Math.min(LAST_BLOCK, sizes[count - 1] * 2));
            long block = account.allocate(size);
            if (count == blocks.length) {
                blocks = Arrays.copyOf(blocks, count * 2);
                sizes = Arrays.copyOf(sizes, count * 2);
            }
            blocks[count] = block;
            sizes[count++] = size;
            reserved += size;
            next = block;
            end = block + size;
        }
        long at = next;
        next += bytes;
        return at;
    }

    long reservedBytes() {
        return reserved;
    }

    @Override
    public void close() {
        for (int i = 0; i < count; i++) {
            account.free(blocks[i], sizes[i]);
        }
        count = 0;
        next = 0;
        end = 0;
        reserved = 0;
    }
}

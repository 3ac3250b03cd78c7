package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.executor.operator.OperatorContext.TickClock;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/**
 * What generated code uses besides columns and constants: where functions leave the second half of a result, memory for strings under
 * construction, the session's zone and the tick's clock. Owned by one operator; not thread-safe.
 */
final class Registers implements AutoCloseable {
    private static final long EMPTY_SLOT = allocateEmptySlot();

    private static final int FIRST_CHUNK = 1 << 12;

    final LocalZone zone;
    final TickClock clock;
    /** High 64 bits of the decimal last returned. */
    long high;
    /** Length of the string whose address was last returned. */
    int length;
    /** Whether the value last returned by an outlined expression is NULL. */
    boolean isNull;

    private final MemoryAccount memory;
    private final List<long[]> retired = new ArrayList<>();
    private long chunk;
    private long chunkBytes;
    private long next;

    Registers(MemoryAccount memory, ZoneId zone, TickClock clock) {
        this.memory = memory;
        this.zone = new LocalZone(zone);
        this.clock = clock;
    }

    /** A slot that holds the empty string: what a NULL string points at, so that reading it is harmless. */
    static long emptySlot() {
        return EMPTY_SLOT;
    }

    private static long allocateEmptySlot() {
        long slot = Mem.allocate(StringView.SIZE);
        Mem.fill(slot, StringView.SIZE, (byte) 0);
        return slot;
    }

    /** Room for a string under construction; it lasts until {@link #resetScratch}. */
    long allocate(int bytes) {
        if (chunk + chunkBytes - next < bytes || chunk == 0) {
            grow(bytes);
        }
        long at = next;
        next += bytes;
        return at;
    }

    private void grow(int bytes) {
        long wanted = Math.max(Math.max(FIRST_CHUNK, 2 * chunkBytes), bytes);
        long fresh = memory.allocate(wanted);
        if (chunk != 0) {
            retired.add(new long[] {chunk, chunkBytes});
        }
        chunk = fresh;
        chunkBytes = wanted;
        next = fresh;
    }

    /** Forgets all strings under construction. Generated loops call it before each row. */
    void resetScratch() {
        next = chunk;
        if (!retired.isEmpty()) {
            freeRetired();
        }
    }

    private void freeRetired() {
        for (long[] old : retired) {
            memory.free(old[0], old[1]);
        }
        retired.clear();
    }

    @Override
    public void close() {
        freeRetired();
        if (chunk != 0) {
            memory.free(chunk, chunkBytes);
            chunk = 0;
            chunkBytes = 0;
            next = 0;
        }
    }
}

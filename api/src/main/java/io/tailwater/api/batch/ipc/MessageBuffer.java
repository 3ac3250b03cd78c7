package io.tailwater.api.batch.ipc;

import io.tailwater.api.batch.Mem;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Growable off-heap bytes that both {@link Mem} and NIO channels can use. Made to be reused: {@link #clear} keeps the memory. Offsets count from
 * the buffer's start; growing moves the memory, so addresses and views are good only until the next {@link #reserve}. Owned by one thread, which closes it.
 */
public final class MessageBuffer implements AutoCloseable {
    private static final int MAX_CAPACITY = 1 << 30;
    /** In checked mode a forgotten buffer stays, lest its memory be used again while it is marked as live. */
    private static final Map<Long, ByteBuffer> REGISTERED = new ConcurrentHashMap<>();

    private ByteBuffer memory;
    private long address;
    private int size;

    public MessageBuffer(int capacity) {
        memory = allocate(Math.max(capacity, 64));
        address = Mem.addressOf(memory);
    }

    private static ByteBuffer allocate(int capacity) {
        ByteBuffer made = ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
        if (Mem.CHECKED) {
            Mem.register(Mem.addressOf(made), capacity);
            REGISTERED.put(Mem.addressOf(made), made);
        }
        return made;
    }

    private static void letGo(ByteBuffer old) {
        if (Mem.CHECKED) {
            Mem.unregister(Mem.addressOf(old), old.capacity());
            REGISTERED.remove(Mem.addressOf(old));
        }
    }

    /** Bytes in use. */
    public int size() {
        return size;
    }

    /** Bytes it holds without growing. */
    public int capacity() {
        return memory.capacity();
    }

    public void clear() {
        size = 0;
    }

    /**
     * Appends {@code bytes} bytes of unspecified content and returns their offset.
     *
     * @throws IllegalArgumentException past 1 GiB
     */
    public int reserve(long bytes) {
        long wanted = size + bytes;
        if (bytes < 0 || wanted > MAX_CAPACITY) {
            throw new IllegalArgumentException("a message of " + wanted + " bytes; the limit is " + MAX_CAPACITY);
        }
        if (wanted > memory.capacity()) {
            int capacity = (int) Math.max(wanted, Math.min(MAX_CAPACITY, 2L * memory.capacity()));
            ByteBuffer grown = allocate(capacity);
            Mem.copy(address, Mem.addressOf(grown), size);
            letGo(memory);
            memory = grown;
            address = Mem.addressOf(grown);
        }
        int at = size;
        size = (int) wanted;
        return at;
    }

    /** Gives back the last {@code bytes} bytes. */
    void trim(int bytes) {
        size -= bytes;
    }

    /** Address of the byte at {@code offset}. */
    public long address(int offset) {
        return address + offset;
    }

    /** The bytes in use from {@code from} to {@code to} as a little-endian view. */
    public ByteBuffer view(int from, int to) {
        java.util.Objects.checkFromToIndex(from, to, size);
        return memory.slice(from, to - from).order(ByteOrder.LITTLE_ENDIAN);
    }

    public byte[] toArray(int from, int to) {
        byte[] out = new byte[to - from];
        view(from, to).get(out);
        return out;
    }

    /** Lets go of the memory; the garbage collector takes it. Twice is harmless. */
    @Override
    public void close() {
        if (address != 0) {
            letGo(memory);
            address = 0;
        }
    }
}

package io.tailwater.api.batch;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Raw off-heap memory by address. The only user of {@code Unsafe}.
 *
 * <p>With {@code -Dtailwater.mem.checked=true} (as all tests run) every access is checked against the live allocations and an access outside
 * one is an {@link AssertionError}; without it the checks fold away. Multi-byte values are in native order, which is little-endian on every
 * supported machine. Thread-safe as plain memory is: callers order their own accesses.
 */
public final class Mem {
    /** Whether accesses are checked. A constant to the JIT. */
    public static final boolean CHECKED = Boolean.getBoolean("tailwater.mem.checked");

    private static final sun.misc.Unsafe UNSAFE = unsafe();
    private static final long BYTES = sun.misc.Unsafe.ARRAY_BYTE_BASE_OFFSET;
    private static final ConcurrentSkipListMap<Long, Long> LIVE = new ConcurrentSkipListMap<>();
    private static final AtomicLong ALLOCATED = new AtomicLong();

    private Mem() {}

    private static sun.misc.Unsafe unsafe() {
        try {
            Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (sun.misc.Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Uninitialised memory, 8-byte aligned. Free it with {@link #free} and the same size. */
    public static long allocate(long bytes) {
        long address = UNSAFE.allocateMemory(Math.max(bytes, 8));
        ALLOCATED.addAndGet(bytes);
        if (CHECKED) {
            register(address, bytes);
        }
        return address;
    }

    public static void free(long address, long bytes) {
        if (CHECKED) {
            unregister(address, bytes);
        }
        ALLOCATED.addAndGet(-bytes);
        UNSAFE.freeMemory(address);
    }

    /** Bytes allocated here and not yet freed, process-wide. */
    public static long allocatedBytes() {
        return ALLOCATED.get();
    }

    /** Declares foreign memory (a mapped file, a direct buffer) as accessible. A no-op unless {@link #CHECKED}. */
    public static void register(long address, long bytes) {
        if (CHECKED) {
            LIVE.put(address, bytes);
        }
    }

    public static void unregister(long address, long bytes) {
        if (CHECKED) {
            Long live = LIVE.remove(address);
            if (live == null || live != bytes) {
                throw new AssertionError("free of " + bytes + " bytes at " + address + ", live there: " + live);
            }
        }
    }

    private static void check(long address, long bytes) {
        Map.Entry<Long, Long> block = LIVE.floorEntry(address);
        if (block == null || address + bytes > block.getKey() + block.getValue() || bytes < 0) {
            throw new AssertionError(
                    "access of " + bytes + " bytes at " + address + " outside any live block; nearest " + block);
        }
    }

    public static byte getByte(long address) {
        if (CHECKED) {
            check(address, 1);
        }
        return UNSAFE.getByte(address);
    }

    public static void putByte(long address, byte value) {
        if (CHECKED) {
            check(address, 1);
        }
        UNSAFE.putByte(address, value);
    }

    public static short getShort(long address) {
        if (CHECKED) {
            check(address, 2);
        }
        return UNSAFE.getShort(address);
    }

    public static void putShort(long address, short value) {
        if (CHECKED) {
            check(address, 2);
        }
        UNSAFE.putShort(address, value);
    }

    public static int getInt(long address) {
        if (CHECKED) {
            check(address, 4);
        }
        return UNSAFE.getInt(address);
    }

    public static void putInt(long address, int value) {
        if (CHECKED) {
            check(address, 4);
        }
        UNSAFE.putInt(address, value);
    }

    public static long getLong(long address) {
        if (CHECKED) {
            check(address, 8);
        }
        return UNSAFE.getLong(address);
    }

    public static void putLong(long address, long value) {
        if (CHECKED) {
            check(address, 8);
        }
        UNSAFE.putLong(address, value);
    }

    public static float getFloat(long address) {
        return Float.intBitsToFloat(getInt(address));
    }

    public static void putFloat(long address, float value) {
        putInt(address, Float.floatToRawIntBits(value));
    }

    public static double getDouble(long address) {
        return Double.longBitsToDouble(getLong(address));
    }

    public static void putDouble(long address, double value) {
        putLong(address, Double.doubleToRawLongBits(value));
    }

    /** Bit {@code index} of an LSB-first bitmap (Arrow's). */
    public static boolean getBit(long bitmap, int index) {
        return (getByte(bitmap + (index >>> 3)) >>> (index & 7) & 1) != 0;
    }

    public static void setBit(long bitmap, int index) {
        long at = bitmap + (index >>> 3);
        putByte(at, (byte) (getByte(at) | 1 << (index & 7)));
    }

    public static void clearBit(long bitmap, int index) {
        long at = bitmap + (index >>> 3);
        putByte(at, (byte) (getByte(at) & ~(1 << (index & 7))));
    }

    public static void fill(long address, long bytes, byte value) {
        if (CHECKED && bytes != 0) {
            check(address, bytes);
        }
        UNSAFE.setMemory(address, bytes, value);
    }

    public static void copy(long from, long to, long bytes) {
        if (CHECKED && bytes != 0) {
            check(from, bytes);
            check(to, bytes);
        }
        UNSAFE.copyMemory(from, to, bytes);
    }

    public static void copyFromArray(byte[] from, int offset, long to, int bytes) {
        java.util.Objects.checkFromIndexSize(offset, bytes, from.length);
        if (CHECKED && bytes != 0) {
            check(to, bytes);
        }
        UNSAFE.copyMemory(from, BYTES + offset, null, to, bytes);
    }

    public static void copyToArray(long from, byte[] to, int offset, int bytes) {
        java.util.Objects.checkFromIndexSize(offset, bytes, to.length);
        if (CHECKED && bytes != 0) {
            check(from, bytes);
        }
        UNSAFE.copyMemory(null, from, to, BYTES + offset, bytes);
    }

    /** Unsigned byte-wise comparison, the shorter first on a shared prefix. */
    public static int compare(long a, int aBytes, long b, int bBytes) {
        int common = Math.min(aBytes, bBytes);
        int i = 0;
        for (; i + 8 <= common; i += 8) {
            long x = getLong(a + i);
            long y = getLong(b + i);
            if (x != y) {
                return Long.compareUnsigned(Long.reverseBytes(x), Long.reverseBytes(y));
            }
        }
        for (; i < common; i++) {
            int d = (getByte(a + i) & 0xFF) - (getByte(b + i) & 0xFF);
            if (d != 0) {
                return d;
            }
        }
        return aBytes - bBytes;
    }

    public static boolean equal(long a, long b, int bytes) {
        int i = 0;
        for (; i + 8 <= bytes; i += 8) {
            if (getLong(a + i) != getLong(b + i)) {
                return false;
            }
        }
        for (; i < bytes; i++) {
            if (getByte(a + i) != getByte(b + i)) {
                return false;
            }
        }
        return true;
    }

    /** Address of a direct buffer's first byte (position and limit ignored). */
    public static long addressOf(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("not a direct buffer");
        }
        return UNSAFE.getLong(direct, BUFFER_ADDRESS);
    }

    private static final long BUFFER_ADDRESS = bufferAddressOffset();

    private static long bufferAddressOffset() {
        try {
            return UNSAFE.objectFieldOffset(java.nio.Buffer.class.getDeclaredField("address"));
        } catch (NoSuchFieldException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}

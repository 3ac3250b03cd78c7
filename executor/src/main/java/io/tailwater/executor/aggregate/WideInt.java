package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;

import java.math.BigInteger;

/** Two's complement integers of several 64-bit words in memory, the low word first. */
final class WideInt {
    private WideInt() {}

    /** Adds a signed 64-bit value to a 128-bit integer. */
    static void add128(long at, long value) {
        long low = Mem.getLong(at);
        long sum = low + value;
        Mem.putLong(at, sum);
        long high = (value >> 63) + (((low & value) | ((low | value) & ~sum)) >>> 63);
        if (high != 0) {
            Mem.putLong(at + 8, Mem.getLong(at + 8) + high);
        }
    }

    /** Adds {@code value * factor} to a 128-bit integer. */
    static void addProduct128(long at, long value, long factor) {
        long low = Mem.getLong(at);
        long add = value * factor;
        long sum = low + add;
        Mem.putLong(at, sum);
        long carry = ((low & add) | ((low | add) & ~sum)) >>> 63;
        Mem.putLong(at + 8, Mem.getLong(at + 8) + Math.multiplyHigh(value, factor) + carry);
    }

    /** Adds the 128-bit value {@code high:low} to an integer of {@code words} words. */
    static void add(long at, int words, long low, long high) {
        long sign = high >> 63;
        long carry = 0;
        for (int w = 0; w < words; w++) {
            long add = w == 0 ? low : w == 1 ? high : sign;
            long old = Mem.getLong(at + 8L * w);
            long sum = old + add + carry;
            carry = ((old & add) | ((old | add) & ~sum)) >>> 63;
            Mem.putLong(at + 8L * w, sum);
        }
    }

    static void add(long at, int words, BigInteger value) {
        long carry = 0;
        for (int w = 0; w < words; w++) {
            long add = value.shiftRight(64 * w).longValue();
            long old = Mem.getLong(at + 8L * w);
            long sum = old + add + carry;
            carry = ((old & add) | ((old | add) & ~sum)) >>> 63;
            Mem.putLong(at + 8L * w, sum);
        }
    }

    static BigInteger get(long at, int words) {
        byte[] bigEndian = new byte[words * 8];
        for (int i = 0; i < bigEndian.length; i++) {
            bigEndian[i] = Mem.getByte(at + bigEndian.length - 1 - i);
        }
        return new BigInteger(bigEndian);
    }
}

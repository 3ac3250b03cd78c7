package io.tailwater.storage.snapshot;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C, also of a whole from those of its parts, so that no byte is looked at twice. Stateless. */
final class Checksums {
    /** Castagnoli's polynomial, the bit of x^0 first. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int ONE = 1 << 31;

    /** x^(8 * 2^i) modulo the polynomial: what 2^i more bytes multiply a checksum by. */
    private static final int[] SHIFTS = new int[64];

    static {
        int power = 1 << 30;
        for (int i = 0; i < 3; i++) {
            power = multiply(power, power);
        }
        for (int i = 0; i < SHIFTS.length; i++) {
            SHIFTS[i] = power;
            power = multiply(power, power);
        }
    }

    private Checksums() {}

    /** Of the bytes between position and limit, which are left as they are. */
    static long of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return crc.getValue();
    }

    /**
     * Of two runs of bytes behind each other.
     *
     * @param secondLength bytes of the second
     */
    static long combine(long first, long second, long secondLength) {
        int shift = ONE;
        int next = 0;
        for (long left = secondLength; left != 0; left >>>= 1, next++) {
            if ((left & 1) != 0) {
                shift = multiply(SHIFTS[next], shift);
            }
        }
        return (multiply(shift, (int) first) ^ (int) second) & 0xFFFF_FFFFL;
    }

    /** Product of two polynomials over GF(2), modulo Castagnoli's. */
    private static int multiply(int a, int b) {
        int product = 0;
        int left = a;
        int power = b;
        while (left != 0) {
            if (left < 0) {
                product ^= power;
            }
            left <<= 1;
            power = (power & 1) == 0 ? power >>> 1 : power >>> 1 ^ POLYNOMIAL;
        }
        return product;
    }
}

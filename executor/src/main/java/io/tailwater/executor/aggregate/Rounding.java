package io.tailwater.executor.aggregate;

import java.math.BigInteger;

/** Exact values to the nearest double, rounded once, ties to even. */
final class Rounding {
    private Rounding() {}

    /** {@code value * 2^exponent}; {@code more} says that a positive rest below the last bit was cut off from its magnitude. */
    static double toDouble(BigInteger value, int exponent, boolean more) {
        BigInteger magnitude = value.abs();
        int length = magnitude.bitLength();
        if (length == 0) {
            return 0.0d;
        }
        // Count in units of 2^-1074, the smallest double: there a double's bits below 2^53 units are its own encoding.
        int low = exponent + 1074;
        int top = low + length - 1;
        int drop = Math.max(0, top - 52) - low;
        long mantissa;
        if (drop <= 0) {
            mantissa = magnitude.shiftLeft(-drop).longValueExact();
        } else {
            mantissa = magnitude.shiftRight(drop).longValueExact();
            boolean half = magnitude.testBit(drop - 1);
            boolean rest = more || magnitude.getLowestSetBit() < drop - 1;
            if (half && (rest || (mantissa & 1) != 0)) {
                mantissa++;
            }
        }
        long field = Math.max(0, top - 52);
        double out = field > 2045 ? Double.POSITIVE_INFINITY : Double.longBitsToDouble((field << 52) + mantissa);
        return value.signum() < 0 ? -out : out;
    }

    /** {@code numerator * 2^exponent / denominator} for a positive denominator. */
    static double divide(BigInteger numerator, BigInteger denominator, int exponent) {
        if (numerator.signum() == 0) {
            return 0.0d;
        }
        // 64 bits more than a double holds, so that what is cut off is below its rounding bit; subnormals only need
        // fewer.
        int shift = Math.max(0, 64 + 54 + denominator.bitLength() - numerator.bitLength());
        BigInteger[] parts = numerator.shiftLeft(shift).divideAndRemainder(denominator);
        return toDouble(parts[0], exponent - shift, parts[1].signum() != 0);
    }
}

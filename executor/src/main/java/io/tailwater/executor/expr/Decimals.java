package io.tailwater.executor.expr;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Arithmetic on 128-bit unscaled values, given as (low, high) pairs of two's complement halves. A function returns the low half and leaves the
 * high one in {@link Registers#high}. Precision is at most 38 digits, so every value lies within 2^127. Results past that, or past the digits that
 * the caller allows, are 22003.
 */
final class Decimals {
    private static final long[] POWERS = powers();
    private static final BigInteger[] BIG_POWERS = bigPowers();
    private static final double[] EXACT_DOUBLES = doubles();

    private Decimals() {}

    private static long[] powers() {
        long[] powers = new long[19];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }

    private static BigInteger[] bigPowers() {
        BigInteger[] powers = new BigInteger[78];
        powers[0] = BigInteger.ONE;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1].multiply(BigInteger.TEN);
        }
        return powers;
    }

    private static double[] doubles() {
        double[] powers = new double[23];
        for (int i = 0; i < powers.length; i++) {
            powers[i] = Double.parseDouble("1e" + i);
        }
        return powers;
    }

    /** 10^digits, digits 0 to 18. */
    static long power(int digits) {
        return POWERS[digits];
    }

    static BigInteger big(long low, long high) {
        if (high == low >> 63) {
            return BigInteger.valueOf(low);
        }
        return BigInteger.valueOf(high)
                .shiftLeft(64)
                .add(BigInteger.valueOf(low >>> 1).shiftLeft(1).add(BigInteger.valueOf(low & 1)));
    }

    static long fromBig(BigInteger value, Registers r) {
        if (value.bitLength() > 127) {
            throw DataErrors.outOfRange("DECIMAL");
        }
        r.high = value.shiftRight(64).longValue();
        return value.longValue();
    }

    static long add(long aLow, long aHigh, long bLow, long bHigh, Registers r) {
        long low = aLow + bLow;
        long carry = ((aLow & bLow) | ((aLow | bLow) & ~low)) >>> 63;
        long high = aHigh + bHigh + carry;
        if (((aHigh ^ high) & (bHigh ^ high)) < 0) {
            throw DataErrors.outOfRange("DECIMAL");
        }
        r.high = high;
        return low;
    }

    static long subtract(long aLow, long aHigh, long bLow, long bHigh, Registers r) {
        long low = aLow - bLow;
        long borrow = ((~aLow & bLow) | (~(aLow ^ bLow) & low)) >>> 63;
        long high = aHigh - bHigh - borrow;
        if (((aHigh ^ bHigh) & (aHigh ^ high)) < 0) {
            throw DataErrors.outOfRange("DECIMAL");
        }
        r.high = high;
        return low;
    }

    static long negate(long low, long high, Registers r) {
        r.high = ~high + (low == 0 ? 1 : 0);
        return -low;
    }

    static long absolute(long low, long high, Registers r) {
        if (high < 0) {
            return negate(low, high, r);
        }
        r.high = high;
        return low;
    }

    /** Keeps {@code digits} digits after the point, which may be negative; the scale stays as it is. */
    static long round(long low, long high, int scale, int digits, boolean truncate, Registers r) {
        int drop = scale - Math.max(digits, -39);
        if (drop <= 0) {
            r.high = high;
            return low;
        }
        if (drop > 39) {
            r.high = 0;
            return 0;
        }
        long rounded = truncate ? truncateByPower(low, high, drop, r) : divideByPower(low, high, drop, r);
        return scaleUp(rounded, r.high, drop, r);
    }

    static int compare(long aLow, long aHigh, long bLow, long bHigh) {
        return aHigh != bHigh ? Long.compare(aHigh, bHigh) : Long.compareUnsigned(aLow, bLow);
    }

    static int sign(long low, long high) {
        return high < 0 ? -1 : (low | high) == 0 ? 0 : 1;
    }

    /** Compares values of different scales exactly. */
    static int compareScaled(long aLow, long aHigh, int aScale, long bLow, long bHigh, int bScale) {
        return new BigDecimal(big(aLow, aHigh), aScale).compareTo(new BigDecimal(big(bLow, bHigh), bScale));
    }

    static long multiply(long aLow, long aHigh, long bLow, long bHigh, Registers r) {
        if (aHigh == aLow >> 63 && bHigh == bLow >> 63) {
            r.high = Math.multiplyHigh(aLow, bLow);
            return aLow * bLow;
        }
        return fromBig(big(aLow, aHigh).multiply(big(bLow, bHigh)), r);
    }

    /** Product brought to fewer digits after the point, half away from zero; the exact product may have more than 38 digits. */
    static long multiplyRescaled(long aLow, long aHigh, long bLow, long bHigh, int drop, Registers r) {
        if (aHigh == aLow >> 63 && bHigh == bLow >> 63) {
            return divideByPower(aLow * bLow, Math.multiplyHigh(aLow, bLow), drop, r);
        }
        BigInteger product = big(aLow, aHigh).multiply(big(bLow, bHigh));
        return fromBig(divideRounded(product, BIG_POWERS[drop]), r);
    }

    /** The value times 10^digits. */
    static long scaleUp(long low, long high, int digits, Registers r) {
        if (high == low >> 63 && digits <= 18) {
            r.high = Math.multiplyHigh(low, POWERS[digits]);
            return low * POWERS[digits];
        }
        return fromBig(big(low, high).multiply(BIG_POWERS[digits]), r);
    }

    /** The value over 10^digits, half away from zero. */
    static long divideByPower(long low, long high, int digits, Registers r) {
        if (digits <= 18) {
            long power = POWERS[digits];
            if (high == low >> 63) {
                long quotient = divideRounded(low, power);
                r.high = quotient >> 63;
                return quotient;
            }
            return divideWide(low, high, power, true, r);
        }
        return fromBig(divideRounded(big(low, high), BIG_POWERS[digits]), r);
    }

    /** The value over 10^digits, toward zero. */
    static long truncateByPower(long low, long high, int digits, Registers r) {
        if (digits <= 18) {
            if (high == low >> 63) {
                long quotient = low / POWERS[digits];
                r.high = quotient >> 63;
                return quotient;
            }
            return divideWide(low, high, POWERS[digits], false, r);
        }
        return fromBig(big(low, high).divide(BIG_POWERS[digits]), r);
    }

    /** The value over 10^digits, toward minus infinity ({@code up} false) or plus infinity. */
    static long floorByPower(long low, long high, int digits, boolean up, Registers r) {
        RoundingMode mode = up ? RoundingMode.CEILING : RoundingMode.FLOOR;
        if (digits <= 18 && high == low >> 63) {
            long quotient = up ? -Math.floorDiv(-low, POWERS[digits]) : Math.floorDiv(low, POWERS[digits]);
            if (low != Long.MIN_VALUE) {
                r.high = quotient >> 63;
                return quotient;
            }
        }
        return fromBig(new BigDecimal(big(low, high), digits).setScale(0, mode).unscaledValue(), r);
    }

    /** Quotient by a positive divisor, half away from zero. */
    static long divideRounded(long value, long divisor) {
        long quotient = value / divisor;
        long remainder = value - quotient * divisor;
        // 2 * |remainder| >= divisor, without overflow.
        if (Math.abs(remainder) >= divisor - Math.abs(remainder)) {
            quotient += value < 0 ? -1 : 1;
        }
        return quotient;
    }

    private static BigInteger divideRounded(BigInteger value, BigInteger divisor) {
        BigInteger[] parts = value.divideAndRemainder(divisor);
        if (parts[1].abs().shiftLeft(1).compareTo(divisor.abs()) >= 0) {
            int sign = value.signum() * divisor.signum();
            return parts[0].add(BigInteger.valueOf(sign));
        }
        return parts[0];
    }

    /** 128 by 63 bits: two steps of schoolbook division on the magnitude. */
    private static long divideWide(long low, long high, long divisor, boolean round, Registers r) {
        boolean negative = high < 0;
        if (negative) {
            high = ~high + (low == 0 ? 1 : 0);
            low = -low;
        }
        long quotientHigh = Long.divideUnsigned(high, divisor);
        long rest = high - quotientHigh * divisor;
        long quotientLow = divideUnsigned(rest, low, divisor);
        long remainder = low - quotientLow * divisor;
        if (round && Long.compareUnsigned(remainder, divisor - remainder) >= 0) {
            quotientLow++;
            quotientHigh += quotientLow == 0 ? 1 : 0;
        }
        if (negative) {
            return negate(quotientLow, quotientHigh, r);
        }
        r.high = quotientHigh;
        return quotientLow;
    }

    /** (high, low) / divisor as unsigned numbers, high < divisor < 2^63; Knuth's algorithm D in base 2^32. */
    static long divideUnsigned(long high, long low, long divisor) {
        if (high == 0) {
            return Long.divideUnsigned(low, divisor);
        }
        int shift = Long.numberOfLeadingZeros(divisor);
        divisor <<= shift;
        long d1 = divisor >>> 32;
        long d0 = divisor & 0xFFFFFFFFL;
        high = shift == 0 ? high : high << shift | low >>> -shift;
        low <<= shift;
        long l1 = low >>> 32;
        long l0 = low & 0xFFFFFFFFL;
        long q1 = digit(high, l1, d1, d0);
        long rest = (high << 32 | l1) - q1 * divisor;
        long q0 = digit(rest, l0, d1, d0);
        return q1 << 32 | q0;
    }

    private static long digit(long high, long next, long d1, long d0) {
        long q = Long.divideUnsigned(high, d1);
        long rest = high - q * d1;
        while (q >= 1L << 32 || Long.compareUnsigned(q * d0, rest << 32 | next) > 0) {
            q--;
            rest += d1;
            if (rest >= 1L << 32) {
                break;
            }
        }
        return q;
    }

    /** a * 10^shift / b, half away from zero; a negative shift divides by 10^-shift. */
    static long divide(long aLow, long aHigh, long bLow, long bHigh, int shift, Registers r) {
        if ((bLow | bHigh) == 0) {
            throw DataErrors.divisionByZero();
        }
        if (shift >= 0 && shift <= 18 && aHigh == aLow >> 63 && bHigh == bLow >> 63) {
            long numerator = aLow * POWERS[shift];
            boolean fits = Math.multiplyHigh(aLow, POWERS[shift]) == numerator >> 63;
            if (fits && numerator != Long.MIN_VALUE && bLow != Long.MIN_VALUE) {
                long quotient = divideRounded(bLow < 0 ? -numerator : numerator, Math.abs(bLow));
                r.high = quotient >> 63;
                return quotient;
            }
            if (!fits && bLow != Long.MIN_VALUE) {
                return divideMagnitude(numerator, Math.multiplyHigh(aLow, POWERS[shift]), bLow, r);
            }
        }
        BigInteger a = big(aLow, aHigh);
        BigInteger b = big(bLow, bHigh);
        return fromBig(
                shift >= 0
                        ? divideRounded(a.multiply(BIG_POWERS[shift]), b)
                        : divideRounded(a, b.multiply(BIG_POWERS[-shift])),
                r);
    }

    private static long divideMagnitude(long low, long high, long divisor, Registers r) {
        long quotient = divideWide(low, high, Math.abs(divisor), true, r);
        return divisor < 0 ? negate(quotient, r.high, r) : quotient;
    }

    static long remainder(long aLow, long aHigh, long bLow, long bHigh, Registers r) {
        if ((bLow | bHigh) == 0) {
            throw DataErrors.divisionByZero();
        }
        if (aHigh == aLow >> 63 && bHigh == bLow >> 63) {
            long rest = aLow % bLow;
            r.high = rest >> 63;
            return rest;
        }
        return fromBig(big(aLow, aHigh).remainder(big(bLow, bHigh)), r);
    }

    /** Remainder of operands of different scales, at the greater scale. */
    static long remainderScaled(long aLow, long aHigh, int aUp, long bLow, long bHigh, int bUp, Registers r) {
        if ((bLow | bHigh) == 0) {
            throw DataErrors.divisionByZero();
        }
        BigInteger a = big(aLow, aHigh).multiply(BIG_POWERS[aUp]);
        return fromBig(a.remainder(big(bLow, bHigh).multiply(BIG_POWERS[bUp])), r);
    }

    /** Refuses a value of more than {@code digits} digits. */
    static void check(long low, long high, int digits) {
        if (high == low >> 63 && digits > 18) {
            return;
        }
        boolean fits = digits <= 18
                ? high == low >> 63 && low < POWERS[digits] && low > -POWERS[digits]
                : big(low, high).abs().compareTo(BIG_POWERS[digits]) < 0;
        if (!fits) {
            throw DataErrors.outOfRange("DECIMAL(" + digits + ")");
        }
    }

    /** As {@link #check(long, long, int)} for a value within 64 bits. */
    static long check(long value, int digits) {
        if (digits <= 18 && (value >= POWERS[digits] || value <= -POWERS[digits])) {
            throw DataErrors.outOfRange("DECIMAL(" + digits + ")");
        }
        return value;
    }

    static double toDouble(long low, long high, int scale) {
        if (high == low >> 63 && Math.abs(low) <= 1L << 53 && low != Long.MIN_VALUE && scale < EXACT_DOUBLES.length) {
            // Both operands are exact, so the quotient is rounded once.
            return low / EXACT_DOUBLES[scale];
        }
        return new BigDecimal(big(low, high), scale).doubleValue();
    }

    /** To a decimal of this scale, half away from zero on the shortest decimal text of the value. */
    static long fromDouble(double value, int scale, Registers r) {
        if (value == Math.rint(value) && Math.abs(value) < 1L << 53) {
            return scaleUp((long) value, (long) value >> 63, scale, r);
        }
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw DataErrors.outOfRange("DECIMAL");
        }
        return fromBigDecimal(BigDecimal.valueOf(value), scale, r);
    }

    static long fromFloat(float value, int scale, Registers r) {
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            throw DataErrors.outOfRange("DECIMAL");
        }
        return fromBigDecimal(new BigDecimal(Float.toString(value)), scale, r);
    }

    static long fromBigDecimal(BigDecimal value, int scale, Registers r) {
        if (value.precision() - (long) value.scale() > 39) {
            throw DataErrors.outOfRange("DECIMAL");
        }
        return fromBig(value.setScale(scale, RoundingMode.HALF_UP).unscaledValue(), r);
    }

    /** Half away from zero to an integer. */
    static long toLong(long low, long high, int scale, Registers r) {
        long whole = divideByPower(low, high, scale, r);
        if (r.high != whole >> 63) {
            throw DataErrors.outOfRange("BIGINT");
        }
        return whole;
    }
}

package io.tailwater.executor.expr;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Arithmetic on integers and floating point that raises 22003 and 22012 where Java would wrap or give an infinity. No result is -0.0, which state would not tell
 * from 0.0: adding 0 makes the one the other.
 */
final class Numbers {
    private static final double TWO_63 = 0x1p63;

    private Numbers() {}

    static long add(long a, long b) {
        long sum = a + b;
        if (((a ^ sum) & (b ^ sum)) < 0) {
            throw DataErrors.outOfRange("BIGINT");
        }
        return sum;
    }

    static long subtract(long a, long b) {
        long difference = a - b;
        if (((a ^ b) & (a ^ difference)) < 0) {
            throw DataErrors.outOfRange("BIGINT");
        }
        return difference;
    }

    static long multiply(long a, long b) {
        long low = a * b;
        if (Math.multiplyHigh(a, b) != low >> 63) {
            throw DataErrors.outOfRange("BIGINT");
        }
        return low;
    }

    static long divide(long a, long b) {
        if (b == 0) {
            throw DataErrors.divisionByZero();
        }
        if (b == -1) {
            return negate(a);
        }
        return a / b;
    }

    static long remainder(long a, long b) {
        if (b == 0) {
            throw DataErrors.divisionByZero();
        }
        return a % b;
    }

    static long negate(long a) {
        if (a == Long.MIN_VALUE) {
            throw DataErrors.outOfRange("BIGINT");
        }
        return -a;
    }

    static long absolute(long a) {
        return a < 0 ? negate(a) : a;
    }

    static int toInt(long value) {
        if (value != (int) value) {
            throw DataErrors.outOfRange("INTEGER");
        }
        return (int) value;
    }

    static int toShort(long value) {
        if (value != (short) value) {
            throw DataErrors.outOfRange("SMALLINT");
        }
        return (int) value;
    }

    static int toByte(long value) {
        if (value != (byte) value) {
            throw DataErrors.outOfRange("TINYINT");
        }
        return (int) value;
    }

    /** Half to even, as PostgreSQL rounds floating point. */
    static long toLong(double value) {
        double rounded = Math.rint(value);
        if (!(rounded >= -TWO_63 && rounded < TWO_63)) {
            throw DataErrors.outOfRange("BIGINT");
        }
        return (long) rounded;
    }

    static float toFloat(double value) {
        float narrow = (float) value;
        if (Float.isInfinite(narrow) && !Double.isInfinite(value)) {
            throw DataErrors.outOfRange("REAL");
        }
        return narrow + 0;
    }

    static double add(double a, double b) {
        return finite(a + b, a, b);
    }

    static double subtract(double a, double b) {
        return finite(a - b, a, b);
    }

    static double multiply(double a, double b) {
        return finite(a * b, a, b);
    }

    static double divide(double a, double b) {
        if (b == 0) {
            throw DataErrors.divisionByZero();
        }
        return finite(a / b, a, b);
    }

    static double remainder(double a, double b) {
        if (b == 0) {
            throw DataErrors.divisionByZero();
        }
        return a % b + 0;
    }

    static float add(float a, float b) {
        return toFloat((double) a + b);
    }

    static float subtract(float a, float b) {
        return toFloat((double) a - b);
    }

    static float multiply(float a, float b) {
        return toFloat((double) a * b);
    }

    static float divide(float a, float b) {
        if (b == 0) {
            throw DataErrors.divisionByZero();
        }
        return toFloat((double) a / b);
    }

    static float remainder(float a, float b) {
        if (b == 0) {
            throw DataErrors.divisionByZero();
        }
        return a % b + 0;
    }

    /** An infinity that no operand was is an overflow. */
    private static double finite(double result, double a, double b) {
        if (Double.isInfinite(result) && !Double.isInfinite(a) && !Double.isInfinite(b)) {
            throw DataErrors.outOfRange("DOUBLE");
        }
        return result + 0;
    }

    static double power(double base, double exponent) {
        if (base == 0 && exponent < 0) {
            throw new StreamException(
                    ErrorCode.INVALID_ARGUMENT_FOR_POWER, "zero raised to a negative power is undefined");
        }
        if (base < 0 && exponent != Math.rint(exponent)) {
            throw new StreamException(
                    ErrorCode.INVALID_ARGUMENT_FOR_POWER,
                    "a negative number raised to a non-integer power yields a complex result");
        }
        if (base == 1) {
            return 1;
        }
        return finite(Math.pow(base, exponent), base, exponent);
    }

    static double squareRoot(double value) {
        if (value < 0) {
            throw new StreamException(
                    ErrorCode.INVALID_ARGUMENT_FOR_POWER, "cannot take square root of a negative number");
        }
        return Math.sqrt(value);
    }

    static double exp(double value) {
        return finite(Math.exp(value), value, value);
    }

    static double ln(double value) {
        checkLogarithm(value);
        return Math.log(value);
    }

    static double log10(double value) {
        checkLogarithm(value);
        return Math.log10(value);
    }

    private static void checkLogarithm(double value) {
        if (value <= 0) {
            throw new StreamException(
                    ErrorCode.INVALID_ARGUMENT_FOR_LOGARITHM,
                    value == 0 ? "cannot take logarithm of zero" : "cannot take logarithm of a negative number");
        }
    }

    /** Half away from zero, on the decimal digits that the shortest text of the value shows. */
    static double round(double value, int digits, boolean truncate) {
        if (!(Math.abs(value) < 0x1p1000)) {
            // NaN, the infinities, and values whose digits are all integral: nothing to round at any sensible position.
            return value;
        }
        if (digits == 0) {
            double whole = Math.floor(Math.abs(value));
            if (!truncate && Math.abs(value) - whole >= 0.5) {
                whole += 1;
            }
            return Math.copySign(whole, value) + 0;
        }
        if (digits > 400) {
            return value;
        }
        if (digits < -400) {
            return 0;
        }
        return BigDecimal.valueOf(value)
                        .setScale(digits, truncate ? RoundingMode.DOWN : RoundingMode.HALF_UP)
                        .doubleValue()
                + 0;
    }

    static long round(long value, int digits, boolean truncate) {
        if (digits >= 0) {
            return value;
        }
        if (digits < -19) {
            return 0;
        }
        BigDecimal rounded =
                BigDecimal.valueOf(value).setScale(digits, truncate ? RoundingMode.DOWN : RoundingMode.HALF_UP);
        try {
            return rounded.longValueExact();
        } catch (ArithmeticException e) {
            throw DataErrors.outOfRange("BIGINT");
        }
    }

    /** NaN equals itself and -0 equals 0, as grouping has it. */
    static boolean same(double a, double b) {
        return a == b || (Double.isNaN(a) && Double.isNaN(b));
    }

    /** NaN is greater than all else, as in PostgreSQL. */
    static boolean less(double a, double b) {
        return a < b || (Double.isNaN(b) && !Double.isNaN(a));
    }

    static boolean lessOrEqual(double a, double b) {
        return a <= b || Double.isNaN(b);
    }

    /** From 0 to less than 1. */
    static double random() {
        return ThreadLocalRandom.current().nextDouble();
    }
}

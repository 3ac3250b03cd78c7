package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.Arena;

import java.math.BigInteger;

/**
 * The exact sum of doubles, in {@link #BYTES} bytes: {mode, five words, specials}. The sum counts units of 2^-1074 as a two's complement integer.
 * Inline, the five words are a window of it that begins at word {@code mode - 1}, 128 bits below the first value's; a value outside moves the sum
 * to a block of {@link #FULL_WORDS} words, which holds any sum. NaN and infinities are counted in a block of their own.
 *
 * <p>Adding is associative, commutative and invertible, which floating-point addition is not.
 */
final class ExactSum {
    static final int BYTES = 56;

    private static final int WINDOW = 5;
    private static final int FULL_WORDS = 36;
    private static final int FULL_BYTES = FULL_WORDS * 8;
    private static final long FULL = -1;
    private static final int WORDS = 8;
    private static final int SPECIALS = 48;
    private static final int SPECIAL_BYTES = 24;

    private ExactSum() {}

    /** Adds {@code value * weight}. */
    static void add(long at, double value, long weight, Arena arena) {
        long bits = Double.doubleToRawLongBits(value);
        int exponent = (int) (bits >>> 52) & 0x7FF;
        long mantissa = bits & ((1L << 52) - 1);
        if (exponent == 0x7FF) {
            addSpecial(at, mantissa != 0 ? 0 : bits > 0 ? 8 : 16, weight, arena);
            return;
        }
        if (exponent != 0) {
            mantissa |= 1L << 52;
        }
        if (mantissa == 0 || weight == 0) {
            return;
        }
        long signed = bits < 0 ? -mantissa : mantissa;
        long low = signed * weight;
        long high = Math.multiplyHigh(signed, weight);
        int position = Math.max(exponent, 1) - 1;
        int shift = position & 63;
        long a = low << shift;
        long b = shift == 0 ? high : high << shift | low >>> (64 - shift);
        long c = shift == 0 ? high >> 63 : high >> (64 - shift);
        addWords(at, position >>> 6, a, b, c, arena);
    }

    private static void addWords(long at, int word, long a, long b, long c, Arena arena) {
        long mode = Mem.getLong(at);
        if (mode == 0) {
            mode = Math.max(0L, word - 2L) + 1;
            Mem.putLong(at, mode);
        }
        if (mode != FULL) {
            long from = word - (mode - 1);
            long top = Mem.getLong(at + WORDS + 8 * (WINDOW - 1));
            // A window that is nearly full, or that does not reach this far, makes room first.
            if (from >= 0 && from <= WINDOW - 3 && top >= -(1L << 62) && top < 1L << 62) {
                addAt(at + WORDS, WINDOW, (int) from, a, b, c);
                return;
            }
            spill(at, (int) (mode - 1), arena);
        }
        addAt(Mem.getLong(at + WORDS), FULL_WORDS, word, a, b, c);
    }

    private static void addAt(long words, int count, int from, long a, long b, long c) {
        long p = words + 8L * from;
        long old = Mem.getLong(p);
        long sum = old + a;
        long carry = ((old & a) | ((old | a) & ~sum)) >>> 63;
        Mem.putLong(p, sum);
        old = Mem.getLong(p + 8);
        sum = old + b + carry;
        carry = ((old & b) | ((old | b) & ~sum)) >>> 63;
        Mem.putLong(p + 8, sum);
        old = Mem.getLong(p + 16);
        sum = old + c + carry;
        carry = ((old & c) | ((old | c) & ~sum)) >>> 63;
        Mem.putLong(p + 16, sum);
        long rest = (c >> 63) + carry;
        // Past the third word only a borrow or a carry travels: rest is -1, 0 or 1 with the carry already in it.
        for (int w = from + 3; rest != 0 && w < count; w++) {
            long q = words + 8L * w;
            old = Mem.getLong(q);
            sum = old + rest;
            Mem.putLong(q, sum);
            rest = rest > 0 ? (sum == 0 ? 1 : 0) : (old == 0 ? -1 : 0);
        }
    }

    private static void spill(long at, int windowStart, Arena arena) {
        long block = arena.allocate(FULL_BYTES);
        long sign = Mem.getLong(at + WORDS + 8 * (WINDOW - 1)) >> 63;
        for (int w = 0; w < FULL_WORDS; w++) {
            int inWindow = w - windowStart;
            long word = inWindow < 0 ? 0 : inWindow < WINDOW ? Mem.getLong(at + WORDS + 8L * inWindow) : sign;
            Mem.putLong(block + 8L * w, word);
        }
        Mem.putLong(at, FULL);
        Mem.putLong(at + WORDS, block);
    }

    private static void addSpecial(long at, int which, long weight, Arena arena) {
        long block = Mem.getLong(at + SPECIALS);
        if (block == 0) {
            block = arena.allocate(SPECIAL_BYTES);
            Mem.fill(block, SPECIAL_BYTES, (byte) 0);
            Mem.putLong(at + SPECIALS, block);
        }
        Mem.putLong(block + which, Mem.getLong(block + which) + weight);
    }

    /** Whether the sum is NaN or infinite because such a value is in it. */
    static boolean isSpecial(long at) {
        long block = Mem.getLong(at + SPECIALS);
        return block != 0 && (Mem.getLong(block) | Mem.getLong(block + 8) | Mem.getLong(block + 16)) != 0;
    }

    /** The sum by NaN's and infinity's rules, if {@link #isSpecial}. */
    static double special(long at) {
        long block = Mem.getLong(at + SPECIALS);
        boolean plus = Mem.getLong(block + 8) != 0;
        boolean minus = Mem.getLong(block + 16) != 0;
        if (Mem.getLong(block) != 0 || (plus && minus)) {
            return Double.NaN;
        }
        return plus ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }

    /** The finite part as {@code units(at) * 2^scale(at)}. */
    static BigInteger units(long at) {
        return Mem.getLong(at) == FULL
                ? WideInt.get(Mem.getLong(at + WORDS), FULL_WORDS)
                : WideInt.get(at + WORDS, WINDOW);
    }

    /** The exponent of {@link #units}. */
    static int scale(long at) {
        long mode = Mem.getLong(at);
        return mode <= 0 ? -1074 : (int) (mode - 1) * 64 - 1074;
    }

    /** The sum, rounded once to the nearest double. */
    static double value(long at) {
        if (isSpecial(at)) {
            return special(at);
        }
        long mode = Mem.getLong(at);
        if (mode == FULL) {
            return Rounding.toDouble(units(at), -1074, false);
        }
        return mode == 0 ? 0.0d : windowValue(at + WORDS, (int) (mode - 1));
    }

    /** {@link Rounding#toDouble} of the window, without an object. */
    private static double windowValue(long words, int windowStart) {
        boolean negative = Mem.getLong(words + 8 * (WINDOW - 1)) < 0;
        // The magnitude's words, from the top: find the first that is not zero, then 128 bits from there and whether
        // anything follows.
        int highest = -1;
        long first = 0;
        long second = 0;
        boolean more = false;
        boolean lowerZero;
        for (int w = WINDOW - 1; w >= 0; w--) {
            lowerZero = true;
            for (int v = 0; v < w && lowerZero; v++) {
                lowerZero = Mem.getLong(words + 8L * v) == 0;
            }
            long word = Mem.getLong(words + 8L * w);
            // Negation: complement, plus one that arrives only through words that are all zero.
            long magnitude = negative ? ~word + (lowerZero ? 1 : 0) : word;
            if (highest < 0) {
                if (magnitude != 0) {
                    highest = w;
                    first = magnitude;
                }
            } else if (w == highest - 1) {
                second = magnitude;
            } else {
                more |= magnitude != 0;
            }
        }
        if (highest < 0) {
            return 0.0d;
        }
        int zeros = Long.numberOfLeadingZeros(first);
        long bits = zeros == 0 ? first : first << zeros | second >>> (64 - zeros);
        more |= zeros == 0 ? second != 0 : second << zeros != 0;
        int top = (windowStart + highest) * 64 + 63 - zeros;
        double out = round(bits, top, more);
        return negative ? -out : out;
    }

    /** 64 leading bits whose first is worth 2^top units. */
    private static double round(long bits, int top, boolean more) {
        int field = Math.max(0, top - 52);
        int drop = 63 - (top - field);
        if (drop >= 64) {
            throw new AssertionError("window bits below one unit");
        }
        long mantissa = drop == 0 ? bits : bits >>> drop;
        long cut = drop == 0 ? 0 : bits << (64 - drop);
        boolean half = cut < 0;
        boolean rest = more || cut << 1 != 0;
        if (half && (rest || (mantissa & 1) != 0)) {
            mantissa++;
        }
        return field > 2045 ? Double.POSITIVE_INFINITY : Double.longBitsToDouble(((long) field << 52) + mantissa);
    }

    /** Writes {mode, all words, whether there are specials, specials if so}. */
    static void snapshot(long at, StateWriter out) {
        long mode = Mem.getLong(at);
        out.putLong(mode);
        if (mode == FULL) {
            out.put(Mem.getLong(at + WORDS), FULL_BYTES);
        } else {
            out.put(at + WORDS, 8 * WINDOW);
        }
        long specials = Mem.getLong(at + SPECIALS);
        out.putLong(specials == 0 ? 0 : 1);
        if (specials != 0) {
            out.put(specials, SPECIAL_BYTES);
        }
    }

    /** Replaces a sum by what was written. Returns the bytes read. */
    static int restore(long from, long at, Arena arena) {
        release(at, arena);
        long mode = Mem.getLong(from);
        long read = from + WORDS;
        Mem.putLong(at, mode);
        if (mode == FULL) {
            long block = arena.allocate(FULL_BYTES);
            Mem.copy(read, block, FULL_BYTES);
            Mem.putLong(at + WORDS, block);
            read += FULL_BYTES;
        } else {
            Mem.copy(read, at + WORDS, 8 * WINDOW);
            read += 8 * WINDOW;
        }
        boolean special = Mem.getLong(read) != 0;
        read += 8;
        Mem.putLong(at + SPECIALS, 0);
        if (special) {
            long block = arena.allocate(SPECIAL_BYTES);
            Mem.copy(read, block, SPECIAL_BYTES);
            Mem.putLong(at + SPECIALS, block);
            read += SPECIAL_BYTES;
        }
        return (int) (read - from);
    }

    static void release(long at, Arena arena) {
        if (Mem.getLong(at) == FULL) {
            arena.free(Mem.getLong(at + WORDS), FULL_BYTES);
        }
        if (Mem.getLong(at + SPECIALS) != 0) {
            arena.free(Mem.getLong(at + SPECIALS), SPECIAL_BYTES);
        }
    }
}

package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8 text by address and length. A function that yields text returns its address and leaves its length in {@link Registers#length}; the bytes
 * are those of the operand where they can be. Characters are code points.
 */
final class Texts {
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long ONES = 0x0101010101010101L;

    private Texts() {}

    static String toString(long bytes, int length) {
        return new String(toArray(bytes, length), StandardCharsets.UTF_8);
    }

    static byte[] toArray(long bytes, int length) {
        byte[] array = new byte[length];
        Mem.copyToArray(bytes, array, 0, length);
        return array;
    }

    /** Copies into scratch memory. */
    static long put(byte[] text, Registers r) {
        long at = r.allocate(text.length);
        Mem.copyFromArray(text, 0, at, text.length);
        r.length = text.length;
        return at;
    }

    static boolean equal(long a, int aLength, long b, int bLength) {
        return aLength == bLength && Mem.equal(a, b, aLength);
    }

    /** Order of two views: by their inline prefixes if those differ. */
    static int compareSlots(long a, long b) {
        int x = Integer.reverseBytes(Mem.getInt(a + 4));
        int y = Integer.reverseBytes(Mem.getInt(b + 4));
        // Short values are padded by zeros, which no byte is below.
        return x != y ? Integer.compareUnsigned(x, y) : StringView.compare(a, b);
    }

    static boolean isContinuation(byte b) {
        return (b & 0xC0) == 0x80;
    }

    /** Address of the character that many characters on, or {@code end}. */
    static long skip(long at, long end, long characters) {
        while (characters > 0 && at < end) {
            if (characters >= 8 && at + 8 <= end && (Mem.getLong(at) & HIGH_BITS) == 0) {
                at += 8;
                characters -= 8;
                continue;
            }
            at++;
            while (at < end && isContinuation(Mem.getByte(at))) {
                at++;
            }
            characters--;
        }
        return at;
    }

    static int characters(long bytes, int length) {
        long end = bytes + length;
        long at = bytes;
        int continuations = 0;
        for (; at + 8 <= end; at += 8) {
            long word = Mem.getLong(at);
            // Bit 7 set and bit 6 clear, byte by byte.
            continuations += Long.bitCount(word & ~(word << 1) & HIGH_BITS);
        }
        for (; at < end; at++) {
            continuations += isContinuation(Mem.getByte(at)) ? 1 : 0;
        }
        return length - continuations;
    }

    /** The first {@code characters} characters. */
    static long left(long bytes, int length, int characters, Registers r) {
        r.length = length <= characters ? length : (int) (skip(bytes, bytes + length, characters) - bytes);
        return bytes;
    }

    static long leftBytes(long bytes, int length, int limit, Registers r) {
        r.length = Math.min(length, limit);
        return bytes;
    }

    /** Refuses the text just returned if it has more characters than its type. */
    static long checkLength(long bytes, int limit, Registers r) {
        if (r.length > limit && characters(bytes, r.length) > limit) {
            throw DataErrors.tooLong("VARCHAR(" + limit + ")");
        }
        return bytes;
    }

    /** Cuts trailing blanks past {@code limit} characters; refuses what is longer without them. */
    static long requireLength(long bytes, int length, int limit, String column, Registers r) {
        r.length = length;
        if (length > limit && characters(bytes, length) > limit) {
            int kept = (int) (skip(bytes, bytes + length, limit) - bytes);
            for (int i = kept; i < length; i++) {
                if (Mem.getByte(bytes + i) != ' ') {
                    throw DataErrors.tooLong("VARCHAR(" + limit + ") of column \"" + column + "\"");
                }
            }
            r.length = kept;
        }
        return bytes;
    }

    static long requireBytes(long bytes, int length, int limit, String column, Registers r) {
        if (length > limit) {
            throw DataErrors.tooLong("VARBINARY(" + limit + ") of column \"" + column + "\"");
        }
        r.length = length;
        return bytes;
    }

    static long checkUtf8(long bytes, int length, Registers r) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(toArray(bytes, length)));
        } catch (CharacterCodingException e) {
            throw new StreamException(
                    ErrorCode.INVALID_TEXT_REPRESENTATION, "invalid byte sequence for encoding \"UTF8\"", -1, null, e);
        }
        r.length = length;
        return bytes;
    }

    static boolean isSame(byte[] text, long bytes, int length) {
        if (length != text.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (text[i] != Mem.getByte(bytes + i)) {
                return false;
            }
        }
        return true;
    }

    static boolean isAscii(long bytes, int length) {
        long end = bytes + length;
        long at = bytes;
        long all = 0;
        for (; at + 8 <= end; at += 8) {
            all |= Mem.getLong(at);
        }
        for (; at < end; at++) {
            all |= Mem.getByte(at);
        }
        return (all & HIGH_BITS) == 0;
    }

    /** Offset of the first such byte at or after {@code from}, or -1. */
    static int indexOf(long bytes, int length, byte wanted, int from) {
        long pattern = (wanted & 0xFFL) * ONES;
        int i = from;
        for (; i + 8 <= length; i += 8) {
            long difference = Mem.getLong(bytes + i) ^ pattern;
            // The lowest bit set marks the first zero byte; higher ones may be false.
            long zeros = (difference - ONES) & ~difference & HIGH_BITS;
            if (zeros != 0) {
                return i + (Long.numberOfTrailingZeros(zeros) >>> 3);
            }
        }
        for (; i < length; i++) {
            if (Mem.getByte(bytes + i) == wanted) {
                return i;
            }
        }
        return -1;
    }

    /** Offset of the first occurrence at or after {@code from}, or -1. An empty needle is found at once. */
    static int indexOf(long bytes, int length, long needle, int needleLength, int from) {
        if (needleLength == 0) {
            return from;
        }
        byte first = Mem.getByte(needle);
        for (int at = from; at + needleLength <= length; at++) {
            at = indexOf(bytes, length - needleLength + 1, first, at);
            if (at < 0) {
                return -1;
            }
            if (Mem.equal(bytes + at, needle, needleLength)) {
                return at;
            }
        }
        return -1;
    }

    static int count(long bytes, int length, byte wanted) {
        long pattern = (wanted & 0xFFL) * ONES;
        int count = 0;
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            long difference = Mem.getLong(bytes + i) ^ pattern;
            // High bit of each byte that is zero, exactly.
            long nonZero = ((difference & ~HIGH_BITS) + ~HIGH_BITS) | difference;
            count += Long.bitCount(~nonZero & HIGH_BITS);
        }
        for (; i < length; i++) {
            count += Mem.getByte(bytes + i) == wanted ? 1 : 0;
        }
        return count;
    }
}

package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Functions of text on UTF-8 bytes. As in {@link Texts}, a result is an address with its length in {@link Registers#length}; 0 is NULL. What only
 * cuts returns bytes of its operand; what builds uses scratch memory. A {@code String} is made only for case mapping outside ASCII.
 */
final class TextFunctions {
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long ONES = 0x0101010101010101L;
    /** No function makes a longer text. */
    private static final int MAX_BYTES = 1 << 26;

    private TextFunctions() {}

    private static int checkSize(long bytes) {
        if (bytes > MAX_BYTES) {
            throw DataErrors.invalidParameter("requested length too large");
        }
        return (int) bytes;
    }

    // ---- case

    static long lower(long bytes, int length, Registers r) {
        return mapCase(bytes, length, 'A', 'Z', r);
    }

    static long upper(long bytes, int length, Registers r) {
        return mapCase(bytes, length, 'a', 'z', r);
    }

    /** Flips the case of letters between {@code first} and {@code last}, eight at a time. */
    private static long mapCase(long bytes, int length, char first, char last, Registers r) {
        long out = r.allocate(length);
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            long word = Mem.getLong(bytes + i);
            if ((word & HIGH_BITS) != 0) {
                return mapCaseSlow(bytes, length, first == 'A', r);
            }
            long pastLast = word + (0x7FL - last) * ONES;
            long fromFirst = word + (0x80L - first) * ONES;
            long letters = (fromFirst ^ pastLast) & HIGH_BITS;
            Mem.putLong(out + i, word ^ letters >>> 2);
        }
        for (; i < length; i++) {
            byte c = Mem.getByte(bytes + i);
            if (c < 0) {
                return mapCaseSlow(bytes, length, first == 'A', r);
            }
            Mem.putByte(out + i, (byte) (c >= first && c <= last ? c ^ 0x20 : c));
        }
        r.length = length;
        return out;
    }

    private static long mapCaseSlow(long bytes, int length, boolean lower, Registers r) {
        String text = Texts.toString(bytes, length);
        return put(lower ? text.toLowerCase(Locale.ROOT) : text.toUpperCase(Locale.ROOT), r);
    }

    private static long put(String text, Registers r) {
        return Texts.put(text.getBytes(StandardCharsets.UTF_8), r);
    }

    /** First letter of each word in upper case, the rest in lower; words are runs of letters and digits. */
    static long initcap(long bytes, int length, Registers r) {
        StringBuilder out = new StringBuilder(length);
        boolean inWord = false;
        int[] points = Texts.toString(bytes, length).codePoints().toArray();
        for (int point : points) {
            out.appendCodePoint(inWord ? Character.toLowerCase(point) : Character.toUpperCase(point));
            inWord = Character.isLetterOrDigit(point);
        }
        return put(out.toString(), r);
    }

    // ---- parts

    /** From the 1-based character {@code from} to the end. */
    static long substring(long bytes, int length, long from, Registers r) {
        long end = bytes + length;
        long start = from <= 1 ? bytes : Texts.skip(bytes, end, from - 1);
        r.length = (int) (end - start);
        return start;
    }

    static long substring(long bytes, int length, long from, long count, Registers r) {
        if (count < 0) {
            throw DataErrors.invalidParameter("negative substring length not allowed");
        }
        long end = bytes + length;
        // Characters before the first count towards the length, as the standard has it.
        long past = count > Long.MAX_VALUE - Math.max(from, 0) ? Long.MAX_VALUE : from + count;
        long first = Math.max(from, 1);
        long start = Texts.skip(bytes, end, first - 1);
        r.length = past <= first ? 0 : (int) (Texts.skip(start, end, past - first) - start);
        return start;
    }

    /** The first characters; with a negative count all but the last ones. */
    static long left(long bytes, int length, long count, Registers r) {
        long wanted = count >= 0 ? count : Math.max(0, Texts.characters(bytes, length) + count);
        r.length = (int) (Texts.skip(bytes, bytes + length, wanted) - bytes);
        return bytes;
    }

    /** The last characters; with a negative count all but the first ones. */
    static long right(long bytes, int length, long count, Registers r) {
        long dropped = count >= 0
                ? Math.max(0, Texts.characters(bytes, length) - count)
                : count == Long.MIN_VALUE ? Long.MAX_VALUE : -count;
        long start = Texts.skip(bytes, bytes + length, dropped);
        r.length = (int) (bytes + length - start);
        return start;
    }

    static long trim(
            long bytes,
            int length,
            long characters,
            int charactersLength,
            boolean leading,
            boolean trailing,
            Registers r) {
        long end = bytes + length;
        long start = bytes;
        while (leading && start < end) {
            long next = Texts.skip(start, end, 1);
            if (!contains(characters, charactersLength, start, (int) (next - start))) {
                break;
            }
            start = next;
        }
        while (trailing && start < end) {
            long last = end - 1;
            while (last > start && Texts.isContinuation(Mem.getByte(last))) {
                last--;
            }
            if (!contains(characters, charactersLength, last, (int) (end - last))) {
                break;
            }
            end = last;
        }
        r.length = (int) (end - start);
        return start;
    }

    private static boolean contains(long characters, int length, long character, int characterLength) {
        if (characterLength == 1) {
            byte c = Mem.getByte(character);
            for (int i = 0; i < length; i++) {
                if (Mem.getByte(characters + i) == c) {
                    return true;
                }
            }
            return false;
        }
        return Texts.indexOf(characters, length, character, characterLength, 0) >= 0;
    }

    /** The 0-based part between delimiters, or NULL if there is none; the empty text has no parts, as in Flink. */
    static long splitIndex(long bytes, int length, long delimiter, int delimiterLength, long index, Registers r) {
        if (index < 0 || length == 0) {
            return 0;
        }
        if (delimiterLength == 0) {
            r.length = length;
            return index == 0 ? bytes : 0;
        }
        boolean single = delimiterLength == 1;
        byte only = Mem.getByte(delimiter);
        int start = 0;
        for (; ; index--) {
            int next = single
                    ? Texts.indexOf(bytes, length, only, start)
                    : Texts.indexOf(bytes, length, delimiter, delimiterLength, start);
            if (index == 0) {
                r.length = (next < 0 ? length : next) - start;
                return bytes + start;
            }
            if (next < 0) {
                return 0;
            }
            start = next + delimiterLength;
        }
    }

    /** The 1-based part between delimiters, counted from the end if negative; empty if there is none. */
    static long splitPart(long bytes, int length, long delimiter, int delimiterLength, long number, Registers r) {
        if (number == 0) {
            throw DataErrors.invalidParameter("field position must not be zero");
        }
        long index = number > 0 ? number - 1 : parts(bytes, length, delimiter, delimiterLength) + number;
        long at = splitIndex(bytes, length, delimiter, delimiterLength, index, r);
        if (at == 0) {
            r.length = 0;
            return bytes;
        }
        return at;
    }

    private static long parts(long bytes, int length, long delimiter, int delimiterLength) {
        long parts = 1;
        if (delimiterLength > 0) {
            int at = Texts.indexOf(bytes, length, delimiter, delimiterLength, 0);
            for (; at >= 0; at = Texts.indexOf(bytes, length, delimiter, delimiterLength, at + delimiterLength)) {
                parts++;
            }
        }
        return parts;
    }

    // ---- search

    /** 1-based character position of the first occurrence, 0 if there is none. */
    static long position(long needle, int needleLength, long bytes, int length) {
        int at = Texts.indexOf(bytes, length, needle, needleLength, 0);
        return at < 0 ? 0 : Texts.characters(bytes, at) + 1;
    }

    static boolean startsWith(long bytes, int length, long prefix, int prefixLength) {
        return prefixLength <= length && Mem.equal(bytes, prefix, prefixLength);
    }

    static long countChar(long bytes, int length, long character, int characterLength) {
        if (characterLength == 1) {
            return Texts.count(bytes, length, Mem.getByte(character));
        }
        long count = 0;
        int at = characterLength == 0 ? -1 : Texts.indexOf(bytes, length, character, characterLength, 0);
        while (at >= 0) {
            count++;
            at = Texts.indexOf(bytes, length, character, characterLength, at + characterLength);
        }
        return count;
    }

    // ---- building

    static long replace(long bytes, int length, long from, int fromLength, long to, int toLength, Registers r) {
        long count = fromLength == 0 ? 0 : countChar(bytes, length, from, fromLength);
        if (count == 0) {
            r.length = length;
            return bytes;
        }
        int total = checkSize(length + count * (toLength - (long) fromLength));
        long out = r.allocate(total);
        long target = out;
        int at = 0;
        while (true) {
            int next = Texts.indexOf(bytes, length, from, fromLength, at);
            int kept = (next < 0 ? length : next) - at;
            Mem.copy(bytes + at, target, kept);
            target += kept;
            if (next < 0) {
                r.length = total;
                return out;
            }
            Mem.copy(to, target, toLength);
            target += toLength;
            at = next + fromLength;
        }
    }

    /** Cut to {@code count} characters, or filled up to them by {@code fill} over and over, on the left or the right. */
    static long pad(long bytes, int length, long count, long fill, int fillLength, boolean left, Registers r) {
        int have = Texts.characters(bytes, length);
        if (count <= have || fillLength == 0) {
            return left(bytes, length, Math.max(0, Math.min(count, have)), r);
        }
        long missing = count - have;
        int fillCharacters = Texts.characters(fill, fillLength);
        long whole = missing / fillCharacters;
        int rest = (int) (Texts.skip(fill, fill + fillLength, missing % fillCharacters) - fill);
        checkSize(count);
        int padding = checkSize(whole * fillLength + rest);
        int total = checkSize((long) padding + length);
        long out = r.allocate(total);
        long target = left ? out : out + length;
        for (long i = 0; i < whole; i++) {
            Mem.copy(fill, target, fillLength);
            target += fillLength;
        }
        Mem.copy(fill, target, rest);
        Mem.copy(bytes, left ? out + padding : out, length);
        r.length = total;
        return out;
    }

    static long repeat(long bytes, int length, long times, Registers r) {
        if (times <= 0 || length == 0) {
            r.length = 0;
            return bytes;
        }
        checkSize(times);
        int total = checkSize(times * length);
        long out = r.allocate(total);
        for (int at = 0; at < total; at += length) {
            Mem.copy(bytes, out + at, length);
        }
        r.length = total;
        return out;
    }

    /** The characters from last to first. */
    static long reverse(long bytes, int length, Registers r) {
        long out = r.allocate(length);
        long end = bytes + length;
        long target = out + length;
        for (long at = bytes; at < end; ) {
            long next = Texts.skip(at, end, 1);
            target -= next - at;
            Mem.copy(at, target, next - at);
            at = next;
        }
        r.length = length;
        return out;
    }

    /** Room for a concatenation, whose parts the caller copies. */
    static long concat(long length, Registers r) {
        long out = r.allocate(checkSize(length));
        r.length = (int) length;
        return out;
    }

    static long md5(long bytes, int length, Registers r) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(Texts.toArray(bytes, length));
            return put(HexFormat.of().formatHex(digest), r);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has MD5", e);
        }
    }
}

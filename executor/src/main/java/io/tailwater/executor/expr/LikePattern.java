package io.tailwater.executor.expr;

import io.tailwater.api.batch.Mem;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * LIKE at one place of a query. Remembers the pattern it saw last, cut at its {@code %} into segments: the first and the last must match at the ends
 * of the text, those between are found from left to right. Without ESCAPE no character escapes. Owned by one operator; not thread-safe.
 */
final class LikePattern {
    /** Stands for {@code _} in a segment; no UTF-8 text holds this byte. */
    private static final byte ANY = (byte) 0xFF;

    private final boolean ignoreCase;
    private byte[] pattern = {};
    private byte[] escape = {};
    private boolean known;
    private Segment[] segments = {};

    LikePattern(boolean ignoreCase) {
        this.ignoreCase = ignoreCase;
    }

    /** @param fixed whether pattern and escape are the same in every call */
    boolean matches(
            long bytes,
            int length,
            long patternBytes,
            int patternLength,
            long escapeBytes,
            int escapeLength,
            boolean fixed,
            Registers r) {
        if (!known
                || (!fixed
                        && !(Texts.isSame(pattern, patternBytes, patternLength)
                                && Texts.isSame(escape, escapeBytes, escapeLength)))) {
            known = false;
            pattern = Texts.toArray(patternBytes, patternLength);
            escape = Texts.toArray(escapeBytes, escapeLength);
            parse();
            known = true;
        }
        if (ignoreCase) {
            long lower = TextFunctions.lower(bytes, length, r);
            return matches(lower, r.length);
        }
        return matches(bytes, length);
    }

    private void parse() {
        String text = new String(pattern, StandardCharsets.UTF_8);
        String escapeText = new String(escape, StandardCharsets.UTF_8);
        if (escapeText.codePointCount(0, escapeText.length()) > 1) {
            throw DataErrors.invalidParameter("invalid escape string, it must be empty or one character");
        }
        int escaping = escapeText.isEmpty() ? -1 : escapeText.codePointAt(0);
        int[] points = text.codePoints().toArray();
        List<Segment> found = new ArrayList<>();
        byte[] segment = new byte[0];
        for (int i = 0; i < points.length; i++) {
            int point = points[i];
            if (point == escaping) {
                if (++i == points.length) {
                    throw DataErrors.invalidParameter("LIKE pattern must not end with escape character");
                }
                segment = append(segment, literal(points[i]));
            } else if (point == '%') {
                found.add(new Segment(segment));
                segment = new byte[0];
            } else {
                segment = append(segment, point == '_' ? new byte[] {ANY} : literal(point));
            }
        }
        found.add(new Segment(segment));
        segments = found.toArray(Segment[]::new);
    }

    private byte[] literal(int point) {
        String text = Character.toString(point);
        return (ignoreCase ? text.toLowerCase(Locale.ROOT) : text).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] append(byte[] to, byte[] more) {
        byte[] all = Arrays.copyOf(to, to.length + more.length);
        System.arraycopy(more, 0, all, to.length, more.length);
        return all;
    }

    private boolean matches(long bytes, int length) {
        long end = bytes + length;
        long at = segments[0].matchAt(bytes, end);
        if (segments.length == 1) {
            return at == end;
        }
        if (at < 0) {
            return false;
        }
        for (int i = 1; i < segments.length - 1; i++) {
            at = segments[i].find(at, end);
            if (at < 0) {
                return false;
            }
        }
        return segments[segments.length - 1].endsAt(at, end);
    }

    /** What stands between two {@code %}: bytes, and their first multiple of eight as words if none is {@link #ANY}. */
    private static final class Segment {
        private final byte[] bytes;
        private final long[] words;
        private final boolean literal;

        Segment(byte[] bytes) {
            this.bytes = bytes;
            boolean plain = true;
            for (byte b : bytes) {
                plain &= b != ANY;
            }
            literal = plain;
            words = new long[bytes.length / 8];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
        }

        /** Address past the segment if it matches here, else -1. */
        long matchAt(long at, long end) {
            if (literal) {
                return at + bytes.length <= end && equalsAt(at) ? at + bytes.length : -1;
            }
            for (byte wanted : bytes) {
                if (at == end) {
                    return -1;
                }
                if (wanted == ANY) {
                    at = Texts.skip(at, end, 1);
                } else if (Mem.getByte(at++) != wanted) {
                    return -1;
                }
            }
            return at;
        }

        private boolean equalsAt(long at) {
            for (int word = 0; word < words.length; word++) {
                if (Mem.getLong(at + 8L * word) != words[word]) {
                    return false;
                }
            }
            for (int i = words.length * 8; i < bytes.length; i++) {
                if (Mem.getByte(at + i) != bytes[i]) {
                    return false;
                }
            }
            return true;
        }

        /** Address past the first match at or after {@code from}, or -1. */
        long find(long from, long end) {
            if (bytes.length == 0) {
                return from;
            }
            for (long at = from; at < end; at++) {
                if (bytes[0] != ANY) {
                    int skipped = Texts.indexOf(at, (int) (end - at), bytes[0], 0);
                    if (skipped < 0) {
                        return -1;
                    }
                    at += skipped;
                } else if (Texts.isContinuation(Mem.getByte(at))) {
                    continue;
                }
                long past = matchAt(at, end);
                if (past >= 0) {
                    return past;
                }
            }
            return -1;
        }

        /** Whether the segment matches up to {@code end}, starting at or after {@code from}. */
        boolean endsAt(long from, long end) {
            if (literal) {
                return end - from >= bytes.length && equalsAt(end - bytes.length);
            }
            long at = end;
            for (int i = bytes.length - 1; i >= 0; i--) {
                if (at == from) {
                    return false;
                }
                at--;
                if (bytes[i] != ANY) {
                    if (Mem.getByte(at) != bytes[i]) {
                        return false;
                    }
                    continue;
                }
                while (at > from && Texts.isContinuation(Mem.getByte(at))) {
                    at--;
                }
            }
            return true;
        }
    }
}

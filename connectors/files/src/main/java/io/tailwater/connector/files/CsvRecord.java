package io.tailwater.connector.files;

import java.util.Arrays;

/**
 * Splits bytes into CSV records and fields (RFC 4180): quoted fields may hold delimiters, line breaks and doubled quotes.
 *
 * <p>Written by hand because a position in a CSV file must be the byte offset of a record, and readers of characters, as the libraries are, cannot tell it.
 * More lenient than the RFC in two ways: lines may end in LF alone, and a quote inside an unquoted field stands for itself.
 *
 * <p>Owned by one thread; holds the last record's fields as index ranges.
 */
final class CsvRecord {
    /** {@link #split}: the bytes end before the record does. */
    static final int INCOMPLETE = -1;
    /** {@link #split}: no record; see {@link #problem}. */
    static final int MALFORMED = -2;

    private static final String OPEN_QUOTE = "a quoted field is not closed";

    private final byte delimiter;
    private int[] starts = new int[16];
    private int[] ends = new int[16];
    private boolean[] quoted = new boolean[16];
    private boolean[] escaped = new boolean[16];
    private int fields;
    private String problem = "";
    private byte[] unescaped = new byte[64];

    CsvRecord(byte delimiter) {
        this.delimiter = delimiter;
    }

    /**
     * Splits the record that begins at {@code from}.
     *
     * @param atEnd whether nothing follows {@code limit} in the file
     * @return index after the record and its line break, or {@link #INCOMPLETE} or {@link #MALFORMED}
     */
    int split(byte[] bytes, int from, int limit, boolean atEnd) {
        fields = 0;
        int at = from;
        while (true) {
            if (fields == starts.length) {
                grow();
            }
            at = at < limit && bytes[at] == '"'
                    ? quotedField(bytes, at + 1, limit, atEnd)
                    : plainField(bytes, at, limit, atEnd);
            if (at < 0) {
                return at;
            }
            if (at == limit) {
                return limit;
            }
            if (bytes[at++] == '\n') {
                return at;
            }
        }
    }

    /** Returns the index of what ends the field: a delimiter, LF or the limit. */
    private int plainField(byte[] bytes, int start, int limit, boolean atEnd) {
        int at = start;
        while (at < limit && bytes[at] != delimiter && bytes[at] != '\n') {
            at++;
        }
        if (at == limit && !atEnd) {
            return INCOMPLETE;
        }
        boolean lineEnds = at == limit || bytes[at] == '\n';
        add(start, lineEnds && at > start && bytes[at - 1] == '\r' ? at - 1 : at, false, false);
        return at;
    }

    private int quotedField(byte[] bytes, int start, int limit, boolean atEnd) {
        boolean doubled = false;
        int at = start;
        while (true) {
            while (at < limit && bytes[at] != '"') {
                at++;
            }
            if (at + 1 < limit && bytes[at + 1] == '"') {
                doubled = true;
                at += 2;
            } else if (at + 1 < limit || (at + 1 == limit && atEnd)) {
                break;
            } else if (!atEnd) {
                return INCOMPLETE;
            } else {
                problem = OPEN_QUOTE;
                return MALFORMED;
            }
        }
        add(start, at, true, doubled);
        int after = at + 1;
        if (after < limit && bytes[after] == '\r') {
            after++;
            if (after == limit && !atEnd) {
                return INCOMPLETE;
            }
            if (after < limit && bytes[after] != '\n') {
                return textAfterQuote();
            }
        }
        if (after == limit || bytes[after] == '\n' || bytes[after] == delimiter) {
            return after;
        }
        return textAfterQuote();
    }

    private int textAfterQuote() {
        problem = "field " + fields + " goes on after its closing quote";
        return MALFORMED;
    }

    private void add(int start, int end, boolean isQuoted, boolean isEscaped) {
        starts[fields] = start;
        ends[fields] = end;
        quoted[fields] = isQuoted;
        escaped[fields] = isEscaped;
        fields++;
    }

    private void grow() {
        int size = starts.length * 2;
        starts = Arrays.copyOf(starts, size);
        ends = Arrays.copyOf(ends, size);
        quoted = Arrays.copyOf(quoted, size);
        escaped = Arrays.copyOf(escaped, size);
    }

    String problem() {
        return problem;
    }

    int fields() {
        return fields;
    }

    /** Index of the field's first byte, its quote aside. */
    int start(int field) {
        return starts[field];
    }

    int end(int field) {
        return ends[field];
    }

    boolean isQuoted(int field) {
        return quoted[field];
    }

    /** Whether the field holds doubled quotes, so that {@link #unescape} is needed. */
    boolean isEscaped(int field) {
        return escaped[field];
    }

    /** Whether the record is an empty line. */
    boolean isBlank() {
        return fields == 1 && !quoted[0] && starts[0] == ends[0];
    }

    /** Undoubles the field's quotes into {@link #unescaped}. Returns the length. */
    int unescape(byte[] bytes, int field) {
        if (unescaped.length < ends[field] - starts[field]) {
            unescaped = new byte[Math.max(unescaped.length * 2, ends[field] - starts[field])];
        }
        int length = 0;
        for (int at = starts[field]; at < ends[field]; at++) {
            unescaped[length++] = bytes[at];
            if (bytes[at] == '"') {
                at++;
            }
        }
        return length;
    }

    byte[] unescaped() {
        return unescaped;
    }
}

package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** CSV: fields are found by the header's names, or by position if there is no header. Owned by one thread. */
final class CsvRecords implements TextSource.Records {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final FileBytes bytes;
    private final CsvRecord record;
    private final byte @Nullable [] nullText;
    private final int fields;
    private final long start;
    /** Per column asked for, its field. */
    private final int[] fieldOf;

    /**
     * Reads the header.
     *
     * @param all columns of the stream
     * @param wanted of them, those to parse, in the order of the batch
     * @throws StreamException if the header lacks a column
     */
    CsvRecords(Path path, FileBytes bytes, FileOptions options, Schema all, List<Integer> wanted) {
        this.bytes = bytes;
        this.record = new CsvRecord(options.delimiter());
        this.nullText = options.nullText() == null ? null : options.nullText().getBytes(StandardCharsets.UTF_8);
        long first = startOfText();
        if (!options.header()) {
            start = first;
            fields = all.size();
            fieldOf = wanted.stream().mapToInt(Integer::intValue).toArray();
            return;
        }
        List<String> names = new ArrayList<>();
        try {
            start = split(first);
            if (start == TextSource.INCOMPLETE) {
                throw new BadRecord(null, "the header's line does not end");
            }
            for (int field = 0; field < record.fields(); field++) {
                names.add(text(field));
            }
        } catch (BadRecord e) {
            throw bytes.malformed(first, e);
        }
        fields = names.size();
        int[] allFields = match(path, all, names);
        fieldOf = wanted.stream().mapToInt(column -> allFields[column]).toArray();
    }

    private long startOfText() {
        int at = bytes.seek(0);
        boolean marked = bytes.limit() - at >= BYTE_ORDER_MARK.length
                && Arrays.equals(bytes.array(), at, at + BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, 3);
        return marked ? BYTE_ORDER_MARK.length : 0;
    }

    private static int[] match(Path path, Schema columns, List<String> names) {
        List<String> lower = names.stream()
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .toList();
        int[] out = new int[columns.size()];
        for (int column = 0; column < out.length; column++) {
            String name = columns.column(column).name();
            int field = names.indexOf(name);
            out[column] = field >= 0 ? field : lower.indexOf(name.toLowerCase(Locale.ROOT));
            if (out[column] < 0) {
                throw new StreamException(
                        ErrorCode.UNDEFINED_COLUMN,
                        "file \"" + path + "\" has no column \"" + name + "\"",
                        -1,
                        "Its header names: " + String.join(", ", names)
                                + ". If it has no header, add header = 'false'.",
                        null);
            }
        }
        return out;
    }

    @Override
    public long start() {
        return start;
    }

    @Override
    public long parse(long position, RowWriter row) throws BadRecord {
        long after = split(position);
        if (after == TextSource.INCOMPLETE) {
            return after;
        }
        if (record.isBlank() && fields > 1) {
            return -after - 1;
        }
        if (record.fields() != fields) {
            throw new BadRecord(null, fields + " fields expected, " + record.fields() + " found");
        }
        byte[] array = bytes.array();
        for (int column = 0; column < fieldOf.length; column++) {
            int field = fieldOf[column];
            int from = record.start(field);
            int to = record.end(field);
            if (!record.isQuoted(field) && (from == to || isNull(array, from, to))) {
                row.setNull(column);
            } else if (record.isQuoted(field) && from == to && row.type(column).kind() != TypeKind.VARCHAR) {
                throw new BadRecord(
                        null,
                        "field " + (field + 1) + " is \"\", which is no "
                                + row.type(column).sql());
            } else if (record.isEscaped(field)) {
                int length = record.unescape(array, field);
                row.text(column, record.unescaped(), 0, length);
            } else {
                row.text(column, array, from, to);
            }
        }
        return after;
    }

    private boolean isNull(byte[] array, int from, int to) {
        return nullText != null && Arrays.equals(array, from, to, nullText, 0, nullText.length);
    }

    /** Splits the record at {@code position}. Returns the position after it, or {@link TextSource#INCOMPLETE}. */
    private long split(long position) throws BadRecord {
        int index = bytes.seek(position);
        while (true) {
            int after = record.split(bytes.array(), index, bytes.limit(), bytes.atEnd());
            if (after >= 0) {
                return bytes.position(after);
            }
            if (after == CsvRecord.MALFORMED) {
                throw new BadRecord(null, record.problem());
            }
            if (bytes.atGrowingEnd()) {
                return TextSource.INCOMPLETE;
            }
            if (!bytes.more(index)) {
                throw new BadRecord(null, "a record is longer than " + FileBytes.MAX_RECORD + " bytes");
            }
            index = 0;
        }
    }

    private String text(int field) {
        if (record.isEscaped(field)) {
            int length = record.unescape(bytes.array(), field);
            return new String(record.unescaped(), 0, length, StandardCharsets.UTF_8);
        }
        return new String(
                bytes.array(), record.start(field), record.end(field) - record.start(field), StandardCharsets.UTF_8);
    }

    /** A record that can be split ends where it ends; one that cannot is given up with its line. */
    @Override
    public long afterBad(long position) {
        try {
            return split(position);
        } catch (BadRecord e) {
            return bytes.afterLine(position);
        }
    }
}

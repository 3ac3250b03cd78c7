package io.tailwater.connector.files;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.tailwater.api.batch.Mem;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * JSON lines: one object a line. Scalars are parsed as the column's type, also when they are strings; a whole number in a TIMESTAMP column is milliseconds
 * since 1970 in UTC; objects and arrays, and whatever else stands in a VARCHAR column, are kept as JSON text. Missing is NULL. Owned by one thread.
 */
final class JsonRecords implements TextSource.Records {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private final FileBytes bytes;
    private final JsonPaths paths;
    private byte[] text = new byte[256];

    /**
     * A parser of some columns.
     *
     * @param all columns of the stream
     * @param wanted of them, those to parse, in the order of the batch
     */
    JsonRecords(FileBytes bytes, Schema all, List<Integer> wanted) {
        this.bytes = bytes;
        this.paths = JsonPaths.of(all, wanted);
    }

    @Override
    public long start() {
        return 0;
    }

    @Override
    public long parse(long position, RowWriter row) throws BadRecord {
        int start = bytes.seek(position);
        int end = start;
        while (true) {
            byte[] array = bytes.array();
            int limit = bytes.limit();
            while (end < limit && array[end] != '\n') {
                end++;
            }
            if (end < limit || bytes.atEnd()) {
                break;
            }
            if (bytes.atGrowingEnd()) {
                return TextSource.INCOMPLETE;
            }
            int scanned = end - start;
            if (!bytes.more(start)) {
                throw new BadRecord(null, "a record is longer than " + FileBytes.MAX_RECORD + " bytes");
            }
            start = 0;
            end = scanned;
        }
        long after = bytes.position(Math.min(end + 1, bytes.limit()));
        int first = start;
        while (first < end && bytes.array()[first] <= ' ' && bytes.array()[first] >= 0) {
            first++;
        }
        if (first == end) {
            return -after - 1;
        }
        object(first, end, row);
        return after;
    }

    private void object(int start, int end, RowWriter row) throws BadRecord {
        byte[] array = bytes.array();
        try (JsonParser parser = FACTORY.createParser(array, start, end - start)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BadRecord(null, "a JSON object is expected");
            }
            fields(parser, paths, row, start);
            if (parser.nextToken() != null) {
                throw new BadRecord(null, "more than one JSON value in a line");
            }
        } catch (JsonProcessingException e) {
            throw new BadRecord(null, "invalid JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            // There is no input or output here: what else Jackson says of bytes in memory is that they are no text.
            throw new BadRecord(null, "invalid JSON: " + e.getMessage());
        }
    }

    private void fields(JsonParser parser, JsonPaths node, RowWriter row, int start) throws IOException, BadRecord {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            JsonPaths child = node.at(parser.currentName());
            parser.nextToken();
            value(parser, child, row, start);
        }
    }

    /** Consumes the value that the parser is at. */
    private void value(JsonParser parser, @Nullable JsonPaths node, RowWriter row, int start)
            throws IOException, BadRecord {
        JsonToken token = parser.currentToken();
        if (node == null) {
            parser.skipChildren();
            return;
        }
        long offset = parser.currentTokenLocation().getByteOffset();
        if (token == JsonToken.START_OBJECT && node.hasFields()) {
            fields(parser, node, row, start);
        } else if (token == JsonToken.START_ARRAY && node.hasElements()) {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                value(parser, node.at(i), row, start);
            }
        } else {
            parser.skipChildren();
        }
        int column = node.column();
        if (column < 0) {
            return;
        }
        if (token == JsonToken.VALUE_NULL) {
            row.setNull(column);
        } else if (token.isStructStart()) {
            structure(parser, row, column, start, (int) offset);
        } else {
            scalar(parser, token, row, column);
        }
    }

    /** The text from byte {@code offset} of the record, which begins at index {@code start}, to where the parser is. */
    private void structure(JsonParser parser, RowWriter row, int column, int start, int offset) throws BadRecord {
        if (row.type(column).kind() != TypeKind.VARCHAR) {
            throw new BadRecord(
                    row.name(column),
                    "a JSON object or array is no " + row.type(column).sql());
        }
        int end = (int) parser.currentLocation().getByteOffset();
        row.text(column, bytes.array(), start + offset, start + end);
    }

    private void scalar(JsonParser parser, JsonToken token, RowWriter row, int column) throws IOException, BadRecord {
        DataType type = row.type(column);
        if (token.isNumeric()) {
            if (type.kind() == TypeKind.TIMESTAMP || type.kind() == TypeKind.TIMESTAMP_LTZ) {
                epochMillis(parser, row, column);
                return;
            }
            if (type.kind().isInteger() && token == JsonToken.VALUE_NUMBER_FLOAT) {
                wholeNumber(parser.getText(), row, column);
                return;
            }
        }
        char[] characters = parser.getTextCharacters();
        int from = parser.getTextOffset();
        int length = parser.getTextLength();
        row.text(column, text, 0, encode(characters, from, length));
    }

    private static void epochMillis(JsonParser parser, RowWriter row, int column) throws IOException, BadRecord {
        try {
            long micros = Math.multiplyExact(new BigDecimal(parser.getText()).longValueExact(), 1000L);
            Mem.putLong(row.out().data(column) + 8L * row.rows(), TextValues.cut(micros, row.type(column)));
            row.wrote(column);
        } catch (ArithmeticException e) {
            throw new BadRecord(row.name(column), "not a time in milliseconds: " + parser.getText());
        }
    }

    /** 5.0 and 1e3 are whole. */
    private static void wholeNumber(String number, RowWriter row, int column) throws BadRecord {
        BigDecimal value = new BigDecimal(number).stripTrailingZeros();
        String plain = value.scale() <= 0 && value.precision() - value.scale() <= 19 ? value.toPlainString() : number;
        byte[] digits = plain.getBytes(StandardCharsets.US_ASCII);
        row.text(column, digits, 0, digits.length);
    }

    /** UTF-16 to UTF-8 in {@link #text}. Returns the length. */
    private int encode(char[] characters, int from, int length) {
        if (text.length < length) {
            text = new byte[Math.max(text.length * 2, length)];
        }
        for (int i = 0; i < length; i++) {
            char c = characters[from + i];
            if (c >= 0x80) {
                byte[] utf8 = new String(characters, from, length).getBytes(StandardCharsets.UTF_8);
                if (text.length < utf8.length) {
                    text = new byte[utf8.length];
                }
                System.arraycopy(utf8, 0, text, 0, utf8.length);
                return utf8.length;
            }
            text[i] = (byte) c;
        }
        return length;
    }

    @Override
    public long afterBad(long position) {
        return bytes.afterLine(position);
    }
}

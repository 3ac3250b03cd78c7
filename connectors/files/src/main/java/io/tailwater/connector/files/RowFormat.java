package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes rows as lines. Owned by one writer. */
sealed interface RowFormat {
    /** What a file begins with. */
    void begin(TextOutput out);

    void row(TextOutput out, ColumnBatch batch, int row);

    /** The format of a stream's file. */
    static RowFormat of(FileOptions options, Schema columns) {
        return options.format() == FileFormat.CSV ? new Csv(options, columns) : new Json(columns);
    }

    /**
     * RFC 4180, but lines end in LF alone. NULL is an empty field, the empty text is quoted, as is what would be taken for NULL or for more than one field.
     */
    final class Csv implements RowFormat {
        private final Schema columns;
        private final boolean header;
        private final byte delimiter;
        private final byte @Nullable [] nullText;

        Csv(FileOptions options, Schema columns) {
            this.columns = columns;
            header = options.header();
            delimiter = options.delimiter();
            nullText = options.nullText() == null ? null : options.nullText().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void begin(TextOutput out) {
            for (int column = 0; header && column < columns.size(); column++) {
                separate(out, column);
                int from = out.length();
                out.put(columns.column(column).name());
                quoteIfNeeded(out, from);
            }
            if (header) {
                out.put('\n');
            }
        }

        @Override
        public void row(TextOutput out, ColumnBatch batch, int row) {
            for (int column = 0; column < batch.columns(); column++) {
                separate(out, column);
                if (!batch.isNull(column, row)) {
                    int from = out.length();
                    out.value(batch, column, row);
                    quoteIfNeeded(out, from);
                }
            }
            out.put('\n');
        }

        private void separate(TextOutput out, int column) {
            if (column > 0) {
                out.put((char) delimiter);
            }
        }

        private void quoteIfNeeded(TextOutput out, int from) {
            byte[] bytes = out.array();
            boolean needed = out.length() == from
                    || (nullText != null && Arrays.equals(bytes, from, out.length(), nullText, 0, nullText.length));
            for (int at = from; at < out.length() && !needed; at++) {
                byte b = bytes[at];
                needed = b == delimiter || b == '"' || b == '\n' || b == '\r';
            }
            if (needed) {
                out.quote(from, (byte) '"');
            }
        }
    }

    /** One object a line, every column in it. Numbers that JSON lacks (NaN, infinities) are strings, as are dates, times and bytes. */
    final class Json implements RowFormat {
        private final byte[][] names;

        Json(Schema columns) {
            names = new byte[columns.size()][];
            for (int column = 0; column < names.length; column++) {
                TextOutput name = new TextOutput();
                name.put(columns.column(column).name());
                name.jsonString(0);
                name.put(':');
                names[column] = Arrays.copyOf(name.array(), name.length());
            }
        }

        @Override
        public void begin(TextOutput out) {
            // A file of lines has no beginning of its own.
        }

        @Override
        public void row(TextOutput out, ColumnBatch batch, int row) {
            for (int column = 0; column < batch.columns(); column++) {
                out.put(column == 0 ? '{' : ',');
                out.put(names[column]);
                if (batch.isNull(column, row)) {
                    out.put("null");
                } else {
                    int from = out.length();
                    out.value(batch, column, row);
                    if (!isBare(batch.type(column), out.last())) {
                        out.jsonString(from);
                    }
                }
            }
            out.put("}\n");
        }

        /** Whether a text of this type is JSON as it is. A floating-point number is if it ends in a digit: NaN and Infinity do not. */
        private static boolean isBare(DataType type, byte last) {
            return switch (type.kind()) {
                case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL -> true;
                case REAL, DOUBLE -> last >= '0' && last <= '9';
                case VARCHAR,
                        VARBINARY,
                        DATE,
                        TIME,
                        TIMESTAMP,
                        TIMESTAMP_LTZ,
                        INTERVAL_DAY_TIME,
                        INTERVAL_YEAR_MONTH,
                        NULL -> false;
            };
        }
    }
}

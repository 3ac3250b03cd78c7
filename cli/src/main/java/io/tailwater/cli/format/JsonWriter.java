package io.tailwater.cli.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;

/** One JSON object for each row, each on a line of its own, so that endless results can be read too. */
final class JsonWriter implements RowWriter {
    private static final JsonFactory FACTORY = new JsonFactory();

    private final List<ResultColumn> columns;
    private final Appendable out;

    JsonWriter(List<ResultColumn> columns, Appendable out) {
        this.columns = columns;
        this.out = out;
    }

    @Override
    public void row(List<@Nullable String> cells) throws IOException {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(line)) {
            json.writeStartObject();
            for (int i = 0; i < cells.size(); i++) {
                json.writeFieldName(columns.get(i).label());
                value(json, columns.get(i), cells.get(i));
            }
            json.writeEndObject();
        }
        out.append(line.getBuffer()).append('\n');
    }

    private static void value(JsonGenerator json, ResultColumn column, @Nullable String cell) throws IOException {
        if (cell == null) {
            json.writeNull();
        } else if (column.isBoolean()) {
            json.writeBoolean(Boolean.parseBoolean(cell));
        } else if (column.isNumber() && Character.isDigit(cell.charAt(cell.length() - 1))) {
            json.writeNumber(cell);
        } else {
            // Text, and NaN and Infinity, for which JSON has no number.
            json.writeString(cell);
        }
    }

    @Override
    public void flush() {
        // Nothing is held back.
    }

    @Override
    public void end() {
        // No footer.
    }
}

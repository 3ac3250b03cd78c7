package io.tailwater.cli.format;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** RFC 4180 with {@code \n} line ends: a header line; NULL is empty and the empty string {@code ""}. */
final class CsvWriter implements RowWriter {
    private final Appendable out;

    CsvWriter(List<ResultColumn> columns, Appendable out) throws IOException {
        this.out = out;
        List<@Nullable String> labels = new ArrayList<>();
        columns.forEach(c -> labels.add(c.label()));
        row(labels);
    }

    @Override
    public void row(List<@Nullable String> cells) throws IOException {
        for (int i = 0; i < cells.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            String cell = cells.get(i);
            if (cell != null) {
                cell(cell);
            }
        }
        out.append('\n');
    }

    private void cell(String text) throws IOException {
        boolean quoted = text.isEmpty();
        for (int i = 0; i < text.length() && !quoted; i++) {
            char c = text.charAt(i);
            quoted = c == ',' || c == '"' || c == '\n' || c == '\r';
        }
        if (quoted) {
            out.append('"').append(text.replace("\"", "\"\"")).append('"');
        } else {
            out.append(text);
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

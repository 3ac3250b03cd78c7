package io.tailwater.cli.format;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Tabs between cells, a header line; NULL is {@code \N}; tab, line ends and backslash are escaped by a backslash. */
final class TsvWriter implements RowWriter {
    private final Appendable out;

    TsvWriter(List<ResultColumn> columns, Appendable out) throws IOException {
        this.out = out;
        List<@Nullable String> labels = new ArrayList<>();
        columns.forEach(c -> labels.add(c.label()));
        row(labels);
    }

    @Override
    public void row(List<@Nullable String> cells) throws IOException {
        for (int i = 0; i < cells.size(); i++) {
            if (i > 0) {
                out.append('\t');
            }
            String cell = cells.get(i);
            out.append(cell == null ? "\\N" : escape(cell));
        }
        out.append('\n');
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
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

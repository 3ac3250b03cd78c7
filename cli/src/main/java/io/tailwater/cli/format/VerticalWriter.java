package io.tailwater.cli.format;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/** One line for each cell, for rows too wide for the screen. */
final class VerticalWriter implements RowWriter {
    private final List<ResultColumn> columns;
    private final Appendable out;
    private final int width;
    private long count;

    VerticalWriter(List<ResultColumn> columns, Appendable out) {
        this.columns = columns;
        this.out = out;
        this.width = columns.stream()
                .mapToInt(c -> DisplayText.width(c.label()))
                .max()
                .orElse(0);
    }

    @Override
    public void row(List<@Nullable String> cells) throws IOException {
        count++;
        String title = "-[ row " + count + " ]";
        out.append(title)
                .append("-".repeat(Math.max(0, width + 10 - title.length())))
                .append('\n');
        for (int i = 0; i < cells.size(); i++) {
            String label = columns.get(i).label();
            out.append(label)
                    .append(" ".repeat(width - DisplayText.width(label)))
                    .append(" |");
            String cell = cells.get(i);
            if (cell != null) {
                out.append(' ').append(DisplayText.printable(cell));
            }
            out.append('\n');
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

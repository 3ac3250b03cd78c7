package io.tailwater.cli.format;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows under a header, in columns as wide as the first rows need. Up to {@link #LOOKAHEAD} rows are held back to learn the widths; wider cells of later
 * rows push the rest of their line to the right.
 */
final class TableWriter implements RowWriter {
    /** The look of a table. */
    enum Style {
        PLAIN,
        MARKDOWN
    }

    private static final int LOOKAHEAD = 1_000;

    private final List<ResultColumn> columns;
    private final Appendable out;
    private final Style style;
    private final boolean live;
    private final List<List<@Nullable String>> held = new ArrayList<>();
    private int @Nullable [] widths;

    TableWriter(List<ResultColumn> columns, Appendable out, Style style, boolean live) {
        this.columns = columns;
        this.out = out;
        this.style = style;
        this.live = live;
    }

    @Override
    public void row(List<@Nullable String> cells) throws IOException {
        List<@Nullable String> shown = new ArrayList<>(cells.size());
        for (String cell : cells) {
            shown.add(cell == null ? null : escape(cell));
        }
        if (widths != null) {
            line(shown, widths);
            return;
        }
        held.add(shown);
        if (live || held.size() >= LOOKAHEAD) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        int[] known = widths;
        if (known == null) {
            known = measure();
            widths = known;
            header(known);
        }
        for (List<@Nullable String> row : held) {
            line(row, known);
        }
        held.clear();
    }

    @Override
    public void end() throws IOException {
        flush();
    }

    private String escape(String cell) {
        String text = DisplayText.printable(cell);
        return style == Style.MARKDOWN ? text.replace("|", "\\|") : text;
    }

    private int[] measure() {
        int[] known = new int[columns.size()];
        for (int i = 0; i < known.length; i++) {
            int least = live ? columns.get(i).usualWidth() : style == Style.MARKDOWN ? 3 : 1;
            known[i] = Math.max(least, DisplayText.width(escape(columns.get(i).label())));
            for (List<@Nullable String> row : held) {
                String cell = row.get(i);
                known[i] = cell == null ? known[i] : Math.max(known[i], DisplayText.width(cell));
            }
        }
        return known;
    }

    private void header(int[] known) throws IOException {
        StringBuilder names = new StringBuilder();
        StringBuilder rule = new StringBuilder();
        for (int i = 0; i < known.length; i++) {
            boolean last = i == known.length - 1;
            String label = escape(columns.get(i).label());
            if (style == Style.MARKDOWN) {
                names.append(i == 0 ? "| " : " | ");
                rule.append(i == 0 ? "| " : " | ");
                pad(names, label, known[i], false, false);
                rule.append("-".repeat(known[i] - 1)).append(columns.get(i).isNumber() ? ':' : '-');
            } else {
                names.append(i == 0 ? " " : " | ");
                pad(names, label, known[i], columns.get(i).isNumber(), last);
                rule.append(i == 0 ? "" : "+").append("-".repeat(known[i] + 2));
            }
        }
        String end = style == Style.MARKDOWN ? " |\n" : "\n";
        out.append(names).append(end).append(rule).append(end);
    }

    private void line(List<@Nullable String> cells, int[] known) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < known.length; i++) {
            boolean markdown = style == Style.MARKDOWN;
            line.append(i > 0 ? " | " : markdown ? "| " : " ");
            String cell = cells.get(i);
            boolean last = !markdown && i == known.length - 1;
            pad(line, cell == null ? "" : cell, known[i], columns.get(i).isNumber(), last);
        }
        out.append(line).append(style == Style.MARKDOWN ? " |\n" : "\n");
    }

    private static void pad(StringBuilder line, String text, int width, boolean right, boolean last) {
        String blanks = " ".repeat(Math.max(0, width - DisplayText.width(text)));
        if (right) {
            line.append(blanks).append(text);
        } else {
            line.append(text).append(last ? "" : blanks);
        }
    }
}

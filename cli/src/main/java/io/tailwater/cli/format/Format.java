package io.tailwater.cli.format;

import java.io.IOException;
import java.util.List;

/** How rows are written; the names are what {@code --format} takes. */
public enum Format {
    TABLE,
    VERTICAL,
    CSV,
    TSV,
    JSON,
    MARKDOWN;

    /**
     * Starts a result on {@code out}, which stays the caller's to close. Writes the header, if the format has one.
     *
     * @param live whether rows are shown as they come, so that no row can wait for the next ones to settle the layout
     */
    public RowWriter writer(List<ResultColumn> columns, Appendable out, boolean live) throws IOException {
        return switch (this) {
            case TABLE -> new TableWriter(columns, out, TableWriter.Style.PLAIN, live);
            case MARKDOWN -> new TableWriter(columns, out, TableWriter.Style.MARKDOWN, live);
            case VERTICAL -> new VerticalWriter(columns, out);
            case CSV -> new CsvWriter(columns, out);
            case TSV -> new TsvWriter(columns, out);
            case JSON -> new JsonWriter(columns, out);
        };
    }
}

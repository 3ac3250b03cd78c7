package io.tailwater.cli.format;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/** Writes the rows of one result: {@link #row} for each, {@link #end} once. Owned by one thread. */
public interface RowWriter {
    /** Writes one row; null is NULL. */
    void row(List<@Nullable String> cells) throws IOException;

    /** Writes out what is held back, so that a reader sees all rows so far. */
    void flush() throws IOException;

    /** Ends the result. */
    void end() throws IOException;
}

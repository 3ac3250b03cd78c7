package io.tailwater.connector.files;

import io.tailwater.api.connector.Options;

import java.nio.file.Path;
import java.util.Locale;

/** How rows are laid out in a file. */
enum FileFormat {
    CSV,
    /** One JSON object a line. */
    JSON,
    PARQUET,
    /** An Arrow IPC file or stream. */
    ARROW;

    /** Records one after the other, so that a file can be read while it grows. */
    boolean isText() {
        return this == CSV || this == JSON;
    }

    /** From the option, else from the path's extension. */
    static FileFormat of(Options options, Path path) {
        String format = options.oneOf("format", java.util.List.of("csv", "json", "parquet", "arrow"));
        if (format != null) {
            return valueOf(format.toUpperCase(Locale.ROOT));
        }
        String name = path.toString().toLowerCase(Locale.ROOT);
        if (name.endsWith(".csv")) {
            return CSV;
        }
        if (name.endsWith(".json") || name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
            return JSON;
        }
        if (name.endsWith(".parquet")) {
            return PARQUET;
        }
        if (name.endsWith(".arrow") || name.endsWith(".feather") || name.endsWith(".arrows")) {
            return ARROW;
        }
        throw new io.tailwater.common.error.StreamException(
                io.tailwater.common.error.ErrorCode.INVALID_PARAMETER_VALUE,
                "cannot tell the format of \"" + path + "\" from its name",
                -1,
                "Add format = 'csv', 'json', 'parquet' or 'arrow' to the WITH clause.",
                null);
    }
}

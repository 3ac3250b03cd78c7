package io.tailwater.connector.files;

import io.tailwater.api.connector.Options;

import java.nio.file.Path;
import java.util.Locale;

/** How rows are laid out in a file. */
enum FileFormat {
    CSV,
    /** One JSON object a line. */
    JSON,
    PARQUET;

    /** From the option, else from the path's extension. */
    static FileFormat of(Options options, Path path) {
        String format = options.oneOf("format", java.util.List.of("csv", "json", "parquet"));
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
        throw new io.tailwater.common.error.StreamException(
                io.tailwater.common.error.ErrorCode.INVALID_PARAMETER_VALUE,
                "cannot tell the format of file \"" + path + "\" from its name",
                -1,
                "Add format = 'csv', 'json' or 'parquet' to the WITH clause.",
                null);
    }
}

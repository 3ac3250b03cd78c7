package io.tailwater.connector.files;

import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Options;
import io.tailwater.api.connector.RateLimit;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a file stream's WITH clause says.
 *
 * @param path as given until the stream is resolved, absolute from then on
 * @param header whether a CSV file begins with column names
 * @param delimiter between CSV fields, an ASCII character
 * @param nullText unquoted CSV field that means NULL besides the empty one, or null
 * @param tail whether files are followed as they grow, and new ones read as they come
 * @param rollRows rows after which a file of a Parquet sink is complete
 * @param rollSeconds seconds after which it is
 * @param skipBad whether malformed records are skipped and counted rather than fatal
 * @param rowsPerSecond at which rows are read, or 0 for no limit
 */
record FileOptions(
        Path path,
        FileFormat format,
        boolean header,
        byte delimiter,
        @Nullable String nullText,
        boolean tail,
        boolean skipBad,
        long rowsPerSecond,
        long rollRows,
        long rollSeconds) {
    static final List<ConnectorOption> DECLARED = List.of(
            new ConnectorOption(
                    "path",
                    true,
                    "data/flights.csv",
                    "A file, a directory or a pattern such as logs/*.csv, relative to the server's directory. A Parquet sink writes files of a directory."),
            new ConnectorOption(
                    "format",
                    false,
                    "csv",
                    "csv, json (one object a line), parquet or arrow (IPC). Default: by the extension."),
            new ConnectorOption("header", false, "true", "Whether a CSV file begins with column names. Default true."),
            new ConnectorOption("delimiter", false, ",", "What separates CSV fields: one character, or \\t for a tab."),
            new ConnectorOption("null", false, "NA", "Unquoted CSV field that means NULL, as the empty one does."),
            new ConnectorOption(
                    "tail",
                    false,
                    "false",
                    "Whether to follow files as they grow, and a directory or pattern as files come."),
            new ConnectorOption(
                    "on_error",
                    false,
                    "fail",
                    "What a malformed record does: fail the query, or skip (counted, and kept in <stream>$errors)."),
            new ConnectorOption(
                    "rows_per_second", false, "1000", "Rows a second. Without it, as fast as they are read."),
            new ConnectorOption(
                    "roll_rows",
                    false,
                    "1000000",
                    "Parquet sink: rows after which a file is complete. Default 1000000."),
            new ConnectorOption(
                    "roll_seconds", false, "10", "Parquet sink: seconds after which a file is complete. Default 10."));

    static FileOptions parse(Map<String, String> with) {
        Options options = new Options(with);
        Path path = path(options.required("path"));
        boolean tail = options.flag("tail", false);
        if (tail && with.containsKey("rows_per_second")) {
            throw new StreamException(
                    ErrorCode.INVALID_PARAMETER_VALUE,
                    "option \"rows_per_second\" is for files that are read once, not for those that are followed",
                    -1,
                    "Leave out tail or rows_per_second.",
                    null);
        }
        FileFormat format = FileFormat.of(options, path);
        if (format != FileFormat.CSV) {
            for (String key : List.of("header", "delimiter", "null")) {
                if (with.containsKey(key)) {
                    throw new StreamException(
                            ErrorCode.INVALID_PARAMETER_VALUE,
                            "option \"" + key + "\" is for format csv only",
                            -1,
                            null,
                            null);
                }
            }
        }
        if (format != FileFormat.PARQUET) {
            for (String key : List.of("roll_rows", "roll_seconds")) {
                if (with.containsKey(key)) {
                    throw new StreamException(
                            ErrorCode.INVALID_PARAMETER_VALUE,
                            "option \"" + key + "\" is for format parquet only",
                            -1,
                            null,
                            null);
                }
            }
        }
        return new FileOptions(
                path,
                format,
                options.flag("header", true),
                delimiter(options.text("delimiter")),
                options.text("null"),
                tail,
                "skip".equals(options.oneOf("on_error", List.of("fail", "skip"))),
                options.number("rows_per_second", 0, 1, RateLimit.MAX_ROWS_PER_SECOND),
                options.number("roll_rows", 1_000_000, 1, 100_000_000),
                options.number("roll_seconds", 10, 1, 86_400));
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw Options.invalid("path", text, "a path", e);
        }
    }

    private static byte delimiter(@Nullable String text) {
        if (text == null) {
            return ',';
        }
        String delimiter = text.equals("\\t") ? "\t" : text;
        if (delimiter.length() != 1 || delimiter.charAt(0) > 0x7E || "\"\r\n".contains(delimiter)) {
            throw Options.invalid("delimiter", text, "one ASCII character other than a quote or a line break", null);
        }
        return (byte) delimiter.charAt(0);
    }
}

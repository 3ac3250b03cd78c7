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
 * @param skipBad whether malformed records are skipped and counted rather than fatal
 * @param rowsPerSecond at which rows are read, or 0 for no limit
 */
record FileOptions(
        Path path,
        FileFormat format,
        boolean header,
        byte delimiter,
        @Nullable String nullText,
        boolean skipBad,
        long rowsPerSecond) {
    static final List<ConnectorOption> DECLARED = List.of(
            new ConnectorOption("path", true, "data/flights.csv", "The file, relative to the server's directory."),
            new ConnectorOption(
                    "format", false, "csv", "csv, json (one object a line) or parquet. Default: by the extension."),
            new ConnectorOption("header", false, "true", "Whether a CSV file begins with column names. Default true."),
            new ConnectorOption("delimiter", false, ",", "What separates CSV fields: one character, or \\t for a tab."),
            new ConnectorOption("null", false, "NA", "Unquoted CSV field that means NULL, as the empty one does."),
            new ConnectorOption("tail", false, "false", "Whether to wait for more at the end of the file."),
            new ConnectorOption(
                    "on_error", false, "fail", "What a malformed record does: fail the query, or skip (and count)."),
            new ConnectorOption(
                    "rows_per_second", false, "1000", "Rows a second. Without it, as fast as they are read."));

    static FileOptions parse(Map<String, String> with) {
        Options options = new Options(with);
        Path path = path(options.required("path"));
        if (options.flag("tail", false)) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "following a file as it grows (tail = true) is not supported yet",
                    -1,
                    "Leave tail out: the file is read to the end that it has when the query starts.",
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
        return new FileOptions(
                path,
                format,
                options.flag("header", true),
                delimiter(options.text("delimiter")),
                options.text("null"),
                "skip".equals(options.oneOf("on_error", List.of("fail", "skip"))),
                options.number("rows_per_second", 0, 1, RateLimit.MAX_ROWS_PER_SECOND));
    }

    private static Path path(String text) {
        if (text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{')) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "file patterns are not supported yet: \"" + text + "\"",
                    -1,
                    "Name one file, and combine several streams with UNION ALL.",
                    null);
        }
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

package io.tailwater.server.bench;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One query of {@code examples/nexmark}, and the statements round it.
 *
 * @param name such as q5
 * @param select its text, one SELECT
 */
record NexmarkQuery(String name, String select) {
    static final String VIEW = "bench_view";
    private static final String SINK = "bench_sink";

    /**
     * Reads a query's file.
     *
     * @throws StreamException 58P01 if there is none
     */
    static NexmarkQuery load(Path directory, String name) {
        Path file = directory.resolve(name + ".sql");
        if (!name.matches("q[0-9]{1,2}[a-z]*") || !Files.isRegularFile(file)) {
            throw new StreamException(
                    ErrorCode.UNDEFINED_FILE,
                    "There is no query '" + name + "' in " + directory + ".",
                    -1,
                    "Queries are " + names(directory) + "; separate several by commas.",
                    null);
        }
        try {
            String text = Files.readString(file, StandardCharsets.UTF_8).strip();
            return new NexmarkQuery(name, text.endsWith(";") ? text.substring(0, text.length() - 1) : text);
        } catch (IOException e) {
            throw new StreamException(ErrorCode.IO_ERROR, "Cannot read " + file + ": " + e.getMessage(), -1, null, e);
        }
    }

    private static String names(Path directory) {
        try (var files = Files.list(directory)) {
            return files.map(f -> f.getFileName().toString())
                    .filter(n -> n.endsWith(".sql"))
                    .map(n -> n.substring(0, n.length() - 4))
                    .sorted()
                    .collect(Collectors.joining(", "));
        } catch (IOException e) {
            return "missing: " + directory + " cannot be read";
        }
    }

    /** The statements that make the three streams of {@code load}. */
    static List<String> streams(NexmarkLoad load) {
        return List.of("bid", "auction", "person").stream()
                .map(kind -> "CREATE STREAM " + kind + " WITH (connector = 'nexmark', kind = '" + kind + "', seed = "
                        + load.seed() + ", rate = " + load.rate() + ", events = " + load.events() + ")")
                .toList();
    }

    /** The statement that makes a sink for rows of the query's {@code schema}, which drops them. */
    static String createSink(Schema schema) {
        return "CREATE STREAM " + SINK + " "
                + schema.columns().stream().map(NexmarkQuery::declare).collect(Collectors.joining(", ", "(", ")"))
                + " WITH (connector = 'blackhole')";
    }

    private static String declare(Column column) {
        return '"' + column.name().replace("\"", "\"\"") + "\" " + column.type();
    }

    String insert() {
        return "INSERT INTO " + SINK + "\n" + select;
    }

    String createView() {
        return "CREATE MATERIALIZED VIEW " + VIEW + " AS\n" + select;
    }
}

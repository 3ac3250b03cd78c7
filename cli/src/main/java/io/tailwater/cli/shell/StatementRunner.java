package io.tailwater.cli.shell;

import io.tailwater.cli.format.CellText;
import io.tailwater.cli.format.Format;
import io.tailwater.cli.format.ResultColumn;
import io.tailwater.cli.format.RowWriter;
import io.tailwater.jdbc.TailwaterStatement;
import org.jspecify.annotations.Nullable;

import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Runs statements and shows what they give: rows to the output, everything else to the messages. Owned by one thread; {@link #cancel} may come from any.
 */
final class StatementRunner {
    private static final Pattern PUSH = Pattern.compile("\\bEMIT\\s+CHANGES\\s*$", Pattern.CASE_INSENSITIVE);
    private static final Pattern COMMENT = Pattern.compile("--[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);

    private final Database database;
    private final PrintStream standardOutput;
    private final PrintStream messages;
    private PrintStream output;
    private Format format;
    private boolean timing;
    private volatile @Nullable Statement running;

    StatementRunner(Database database, PrintStream output, PrintStream messages, Format format) {
        this.database = database;
        this.standardOutput = output;
        this.output = output;
        this.messages = messages;
        this.format = format;
    }

    Database database() {
        return database;
    }

    PrintStream messages() {
        return messages;
    }

    Format format() {
        return format;
    }

    void format(Format wanted) {
        format = wanted;
    }

    /** Turns the time of each statement on or off; returns whether it is on now. */
    boolean toggleTiming() {
        timing = !timing;
        return timing;
    }

    /** Sends rows to a file from now on, or with null to the standard output again. */
    void redirect(@Nullable Path file) throws FileNotFoundException {
        PrintStream target = file == null
                ? standardOutput
                : new PrintStream(new FileOutputStream(file.toFile()), false, StandardCharsets.UTF_8);
        if (output != standardOutput) {
            output.close();
        }
        output = target;
    }

    /** The output was closed by its reader, as by {@code head}: nobody wants more. */
    static final class OutputClosed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Runs one statement and shows its result.
     *
     * @throws OutputClosed if nobody reads the rows any more
     */
    void run(String sql) throws SQLException {
        long started = System.nanoTime();
        try (Statement statement = database.connection().createStatement()) {
            running = statement;
            // The shell passes SQL on as it is: braces belong to the user, not to JDBC.
            statement.setEscapeProcessing(false);
            if (statement.execute(sql)) {
                try (ResultSet rows = statement.getResultSet()) {
                    warnings(statement);
                    rows(rows, isPush(sql));
                }
            } else {
                warnings(statement);
                done(sql, statement);
            }
        } finally {
            running = null;
            if (timing) {
                double millis = Duration.ofNanos(System.nanoTime() - started).toNanos() / 1e6;
                messages.println(String.format(Locale.ROOT, "Time: %.1f ms", millis));
            }
        }
    }

    /** Ends the statement that runs now, if any; returns whether one did. */
    boolean cancel() {
        Statement statement = running;
        if (statement == null) {
            return false;
        }
        try {
            statement.cancel();
        } catch (SQLException e) {
            messages.println("Cannot cancel: " + e.getMessage());
        }
        return true;
    }

    /** Whether a statement is a query that never ends by itself, so that each row must be shown at once. */
    static boolean isPush(String sql) {
        return PUSH.matcher(COMMENT.matcher(sql).replaceAll(" ")).find();
    }

    /** Whether a statement only reads. */
    static boolean isQuery(String sql) {
        String text = words(sql);
        return text.startsWith("SELECT")
                || text.startsWith("SHOW")
                || text.startsWith("DESCRIBE")
                || text.startsWith("EXPLAIN");
    }

    private static String words(String sql) {
        return COMMENT.matcher(sql).replaceAll(" ").strip().toUpperCase(Locale.ROOT);
    }

    private void rows(ResultSet rows, boolean live) throws SQLException {
        List<ResultColumn> columns = ResultColumn.of(rows.getMetaData());
        long count = 0;
        try {
            RowWriter writer = format.writer(columns, output, live);
            if (live) {
                writer.flush();
                flush();
            }
            while (rows.next()) {
                List<@Nullable String> cells = new ArrayList<>(columns.size());
                for (int i = 0; i < columns.size(); i++) {
                    cells.add(CellText.of(rows, i + 1, columns.get(i)));
                }
                writer.row(cells);
                count++;
                if (live || (count & 1023) == 0) {
                    flush();
                }
            }
            writer.end();
            flush();
        } catch (IOException e) {
            throw new UncheckedIOException("a PrintStream does not throw", e);
        }
        messages.println(count == 1 ? "(1 row)" : "(" + count + " rows)");
    }

    private void flush() {
        // checkError flushes.
        if (output.checkError()) {
            throw new OutputClosed();
        }
    }

    private void warnings(Statement statement) throws SQLException {
        String job = jobName(statement);
        for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            // The driver repeats the job's name as a warning for tools that know nothing else.
            if (job == null || !("started job " + job).equals(warning.getMessage())) {
                messages.println("NOTICE: " + warning.getMessage());
            }
        }
    }

    private void done(String sql, Statement statement) throws SQLException {
        String job = jobName(statement);
        if (job != null) {
            messages.println("Started job " + job + ".");
        } else {
            messages.println(CommandTag.of(words(sql), statement.getLargeUpdateCount()));
        }
    }

    private static @Nullable String jobName(Statement statement) throws SQLException {
        return statement.isWrapperFor(TailwaterStatement.class)
                ? statement.unwrap(TailwaterStatement.class).jobName().orElse(null)
                : null;
    }
}

package io.tailwater.cli.shell;

import io.tailwater.cli.format.Format;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;

/** The shell's own commands: lines that begin with a backslash, and {@code help}, {@code quit} and {@code exit}. */
final class MetaCommands {
    /** How deep scripts may run scripts. */
    private static final int MAX_DEPTH = 16;

    private static final String OBJECTS =
            "SELECT table_schema AS \"schema\", table_name AS name, kind FROM information_schema.tables"
                    + " WHERE table_schema NOT IN ('information_schema', 'sys') ORDER BY 1, 2";

    private final StatementRunner runner;
    private int depth;

    MetaCommands(StatementRunner runner) {
        this.runner = runner;
    }

    /** What becomes of the session after a command. */
    enum Outcome {
        DONE,
        FAILED,
        QUIT
    }

    /** Whether a line, where a statement may begin, is a command. */
    static boolean isCommand(String line) {
        String text = line.strip().toLowerCase(Locale.ROOT);
        return text.startsWith("\\")
                || text.equals("help")
                || text.startsWith("help ")
                || text.matches("(quit|exit|help)\\s*;?");
    }

    /** Runs a command; a failure has been told when this returns. */
    Outcome run(String line) {
        String text = line.strip();
        while (text.endsWith(";")) {
            text = text.substring(0, text.length() - 1).strip();
        }
        String[] words = text.split("\\s+", 2);
        String argument = words.length > 1 ? words[1].strip() : "";
        return switch (words[0].toLowerCase(Locale.ROOT)) {
            case "\\q", "quit", "exit" -> Outcome.QUIT;
            case "\\?" -> tell(Help.commands());
            case "help", "\\h" -> tell(argument.isEmpty() ? Help.overview() : Help.statement(argument));
            case "\\d" -> argument.isEmpty() ? statement(OBJECTS) : statement("DESCRIBE " + argument);
            case "\\dt" -> statement("SHOW TABLES");
            case "\\ds" -> statement("SHOW STREAMS");
            case "\\dv" -> statement("SHOW VIEWS");
            case "\\jobs" -> statement("SHOW JOBS");
            case "\\timing" -> tell(runner.toggleTiming() ? "Timing is on." : "Timing is off.");
            case "\\x" -> vertical();
            case "\\format" -> format(argument);
            case "\\o" -> redirect(argument);
            case "\\i" -> include(argument);
            default -> fail("There is no command " + words[0] + "; \\? lists them.");
        };
    }

    private Outcome tell(String text) {
        runner.messages().println(text);
        return Outcome.DONE;
    }

    private Outcome fail(String text) {
        runner.messages().println("ERROR: " + text);
        return Outcome.FAILED;
    }

    private Outcome statement(String sql) {
        try {
            runner.run(sql);
            return Outcome.DONE;
        } catch (SQLException e) {
            boolean lost = runner.database().lost(e);
            runner.messages().println(ErrorText.of(e, null) + (lost ? "\nThe connection is lost." : ""));
            return Outcome.FAILED;
        }
    }

    private Outcome vertical() {
        boolean on = runner.format() != Format.VERTICAL;
        runner.format(on ? Format.VERTICAL : Format.TABLE);
        return tell(on ? "One line for each value." : "Rows in a table.");
    }

    private Outcome format(String name) {
        for (Format format : Format.values()) {
            if (format.name().equals(name.toUpperCase(Locale.ROOT))) {
                runner.format(format);
                return Outcome.DONE;
            }
        }
        return fail("\\format takes one of " + Arrays.toString(Format.values()).toLowerCase(Locale.ROOT));
    }

    private Outcome redirect(String file) {
        try {
            runner.redirect(file.isEmpty() ? null : Path.of(file));
            return Outcome.DONE;
        } catch (FileNotFoundException e) {
            return fail("Cannot write " + e.getMessage());
        }
    }

    private Outcome include(String file) {
        if (file.isEmpty()) {
            return fail("\\i needs the name of a file.");
        }
        if (depth >= MAX_DEPTH) {
            return fail("Scripts run each other " + MAX_DEPTH + " deep; " + file + " is one too many.");
        }
        depth++;
        try (BufferedReader reader = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            return new Script(runner, this).run(reader, file) ? Outcome.DONE : Outcome.FAILED;
        } catch (IOException e) {
            return fail("Cannot read " + file + ": " + FileFailure.reason(e));
        } finally {
            depth--;
        }
    }
}

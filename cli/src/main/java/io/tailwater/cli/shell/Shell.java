package io.tailwater.cli.shell;

import io.tailwater.cli.format.Format;
import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.SQLException;

/** A shell without a user: runs statements and shows what they give, for programs such as the quickstart. Owned by one thread. */
public final class Shell implements AutoCloseable {
    private final Database database;
    private final StatementRunner runner;

    /** A shell that talks to {@code url}; rows go to {@code rows}, everything else to {@code messages}. */
    public Shell(String url, PrintStream rows, PrintStream messages, Format format) {
        this.database = new Database(url);
        this.runner = new StatementRunner(database, rows, messages, format);
    }

    /** Runs one statement. Returns null, or how it failed in words. */
    public @Nullable String run(String sql) {
        try {
            runner.run(sql);
            return null;
        } catch (SQLException e) {
            return ErrorText.of(e, sql);
        }
    }

    /** Runs a script up to the first error, as {@code -f} does. Returns whether all went well; the error has been shown if not. */
    public boolean runScript(String text) {
        try {
            return new Script(runner, new MetaCommands(runner)).run(new BufferedReader(new StringReader(text)), null);
        } catch (IOException e) {
            throw new UncheckedIOException("a string can be read", e);
        }
    }

    @Override
    public void close() {
        try {
            database.close();
        } catch (SQLException e) {
            runner.messages().println(ErrorText.of(e, null));
        }
    }
}

package io.tailwater.cli.shell;

import io.tailwater.cli.format.Format;
import org.jspecify.annotations.Nullable;

import java.io.PrintStream;
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

    @Override
    public void close() {
        try {
            database.close();
        } catch (SQLException e) {
            runner.messages().println(ErrorText.of(e, null));
        }
    }
}

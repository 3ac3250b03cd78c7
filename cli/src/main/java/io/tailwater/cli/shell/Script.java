package io.tailwater.cli.shell;

import io.tailwater.cli.shell.StatementSplitter.Piece;
import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.sql.SQLException;

/** Runs text with many statements and commands, up to the first error. */
final class Script {
    private final StatementRunner runner;
    private final MetaCommands commands;

    Script(StatementRunner runner, MetaCommands commands) {
        this.runner = runner;
        this.commands = commands;
    }

    /**
     * Runs statements as they are read. The last one may lack its semicolon.
     *
     * @param name of a file, to tell where an error is; null for none
     * @return whether all went well; the error has been shown if not
     */
    boolean run(BufferedReader text, @Nullable String name) throws IOException {
        StatementSplitter splitter = new StatementSplitter();
        int number = 0;
        for (String line = text.readLine(); line != null; line = text.readLine()) {
            number++;
            if (splitter.isBlank() && MetaCommands.isCommand(line)) {
                switch (commands.run(line)) {
                    case DONE -> {}
                    case FAILED -> {
                        tellPlace(name, number);
                        return false;
                    }
                    case QUIT -> {
                        return true;
                    }
                }
                // The splitter counts lines too.
                splitter.append("\n");
                continue;
            }
            splitter.append(line + "\n");
            for (Piece piece = splitter.next(); piece != null; piece = splitter.next()) {
                if (!run(piece, name)) {
                    return false;
                }
            }
        }
        Piece last = splitter.rest();
        return last == null || run(last, name);
    }

    private boolean run(Piece piece, @Nullable String name) {
        try {
            runner.run(piece.sql());
            return true;
        } catch (SQLException e) {
            runner.messages().println(ErrorText.of(e, piece.sql()));
            if (runner.database().lost(e)) {
                runner.messages().println("The connection is lost.");
            }
            tellPlace(name, piece.line());
            return false;
        }
    }

    private void tellPlace(@Nullable String name, int line) {
        if (name != null) {
            runner.messages().println("AT:    " + name + ", line " + line);
        }
    }
}

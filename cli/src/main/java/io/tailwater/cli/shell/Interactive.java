package io.tailwater.cli.shell;

import io.tailwater.cli.shell.StatementSplitter.Piece;
import org.jline.reader.EOFError;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;

import java.nio.file.Path;
import java.sql.SQLException;

/** The loop of a shell at a terminal: reads a statement, runs it, and goes on whatever happened. */
final class Interactive {
    private final Terminal terminal;
    private final StatementRunner runner;
    private final MetaCommands commands;
    private final SqlCompleter completer;
    private final LineReader reader;

    Interactive(Terminal terminal, StatementRunner runner, Path history) {
        this.terminal = terminal;
        this.runner = runner;
        this.commands = new MetaCommands(runner);
        this.completer = new SqlCompleter(runner.database());
        this.reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("tailwater")
                .parser(new StatementParser())
                .completer(completer)
                .highlighter(new SqlHighlighter())
                .variable(LineReader.HISTORY_FILE, history)
                .variable(LineReader.HISTORY_SIZE, 10_000)
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, "      -> ")
                .variable(LineReader.INDENTATION, 0)
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.CASE_INSENSITIVE, true)
                .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
                .build();
    }

    /** Runs until the user leaves. */
    void run() {
        terminal.handle(Terminal.Signal.INT, signal -> runner.cancel());
        while (true) {
            String text;
            try {
                text = reader.readLine("tailwater> ");
            } catch (UserInterruptException e) {
                continue;
            } catch (EndOfFileException e) {
                return;
            }
            if (MetaCommands.isCommand(text)) {
                if (commands.run(text) == MetaCommands.Outcome.QUIT) {
                    return;
                }
                continue;
            }
            statements(text);
        }
    }

    private void statements(String text) {
        StatementSplitter splitter = new StatementSplitter();
        splitter.append(text + "\n");
        for (Piece piece = splitter.next(); piece != null; piece = splitter.next()) {
            if (!run(piece.sql())) {
                return;
            }
        }
    }

    /** Runs one statement; a failure is shown and ends what was typed with it, not the session. */
    private boolean run(String sql) {
        try {
            runner.run(sql);
            return true;
        } catch (SQLException e) {
            if ("57014".equals(e.getSQLState())) {
                runner.messages().println("Cancelled.");
                return false;
            }
            runner.messages().println(ErrorText.of(e, sql));
            if (runner.database().lost(e)) {
                reconnect();
            }
            return false;
        } catch (StatementRunner.OutputClosed e) {
            runner.messages().println("The output does not take more.");
            return false;
        } finally {
            if (!StatementRunner.isQuery(sql)) {
                completer.catalogChanged();
            }
        }
    }

    private void reconnect() {
        try {
            runner.database().connection();
            runner.messages().println("The connection was lost and is open again; settings of the session are gone.");
        } catch (SQLException e) {
            runner.messages().println("The connection is lost; the next statement tries to open it again.");
        }
    }

    /** Lets the reader ask for more lines until the statement's semicolon is there. */
    private static final class StatementParser implements Parser {
        private final DefaultParser words = new DefaultParser();

        StatementParser() {
            words.setQuoteChars(new char[0]);
            words.setEscapeChars(new char[0]);
        }

        @Override
        public ParsedLine parse(String line, int cursor, ParseContext context) {
            if (context == ParseContext.ACCEPT_LINE && !complete(line)) {
                throw new EOFError(-1, cursor, "a semicolon is missing");
            }
            return words.parse(line, cursor, ParseContext.COMPLETE);
        }

        private static boolean complete(String text) {
            if (text.isBlank() || MetaCommands.isCommand(text)) {
                return true;
            }
            StatementSplitter splitter = new StatementSplitter();
            splitter.append(text + "\n");
            while (splitter.next() != null) {
                // Only what is left matters.
            }
            return splitter.isBlank();
        }

        @Override
        public boolean isEscapeChar(char ch) {
            return false;
        }
    }
}

package io.tailwater.cli.shell;

import io.tailwater.cli.format.Format;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** The SQL shell: at a terminal it reads statements from the user, else it runs a script. */
@Command(
        name = "sql",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs SQL. Without -e and -f it reads statements from the terminal, or from standard input if that is none.",
            "Rows go to standard output, all else to standard error. Exit codes: 0 fine, 1 SQL or connection error, 2 usage."
        })
public final class SqlCommand implements Callable<Integer> {
    private static final int OUTPUT_BUFFER = 1 << 16;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = {"-u", "--url"},
            paramLabel = "URL",
            description = "Server to talk to: ${DEFAULT-VALUE} unless given.")
    private String url = "jdbc:tailwater://localhost:7480/";

    @Option(
            names = {"-e", "--execute"},
            paramLabel = "SQL",
            description = "Statements to run; the last needs no semicolon. May be repeated.")
    private List<String> statements = new ArrayList<>();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Script to run, after all -e.")
    private @Nullable Path file;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "table, vertical, csv, tsv, json (one object for each row) or markdown; table unless given.")
    private Format format = Format.TABLE;

    @Override
    public Integer call() throws IOException {
        if (spec == null) {
            throw new AssertionError("picocli sets this");
        }
        if (!url.startsWith("jdbc:tailwater:")) {
            throw new ParameterException(
                    spec.commandLine(), "A URL looks like jdbc:tailwater://localhost:7480/, not like '" + url + "'.");
        }
        boolean script = !statements.isEmpty() || file != null;
        PrintStream messages = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        try (Database database = new Database(url)) {
            if (script || !atTerminal()) {
                PrintStream rows = new PrintStream(
                        new java.io.BufferedOutputStream(new FileOutputStream(FileDescriptor.out), OUTPUT_BUFFER),
                        false,
                        StandardCharsets.UTF_8);
                return connects(database, messages) && runScript(new StatementRunner(database, rows, messages, format))
                        ? 0
                        : 1;
            }
            return runInteractive(database, messages);
        } catch (SQLException e) {
            messages.println(ErrorText.of(e, null));
            return 1;
        } catch (StatementRunner.OutputClosed e) {
            return 1;
        }
    }

    /** The launcher sets {@code jdk.console=java.base}, with which newer JDKs still answer null where there is no terminal. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean atTerminal() {
        return System.console() != null;
    }

    private static boolean connects(Database database, PrintStream messages) {
        try {
            database.connection();
            return true;
        } catch (SQLException e) {
            messages.println(ErrorText.of(e, null));
            if (e.getSQLState() != null && e.getSQLState().startsWith("08")) {
                messages.println("HINT:  Start a server with: bin/tailwater standalone --data-dir DIR");
            }
            return false;
        }
    }

    private boolean runScript(StatementRunner runner) throws IOException {
        MetaCommands commands = new MetaCommands(runner);
        Script script = new Script(runner, commands);
        for (String text : statements) {
            if (!script.run(new BufferedReader(new StringReader(text)), null)) {
                return false;
            }
        }
        if (file != null) {
            return commands.run("\\i " + file) == MetaCommands.Outcome.DONE;
        }
        if (!statements.isEmpty()) {
            return true;
        }
        return script.run(
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), "standard input");
    }

    private int runInteractive(Database database, PrintStream messages) throws IOException {
        try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
            if (!connects(database, messages)) {
                return 1;
            }
            PrintStream out = new PrintStream(terminal.output(), true, StandardCharsets.UTF_8);
            out.println("Tailwater at " + url + ". Type help for help, \\q to leave.");
            StatementRunner runner = new StatementRunner(database, out, out, format);
            new Interactive(terminal, runner, Path.of(System.getProperty("user.home"), ".tailwater_history")).run();
            return 0;
        }
    }
}

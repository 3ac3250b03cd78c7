package io.tailwater.cli.quickstart;

import io.tailwater.cli.format.Format;
import io.tailwater.cli.shell.Shell;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** Starts a server, lets a continuous query run over real flights, shows its answer as it changes, and leaves the server to the user. */
@Command(
        name = "quickstart",
        mixinStandardHelpOptions = true,
        description = {
            "Shows Tailwater at work: starts a server in a scratch directory, keeps a view over real flights up to date and prints",
            "it as it changes. Then the server goes on in this terminal until Ctrl-C, to be looked at with bin/tailwater sql."
        })
public final class QuickstartCommand implements Callable<Integer> {
    private static final int STATES = 6;
    private static final long PAUSE_MILLIS = 1_500;
    private static final String STATE =
            "SELECT departures_from, city, flights, average_delay, worst_delay FROM delays\n"
                    + "ORDER BY departures_from DESC, flights DESC, city LIMIT 8";

    @Option(names = "--once", description = "End the server after the last state instead of leaving it to you.")
    private boolean once;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path home = Path.of(System.getProperty("tailwater.home", "."))
                .toAbsolutePath()
                .normalize();
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        out.println("Starting a server in a scratch directory ...");
        try (ServerProcess server = ServerProcess.start(home)) {
            try (Shell shell = new Shell(server.url(), out, out, Format.TABLE)) {
                if (!tour(shell, out, home)) {
                    return 1;
                }
            }
            if (!once) {
                out.println("The server goes on in this terminal; Ctrl-C ends it. Look around from another one:\n");
                out.println("  " + home.resolve("bin/tailwater") + " sql -u " + server.url() + "\n");
                out.println("  SELECT * FROM delays WHERE city = 'Chicago' ORDER BY departures_from;");
                out.println("  SELECT city, worst_delay FROM delays WHERE worst_delay > 300 EMIT CHANGES;");
                out.println("  \\jobs");
                server.await();
            }
            return 0;
        }
    }

    /** Returns whether all went well; if not, the error has been shown. */
    private static boolean tour(Shell shell, PrintStream out, Path home) throws InterruptedException {
        for (String step : steps(home.resolve("examples"))) {
            out.println("\n" + step + ";");
            if (!run(shell, out, step)) {
                return false;
            }
        }
        out.println("\n-- The view answers at once, whenever it is asked, and each time with all flights so far:\n"
                + STATE + ";");
        for (int state = 1; state <= STATES; state++) {
            Thread.sleep(PAUSE_MILLIS);
            out.println("\nDelays by airport in the newest hours, state " + state + " of " + STATES + ":");
            if (!run(shell, out, STATE)) {
                return false;
            }
        }
        out.println();
        return true;
    }

    private static boolean run(Shell shell, PrintStream out, String sql) {
        String error = shell.run(sql);
        if (error != null) {
            out.println(error);
        }
        return error == null;
    }

    private static List<String> steps(Path examples) {
        try (InputStream in = QuickstartCommand.class.getResourceAsStream("quickstart.sql")) {
            if (in == null) {
                throw new AssertionError("quickstart.sql is not packaged");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            String path = examples.toString().replace("'", "''");
            return List.of(text.replace("${examples}", path).strip().split(";\\s*"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}

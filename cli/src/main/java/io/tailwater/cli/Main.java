package io.tailwater.cli;

import io.tailwater.cli.quickstart.QuickstartCommand;
import io.tailwater.cli.shell.SqlCommand;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Entry point of the shell's process. Exit codes: 0 fine, 1 SQL or connection error, 2 usage. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        CommandLine root = new CommandLine(new Root())
                .addSubcommand(new SqlCommand())
                .addSubcommand(new QuickstartCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    command.getErr().println("ERROR: " + failure);
                    return 1;
                });
        String version = Main.class.getPackage().getImplementationVersion();
        String shown = "Tailwater " + (version == null ? "(not packaged)" : version);
        root.getCommandSpec().version(shown);
        root.getSubcommands().values().forEach(c -> c.getCommandSpec().version(shown));
        return root;
    }

    @Command(name = "bin/tailwater", mixinStandardHelpOptions = true, description = "A SQL streaming database.")
    private static final class Root implements Runnable {
        @Spec
        private @Nullable CommandSpec spec;

        @Override
        public void run() {
            if (spec == null) {
                throw new AssertionError("picocli sets this");
            }
            throw new ParameterException(spec.commandLine(), "A command is missing.");
        }
    }
}

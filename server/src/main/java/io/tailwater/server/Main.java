package io.tailwater.server;

import io.tailwater.server.bench.BenchCommand;
import io.tailwater.server.launch.Failures;
import io.tailwater.server.launch.InspectCommand;
import io.tailwater.server.launch.ServerStarter;
import io.tailwater.server.launch.StandaloneCommand;
import io.tailwater.server.launch.VersionCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of the server's process. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        ServerStarter starter = isServer(args) ? new WarmUp(StandaloneServer::start) : StandaloneServer::start;
        System.exit(commandLine(starter, args).execute(args));
    }

    private static boolean isServer(String... args) {
        return args.length > 0 && args[0].equals("standalone");
    }

    /**
     * The commands, over a way to start a server. Exit codes: 0 fine, 1 failed, 2 usage. A server's start is not held up by what the other commands
     * need: they are left out where {@code args} begin with {@code standalone}.
     */
    static CommandLine commandLine(ServerStarter starter, String... args) {
        CommandLine root = new CommandLine(new Root()).addSubcommand(new StandaloneCommand(starter));
        if (!isServer(args)) {
            root.addSubcommand(BenchCommand.commandLine(starter))
                    .addSubcommand(new InspectCommand())
                    .addSubcommand(new VersionCommand());
        }
        root.setExecutionExceptionHandler((failure, command, parsed) -> {
            Failures.print(command.getErr(), failure, null);
            return 1;
        });
        root.getCommandSpec().version(VersionCommand.version());
        root.getSubcommands().values().forEach(c -> c.getCommandSpec().version(VersionCommand.version()));
        return root;
    }

    @Command(name = "bin/tailwater", mixinStandardHelpOptions = true, description = "A SQL streaming database.")
    private static final class Root implements Runnable {
        @picocli.CommandLine.Spec
        private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

        @Override
        public void run() {
            if (spec == null) {
                throw new AssertionError("picocli sets this");
            }
            throw new CommandLine.ParameterException(spec.commandLine(), "A command is missing.");
        }
    }
}

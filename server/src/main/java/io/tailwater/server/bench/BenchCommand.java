package io.tailwater.server.bench;

import io.tailwater.server.launch.ServerStarter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups the benchmarks. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures the engine: bin/tailwater bench nexmark --help, bin/tailwater bench latency --help.")
public final class BenchCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /** The command with its benchmarks. */
    public static CommandLine commandLine(ServerStarter starter) {
        return new CommandLine(new BenchCommand())
                .addSubcommand(new NexmarkCommand(starter))
                .addSubcommand(new LatencyCommand(starter));
    }

    @Override
    public void run() {
        if (spec == null) {
            throw new AssertionError("picocli sets this");
        }
        throw new ParameterException(spec.commandLine(), "Which benchmark? There are: nexmark, latency.");
    }
}

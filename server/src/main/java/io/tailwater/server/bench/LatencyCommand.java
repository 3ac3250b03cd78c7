package io.tailwater.server.bench;

import io.tailwater.common.time.Clock;
import io.tailwater.server.launch.LogSetup;
import io.tailwater.server.launch.ServerStarter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** Measures how long a row takes from a client's append to the view that shows it, at a steady rate. */
@Command(
        name = "latency",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Clients append bids to a stored stream at a steady rate, each append durable (fsync) before it is acknowledged, while a materialized view of a query",
            "of examples/nexmark follows. Prints how long it took from when an append was due until the view showed its rows."
        })
final class LatencyCommand implements Callable<Integer> {
    private final ServerStarter starter;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--query", paramLabel = "Q", description = "A query over bids; ${DEFAULT-VALUE} unless given.")
    private String query = "q5";

    @Option(names = "--rate", paramLabel = "R", description = "Rows a second; ${DEFAULT-VALUE} unless given.")
    private int rate = 100_000;

    @Option(names = "--seconds", paramLabel = "S", description = "Measured time; ${DEFAULT-VALUE} unless given.")
    private int seconds = 20;

    @Option(names = "--warm-up", paramLabel = "S", description = "Seconds before that; ${DEFAULT-VALUE} unless given.")
    private int warmUp = 10;

    @Option(names = "--clients", paramLabel = "C", description = "That append; ${DEFAULT-VALUE} unless given.")
    private int clients = 4;

    @Option(names = "--batch", paramLabel = "N", description = "Rows of an append; ${DEFAULT-VALUE} unless given.")
    private int batch = 1_000;

    @Option(names = "--workers", paramLabel = "W", description = "Worker threads; one for each processor unless given.")
    private int workers;

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    LatencyCommand(ServerStarter starter) {
        this.starter = starter;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (spec == null) {
            throw new AssertionError("picocli sets this");
        }
        if (rate < 1 || seconds < 1 || warmUp < 0 || clients < 1 || batch < 1 || batch > 65_536 || workers < 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--rate, --seconds, --clients and --batch must be at least 1, --batch at most 65536, and nothing negative.");
        }
        PrintWriter out = spec.commandLine().getOut();
        Path scratch = Files.createTempDirectory("tailwater-bench-");
        try {
            LogSetup.configure(NexmarkRun.settings(scratch, workers));
            NexmarkQuery load = NexmarkQuery.load(NexmarkCommand.queryDirectory(), query);
            try (LatencyRun run = new LatencyRun(starter, Clock.SYSTEM, scratch.resolve("data"), workers)) {
                LatencyRun.Latencies result = run.measure(load, rate, batch, clients, warmUp, seconds);
                out.println(json ? result.json() : result.text());
                out.flush();
            }
            return 0;
        } finally {
            LogSetup.stop();
            NexmarkCommand.delete(scratch);
        }
    }
}

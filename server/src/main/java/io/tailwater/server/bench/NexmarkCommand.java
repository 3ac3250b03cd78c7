package io.tailwater.server.bench;

import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.time.Clock;
import io.tailwater.server.launch.Failures;
import io.tailwater.server.launch.LogSetup;
import io.tailwater.server.launch.ServerStarter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Runs Nexmark queries and reports each run on a line; goes on after a query that fails, and then exits 1. */
@Command(
        name = "nexmark",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs queries of the Nexmark suite (examples/nexmark) on a server of its own, in a scratch directory that is removed again.",
            "Each query runs twice: the first run warms up and is reported apart. Times are from the INSERT to the end of the job."
        })
final class NexmarkCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(NexmarkCommand.class);

    private final ServerStarter starter;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--query", split = ",", paramLabel = "Q", description = "Queries, such as q0,q5; q0 unless given.")
    private List<String> queries = new ArrayList<>(List.of("q0"));

    @Option(names = "--events", paramLabel = "N", description = "Events of all kinds; ${DEFAULT-VALUE} unless given.")
    private long events = 1_000_000;

    @Option(names = "--workers", paramLabel = "W", description = "Worker threads; one for each processor unless given.")
    private int workers;

    @Option(names = "--seed", paramLabel = "S", description = "Of the generator; ${DEFAULT-VALUE} unless given.")
    private long seed = 42;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "Events a second of event time; ${DEFAULT-VALUE} unless given.")
    private long rate = 10_000;

    @Option(
            names = "--snapshots",
            split = ",",
            paramLabel = "SPAN",
            description =
                    "How often snapshots are taken, as the setting snapshot.interval says it. Given several, such as off,1s,off,1s, each query runs with one after the other.")
    private List<String> snapshots = new ArrayList<>(List.of(ServerSettings.SNAPSHOT_INTERVAL.defaultText()));

    @Option(
            names = "--verify",
            paramLabel = "DIR",
            description = "Write each query's result to DIR/qN.csv instead of measuring it.")
    private @Nullable Path verify;

    @Option(names = "--json", description = "One JSON object for each run.")
    private boolean json;

    @Option(names = "--explain", description = "Print each query's plan first.")
    private boolean explain;

    NexmarkCommand(ServerStarter starter) {
        this.starter = starter;
    }

    @Override
    public Integer call() throws IOException {
        if (spec == null) {
            throw new AssertionError("picocli sets this");
        }
        if (events < 0 || rate < 1 || workers < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--events and --workers must not be negative, and --rate at least 1.");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Path scratch = Files.createTempDirectory("tailwater-bench-");
        try {
            Path logFile = LogSetup.configure(NexmarkRun.settings(scratch, workers));
            boolean failed = false;
            for (String name : queries) {
                try {
                    for (int i = 0; i < snapshots.size(); i++) {
                        run(name.strip(), snapshots.get(i), scratch.resolve(name.strip() + "-" + i), out);
                    }
                } catch (RuntimeException | Error e) {
                    log.error("{} failed", name, e);
                    err.println(name + " failed.");
                    Failures.print(err, e, null);
                    failed = true;
                }
                out.flush();
            }
            if (failed) {
                keepLog(logFile, err);
            }
            return failed ? 1 : 0;
        } finally {
            LogSetup.stop();
            delete(scratch);
        }
    }

    private void run(String name, String interval, Path dataDir, PrintWriter out) throws IOException {
        NexmarkQuery query = NexmarkQuery.load(queryDirectory(), name);
        NexmarkLoad load = new NexmarkLoad(events, seed, rate);
        try (NexmarkRun run = new NexmarkRun(starter, Clock.SYSTEM, dataDir, workers, interval)) {
            if (snapshots.size() > 1) {
                out.println("snapshots: " + interval);
            }
            if (explain) {
                out.println(run.explain(query, load));
            }
            if (verify != null) {
                ResultText result = run.result(query, load);
                result.write(verify.resolve(name + ".csv"));
                out.println(name + " " + result.rows() + " rows in " + verify.resolve(name + ".csv"));
                return;
            }
            print(run.measure(query, load, true), out);
            print(run.measure(query, load, false), out);
        }
    }

    private void print(Measurement measurement, PrintWriter out) {
        out.println(json ? measurement.json() : measurement.text());
        out.flush();
    }

    static Path queryDirectory() {
        return Path.of(System.getProperty("tailwater.home", ".")).resolve("examples/nexmark");
    }

    private static void keepLog(Path logFile, PrintWriter err) throws IOException {
        Path kept = Files.createTempFile("tailwater-bench-", ".log");
        Files.copy(logFile, kept, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        err.println("LOG:   " + kept);
        err.flush();
    }

    static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(directory)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}

package io.tailwater.server.launch;

import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.settings.Settings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Runs one server in the foreground until a signal ends it. */
@Command(
        name = "standalone",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a server in the foreground. Prints one line with its JDBC URL when it is ready; SIGTERM or Ctrl-C stop it cleanly.",
            "The log is DIR/log/tailwater.log."
        })
public final class StandaloneCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(StandaloneCommand.class);
    private static final int DEFAULT_PORT = 7480;

    private final ServerStarter starter;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--data-dir", paramLabel = "DIR", description = "Where everything is kept; made if missing.")
    private @Nullable Path dataDir;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port of the SQL endpoint, 7480 by default; 0 picks a free one.")
    private @Nullable String port;

    @Option(names = "--config", paramLabel = "FILE", description = "Settings, as in conf/tailwater.properties.")
    private @Nullable Path config;

    @Option(
            names = {"--set", "-D"},
            paramLabel = "KEY=VALUE",
            description = "One setting; wins over the file's. May be repeated.")
    private Map<String, String> given = new LinkedHashMap<>();

    public StandaloneCommand(ServerStarter starter) {
        this.starter = starter;
    }

    @Override
    public Integer call() {
        PrintWriter err = commandLine().getErr();
        Settings settings;
        AtomicReference<@Nullable Path> logFile = new AtomicReference<>();
        try {
            settings = settings();
            if (LogSetup.inDataDirectory(settings)) {
                LogSetup.silence();
            } else {
                begin(settings, logFile);
            }
        } catch (RuntimeException e) {
            Failures.print(err, e, null);
            return 1;
        }
        RunningServer server;
        try {
            server = starter.start(settings, () -> {
                if (logFile.get() == null) {
                    begin(settings, logFile);
                }
            });
        } catch (RuntimeException | Error e) {
            log.error("Start failed", e);
            Failures.print(err, e, logFile.get());
            LogSetup.stop();
            return 1;
        }
        stopOnSignal(server);
        PrintWriter out = commandLine().getOut();
        out.println("Tailwater is ready: " + url(settings, server.port()));
        out.flush();
        log.info("Ready on port {}", server.port());
        waitForSignal();
        return 0;
    }

    private static void begin(Settings settings, AtomicReference<@Nullable Path> logFile) {
        logFile.set(LogSetup.configure(settings));
        log.info(
                "Starting; data directory {}",
                Path.of(settings.get(ServerSettings.DATA_DIR)).toAbsolutePath());
    }

    /** The settings that command line and file ask for together. */
    private Settings settings() {
        Map<String, String> values = new LinkedHashMap<>(given);
        if (dataDir != null) {
            values.put(ServerSettings.DATA_DIR.key(), dataDir.toString());
        }
        if (port != null) {
            values.put(ServerSettings.SQL_PORT.key(), port);
        }
        Settings settings = config == null ? Settings.of(values) : Settings.load(config, values);
        // Whoever moves the main port runs several servers, and the other two ports would clash.
        if (settings.get(ServerSettings.SQL_PORT) != DEFAULT_PORT) {
            for (var other : List.of(ServerSettings.HTTP_PORT, ServerSettings.INTERNAL_PORT)) {
                settings = settings.isGiven(other) ? settings : settings.with(other, "0");
            }
        }
        return settings;
    }

    private static String url(Settings settings, int port) {
        String host = settings.get(ServerSettings.LISTEN_ADDRESS);
        boolean anywhere = host.equals("0.0.0.0") || host.equals("::") || host.isEmpty();
        String shown = anywhere ? "localhost" : host.contains(":") ? "[" + host + "]" : host;
        return "jdbc:tailwater://" + shown + ":" + port + "/";
    }

    /**
     * The JVM ends with 143 or 130 after a signal even if all went well; scripts want 0 for a clean stop. So the hook, which runs for both signals, stops the
     * server and ends the process itself.
     */
    private static void stopOnSignal(RunningServer server) {
        Thread hook = new Thread(
                () -> {
                    int status = 0;
                    try {
                        log.info("Stopping");
                        server.close();
                        log.info("Stopped");
                    } catch (RuntimeException | Error e) {
                        log.error("Did not stop cleanly", e);
                        status = 1;
                    }
                    LogSetup.stop();
                    Runtime.getRuntime().halt(status);
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private static void waitForSignal() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts the main thread", e);
        }
    }

    private picocli.CommandLine commandLine() {
        if (spec == null) {
            throw new AssertionError("picocli sets this");
        }
        return spec.commandLine();
    }
}

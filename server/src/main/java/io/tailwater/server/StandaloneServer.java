package io.tailwater.server;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.snapshot.SnapshotStore;
import io.tailwater.api.storage.MetadataStore;
import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.settings.Settings;
import io.tailwater.common.time.Clock;
import io.tailwater.executor.runtime.PlanOperators;
import io.tailwater.server.catalog.CatalogService;
import io.tailwater.server.catalog.ConnectorRegistry;
import io.tailwater.server.catalog.MetadataCatalogStore;
import io.tailwater.server.control.ApplicationMaster;
import io.tailwater.server.engine.ApplicationEngine;
import io.tailwater.server.flight.FlightEndpoint;
import io.tailwater.server.launch.RunningServer;
import io.tailwater.server.sql.SqlService;
import io.tailwater.server.sql.SqlSessions;
import io.tailwater.server.sql.SystemTables;
import io.tailwater.storage.DataDirectory;
import io.tailwater.storage.file.FileSegmentStore;
import io.tailwater.storage.file.SegmentFormat;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** The whole of Tailwater in one process: the composition root. Thread-safe. */
public final class StandaloneServer implements RunningServer {
    private static final String INSTALLATION_KEY = "/tailwater/installation";

    private final DataDirectory directory;
    private final ApplicationEngine engine;
    private final SqlSessions sessions;
    private final FlightEndpoint endpoint;
    private boolean closed;

    private StandaloneServer(
            DataDirectory directory, ApplicationEngine engine, SqlSessions sessions, FlightEndpoint endpoint) {
        this.directory = directory;
        this.engine = engine;
        this.sessions = sessions;
        this.endpoint = endpoint;
    }

    /** As {@link #start(Settings, Runnable)}, with nothing to do in between. */
    public static StandaloneServer start(Settings settings) {
        return start(settings, () -> {});
    }

    /**
     * Opens the data directory, recovers what was running, and listens.
     *
     * @param owned run once the data directory is this server's alone
     */
    public static StandaloneServer start(Settings settings, Runnable owned) {
        DataDirectory directory =
                DataDirectory.open(Path.of(settings.get(ServerSettings.DATA_DIR)), Clock.SYSTEM, segments(settings));
        try {
            owned.run();
            return start(settings, directory);
        } catch (RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    private static StandaloneServer start(Settings settings, DataDirectory directory) {
        ConnectorRegistry connectors = ConnectorRegistry.installed();
        CatalogService catalog =
                new CatalogService(new MetadataCatalogStore(directory.metadata()), SystemTables.definitions());
        ApplicationEngine engine = new ApplicationEngine(
                options(settings, installation(directory.metadata())),
                directory.streams(),
                directory.applicationLog(ApplicationEngine.APPLICATION),
                snapshots(settings, directory),
                directory.metadata(),
                byName(connectors),
                new PlanOperators(),
                catalog.image(),
                Clock.SYSTEM);
        try {
            catalog.restore(engine);
            SystemTables system =
                    new SystemTables(engine, () -> SystemTables.settingsOf(settings), () -> List.of(node(settings)));
            SqlSessions sessions = new SqlSessions(
                    engine,
                    catalog,
                    connectors,
                    system,
                    new MemoryAccount("statements", memoryBytes(settings)),
                    Path.of("").toAbsolutePath());
            FlightEndpoint endpoint = FlightEndpoint.start(
                    sessions,
                    settings.get(ServerSettings.LISTEN_ADDRESS),
                    settings.get(ServerSettings.SQL_PORT),
                    settings.get(ServerSettings.ZONE));
            return new StandaloneServer(directory, engine, sessions, endpoint);
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    private static SnapshotStore snapshots(Settings settings, DataDirectory directory) {
        String elsewhere = settings.get(ServerSettings.SNAPSHOT_PATH);
        return elsewhere.isEmpty() ? directory.snapshots() : directory.snapshots(Path.of(elsewhere));
    }

    private static FileSegmentStore.Options segments(Settings settings) {
        SegmentFormat format = SegmentFormat.valueOf(
                settings.get(ServerSettings.STORAGE_SEGMENTS).toUpperCase(Locale.ROOT));
        return FileSegmentStore.Options.DEFAULT.with(format).withReserve(settings.get(ServerSettings.STORAGE_RESERVE));
    }

    private static SystemTables.Node node(Settings settings) {
        return new SystemTables.Node(
                "standalone",
                "server",
                true,
                null,
                settings.get(ServerSettings.LISTEN_ADDRESS) + ":" + settings.get(ServerSettings.SQL_PORT),
                ProcessHandle.current().pid(),
                "RUNNING");
    }

    private static Map<String, Connector> byName(ConnectorRegistry connectors) {
        return connectors.all().stream().collect(Collectors.toMap(Connector::name, c -> c));
    }

    /** The name of a data directory, made up when it is first used. */
    private static String installation(MetadataStore metadata) {
        MetadataStore.Operation name = new MetadataStore.Operation.Put(
                INSTALLATION_KEY, UUID.randomUUID().toString());
        metadata.commit(List.of(new MetadataStore.Condition.Absent(INSTALLATION_KEY)), List.of(name));
        return metadata.get(INSTALLATION_KEY).orElseThrow().value();
    }

    private static long memoryBytes(Settings settings) {
        long memory = settings.get(ServerSettings.EXECUTOR_MEMORY);
        return memory > 0 ? memory : machineMemory() / 2;
    }

    private static ApplicationEngine.Options options(Settings settings, String installation) {
        int workers = settings.get(ServerSettings.EXECUTOR_WORKERS);
        return new ApplicationEngine.Options(
                workers > 0 ? workers : Runtime.getRuntime().availableProcessors(),
                memoryBytes(settings),
                settings.get(ServerSettings.FSYNC).equals("all"),
                new ApplicationMaster.Pace(
                        settings.get(ServerSettings.TICK_MIN).toNanos() / 1_000,
                        settings.get(ServerSettings.TICK_TARGET).toNanos()),
                settings.get(ServerSettings.SNAPSHOT_INTERVAL).isZero()
                        ? -1
                        : settings.get(ServerSettings.SNAPSHOT_INTERVAL).toNanos() / 1_000,
                installation);
    }

    private static long machineMemory() {
        return ((com.sun.management.OperatingSystemMXBean)
                        java.lang.management.ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
    }

    @Override
    public int port() {
        return endpoint.port();
    }

    @Override
    public long[] takeTickNanos() {
        return engine.takeTickNanos();
    }

    @Override
    public SqlService sql() {
        return sessions;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            endpoint.close();
            sessions.close();
            engine.close();
            directory.close();
        }
    }
}

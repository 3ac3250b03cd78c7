package io.tailwater.common.settings;

import io.tailwater.common.settings.Setting.Scope;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;

/** All settings of a server. There is a budget of 40: a new one must say why the system cannot decide for itself. */
public final class ServerSettings {
    public static final Setting<String> DATA_DIR = new Setting<>(
            "data.dir",
            new SettingType.Text(),
            "data",
            Scope.PROCESS,
            "Directory that holds everything the server keeps: streams, catalog, logs. One server at a time uses it.");

    public static final Setting<String> LISTEN_ADDRESS = new Setting<>(
            "listen.address",
            new SettingType.Text(),
            "localhost",
            Scope.PROCESS,
            "Name or address of the network interface to listen on. There is no authentication yet: keep it on localhost unless the network is trusted.");

    public static final Setting<Integer> SQL_PORT = new Setting<>(
            "sql.port",
            new SettingType.Whole(0, 65535),
            "7480",
            Scope.PROCESS,
            "Port of the SQL endpoint (Arrow Flight SQL, JDBC); 0 picks a free one, which the ready line names.");

    public static final Setting<Integer> HTTP_PORT = new Setting<>(
            "http.port",
            new SettingType.Whole(0, 65535),
            "7481",
            Scope.PROCESS,
            "Port kept for health, metrics and the console; 0 picks a free one. Nothing listens on it yet.");

    public static final Setting<Integer> INTERNAL_PORT = new Setting<>(
            "internal.port",
            new SettingType.Whole(0, 65535),
            "7482",
            Scope.PROCESS,
            "Port kept for the traffic between the nodes of a cluster; 0 picks a free one. Nothing listens on it yet.");

    public static final Setting<String> LOG_DIR = new Setting<>(
            "log.dir",
            new SettingType.Text(),
            "",
            Scope.PROCESS,
            "Directory of the log file; empty means the directory 'log' under data.dir.");

    public static final Setting<String> LOG_LEVEL = new Setting<>(
            "log.level",
            new SettingType.Choice(List.of("error", "warn", "info", "debug")),
            "info",
            Scope.PROCESS,
            "Least severity that is logged: error, warn, info or debug.");

    public static final Setting<Integer> EXECUTOR_WORKERS = new Setting<>(
            "executor.workers",
            new SettingType.Whole(0, 1024),
            "0",
            Scope.ENGINE,
            "Worker threads that run jobs and queries; 0 means one for each processor. Lower it to leave processors to other programs.");

    public static final Setting<Long> EXECUTOR_MEMORY = new Setting<>(
            "executor.memory",
            new SettingType.Bytes(),
            "0",
            Scope.ENGINE,
            "Memory outside the Java heap for rows and state, such as 4 GB; 0 means half of the machine's memory. A statement that needs more fails.");

    public static final Setting<Duration> TICK_MIN = new Setting<>(
            "tick.min",
            new SettingType.Span(),
            "5 ms",
            Scope.ENGINE,
            "Least time between two ticks when caught up. Longer ticks save processor time, shorter ones show changes sooner.");

    public static final Setting<Duration> TICK_TARGET = new Setting<>(
            "tick.target",
            new SettingType.Span(),
            "100 ms",
            Scope.ENGINE,
            "Time that one tick may take when behind; the engine sizes its input to stay near it.");

    public static final Setting<String> FSYNC = new Setting<>(
            "fsync",
            new SettingType.Choice(List.of("input", "all")),
            "input",
            Scope.ENGINE,
            "What is forced to disk before it counts: 'input' - what clients write, and DDL; results are computed again after a power loss - or 'all' - each tick too.");

    public static final Setting<Duration> SNAPSHOT_INTERVAL = new Setting<>(
            "snapshot.interval",
            new SettingType.SpanOrOff(),
            "1 s",
            Scope.ENGINE,
            "Least time between two snapshots of state, from which a restart goes on; 'off': it reads all input again. Longer spans write less and recover more slowly.");

    public static final Setting<String> SNAPSHOT_PATH = new Setting<>(
            "snapshot.path",
            new SettingType.Text(),
            "",
            Scope.ENGINE,
            "Directory of snapshots, which may lie on a file system that several machines share; empty means the directory 'snapshots' under data.dir.");

    public static final Setting<String> STORAGE_SEGMENTS = new Setting<>(
            "storage.segments",
            new SettingType.Choice(List.of("file", "chronicle")),
            "file",
            Scope.ENGINE,
            "What new segments of streams and logs are made of: 'file' - plain files - or 'chronicle' - Chronicle Queue. Both are always read.");

    public static final Setting<Long> STORAGE_RESERVE = new Setting<>(
            "storage.reserve",
            new SettingType.Bytes(),
            "2 GB",
            Scope.ENGINE,
            "Space on the volume of data.dir below which clients' writes are refused (53100), but not more than a tenth of it. Others on the volume may need more.");

    public static final Setting<ZoneId> ZONE = new Setting<>(
            "zone",
            new SettingType.Zone(),
            "UTC",
            Scope.ENGINE,
            "Time zone of sessions that do not set one; it shows TIMESTAMP WITH LOCAL TIME ZONE.");

    /** In the order of {@code conf/tailwater.properties}. */
    public static final List<Setting<?>> ALL = List.of(
            DATA_DIR,
            LISTEN_ADDRESS,
            SQL_PORT,
            HTTP_PORT,
            INTERNAL_PORT,
            LOG_DIR,
            LOG_LEVEL,
            EXECUTOR_WORKERS,
            EXECUTOR_MEMORY,
            TICK_MIN,
            TICK_TARGET,
            FSYNC,
            SNAPSHOT_INTERVAL,
            SNAPSHOT_PATH,
            STORAGE_SEGMENTS,
            STORAGE_RESERVE,
            ZONE);

    private ServerSettings() {}
}

package io.tailwater.server.sql;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.server.catalog.CatalogService;
import io.tailwater.server.catalog.ConnectorRegistry;
import io.tailwater.server.engine.Engine;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Sessions over one engine and one catalog. Thread-safe. */
public final class SqlSessions implements SqlService, AutoCloseable {
    private final SqlContext context;
    private final ScheduledThreadPoolExecutor timers;

    /**
     * Sessions over these.
     *
     * @param catalog whose images hold {@link SystemTables#definitions()}
     * @param memory for rows on their way between clients and engine
     * @param workingDirectory what relative paths in connector options are relative to
     */
    public SqlSessions(
            Engine engine,
            CatalogService catalog,
            ConnectorRegistry connectors,
            SystemTables systemTables,
            MemoryAccount memory,
            Path workingDirectory) {
        this.context =
                new SqlContext(engine, catalog, connectors, systemTables, new TableLocks(), memory, workingDirectory);
        this.timers = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "statement-timers");
            thread.setDaemon(true);
            return thread;
        });
        // Most statements end long before their time-out: its timer must not stay behind.
        timers.setRemoveOnCancelPolicy(true);
    }

    @Override
    public SqlSession open(String user, String schema, ZoneId zone) {
        return new Session(context, timers, new SessionSettings(schema, zone));
    }

    /** Ends the time-outs. Sessions are closed by those who opened them. */
    @Override
    public void close() {
        timers.shutdownNow();
    }
}

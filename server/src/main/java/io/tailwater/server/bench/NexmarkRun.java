package io.tailwater.server.bench;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.settings.ServerSettings;
import io.tailwater.common.settings.Settings;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Schema;
import io.tailwater.server.launch.RunningServer;
import io.tailwater.server.launch.ServerStarter;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import io.tailwater.server.sql.SqlSession;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs queries on an embedded server with an empty data directory, through a session like any client's. Owned by one thread. */
final class NexmarkRun implements AutoCloseable {
    private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock;
    private final int workers;
    private final RunningServer server;
    private final SqlSession session;

    /**
     * Starts the server.
     *
     * @param workers 0 for one for each processor
     * @param snapshots how often, as the setting takes it
     */
    NexmarkRun(ServerStarter starter, Clock clock, Path dataDir, int workers, String snapshots) {
        this.clock = clock;
        this.workers = workers == 0 ? Runtime.getRuntime().availableProcessors() : workers;
        this.server = starter.start(settings(dataDir, this.workers, snapshots));
        this.session = server.sql().open("", "", ZoneOffset.UTC);
    }

    /** Settings of a server that gets in nobody's way. */
    static Settings settings(Path dataDir, int workers) {
        return settings(dataDir, workers, ServerSettings.SNAPSHOT_INTERVAL.defaultText());
    }

    private static Settings settings(Path dataDir, int workers, String snapshots) {
        Map<String, String> given = new LinkedHashMap<>();
        given.put(ServerSettings.SNAPSHOT_INTERVAL.key(), snapshots);
        given.put(ServerSettings.DATA_DIR.key(), dataDir.toString());
        given.put(ServerSettings.SQL_PORT.key(), "0");
        given.put(ServerSettings.HTTP_PORT.key(), "0");
        given.put(ServerSettings.INTERNAL_PORT.key(), "0");
        given.put(ServerSettings.EXECUTOR_WORKERS.key(), String.valueOf(workers));
        return Settings.of(given);
    }

    /** The plan of a query as EXPLAIN shows it. */
    String explain(NexmarkQuery query, NexmarkLoad load) {
        createStreams(load);
        try {
            StringBuilder out = new StringBuilder();
            for (List<@Nullable Object> row : rows("EXPLAIN " + query.select())) {
                out.append(row.get(0)).append('\n');
            }
            return out.toString();
        } finally {
            dropStreams();
        }
    }

    /** Runs a query into a sink that drops its rows. */
    Measurement measure(NexmarkQuery query, NexmarkLoad load, boolean warmUp) {
        createStreams(load);
        try {
            long planning = clock.nanoTime();
            Schema schema = session.prepare(query.select()).result();
            long planned = clock.nanoTime() - planning;
            execute(NexmarkQuery.createSink(schema));
            ProcessMeter meter = new ProcessMeter(clock);
            server.takeTickNanos();
            meter.start();
            String job = jobName(query);
            // What planning allocates does not grow with the events.
            meter.forgetAllocations();
            execute("WAIT FOR \"" + job + "\" TIMEOUT INTERVAL '10' HOUR");
            ProcessMeter.Usage usage = meter.stop();
            List<Long> ticks = Arrays.stream(server.takeTickNanos()).boxed().toList();
            List<@Nullable Object> status = rows("SELECT rows_out FROM sys.jobs WHERE job_name = '" + job + "'")
                    .get(0);
            execute("DROP JOB \"" + job + "\"");
            execute("DROP STREAM bench_sink");
            return new Measurement(query.name(), warmUp, workers, load, planned, usage, number(status.get(0)), ticks);
        } finally {
            dropStreams();
        }
    }

    /** The whole result of a query, kept by a materialized view. */
    ResultText result(NexmarkQuery query, NexmarkLoad load) {
        createStreams(load);
        try {
            execute(query.createView());
            execute("WAIT FOR " + NexmarkQuery.VIEW + " TIMEOUT INTERVAL '10' HOUR");
            List<ResultText> results = new ArrayList<>();
            read(
                    "SELECT * FROM " + NexmarkQuery.VIEW,
                    schema -> results.add(new ResultText(schema)),
                    batch -> results.get(0).add(batch));
            execute("DROP MATERIALIZED VIEW " + NexmarkQuery.VIEW);
            return results.get(0);
        } finally {
            dropStreams();
        }
    }

    private String jobName(NexmarkQuery query) {
        SqlSession.Outcome outcome = session.execute(query.insert(), List.of(), Duration.ZERO, new CancelSignal());
        if (outcome instanceof SqlSession.Outcome.Done done && done.jobName() != null) {
            return done.jobName();
        }
        throw new AssertionError("INSERT ... SELECT starts a job, but gave " + outcome);
    }

    private void createStreams(NexmarkLoad load) {
        NexmarkQuery.streams(load).forEach(this::execute);
    }

    /** Also drops what a failed query left. */
    private void dropStreams() {
        for (String name : List.of("bid", "auction", "person")) {
            execute("DROP STREAM IF EXISTS " + name + " CASCADE");
        }
        execute("DROP STREAM IF EXISTS bench_sink CASCADE");
    }

    private void execute(String sql) {
        SqlSession.Outcome outcome = session.execute(sql, List.of(), Duration.ZERO, new CancelSignal());
        if (outcome instanceof SqlSession.Outcome.Rows rows) {
            rows.stream().close();
        }
    }

    private List<List<@Nullable Object>> rows(String sql) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        read(sql, schema -> {}, batch -> {
            for (int row = 0; row < batch.rows(); row++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int column = 0; column < batch.columns(); column++) {
                    values.add(Values.get(batch, column, row));
                }
                out.add(values);
            }
        });
        return out;
    }

    private void read(String sql, Consumer<Schema> header, Consumer<ColumnBatch> rows) {
        SqlSession.Outcome outcome = session.execute(sql, List.of(), Duration.ZERO, new CancelSignal());
        if (!(outcome instanceof SqlSession.Outcome.Rows result)) {
            throw new StreamException(ErrorCode.INTERNAL_ERROR, "no rows from: " + sql);
        }
        header.accept(result.schema());
        try (ResultStream stream = result.stream()) {
            while (true) {
                ResultStream.Next next = stream.next(POLL_NANOS);
                if (next instanceof ResultStream.Next.Rows some) {
                    try (ColumnBatch batch = some.batch()) {
                        rows.accept(batch);
                    }
                } else if (next instanceof ResultStream.Next.End) {
                    return;
                }
            }
        }
    }

    private static long number(@Nullable Object value) {
        return value == null ? 0 : ((Number) value).longValue();
    }

    @Override
    public void close() {
        session.close();
        server.close();
    }
}

package io.tailwater.server.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.time.Clock;
import io.tailwater.server.launch.RunningServer;
import io.tailwater.server.launch.ServerStarter;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.SqlService;
import io.tailwater.server.sql.SqlSession;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Clients on an embedded server: each appends a batch when one is due, waits until the view shows it, and notes how long that took since it was due, so that an
 * append that had to wait for the one before counts its wait. Owned by one thread.
 */
final class LatencyRun implements AutoCloseable {
    private static final String WAIT = "WAIT FOR " + NexmarkQuery.VIEW + " TIMEOUT INTERVAL '1' MINUTE";

    private final Clock clock;
    private final RunningServer server;
    private final MemoryAccount memory = MemoryAccount.unlimited("bids");

    LatencyRun(ServerStarter starter, Clock clock, Path dataDir, int workers) {
        this.clock = clock;
        server = starter.start(
                NexmarkRun.settings(dataDir, workers == 0 ? Runtime.getRuntime().availableProcessors() : workers));
    }

    /**
     * What came out.
     *
     * @param nanos per append, ascending
     * @param cpuCores that the process used in the measured time
     */
    @SuppressWarnings("ArrayRecordComponent") // made once, printed, never compared
    record Latencies(String query, long rows, double seconds, double cpuCores, long[] nanos) {
        private double millis(double part) {
            return nanos[(int) ((nanos.length - 1) * part)] / 1e6;
        }

        String text() {
            return String.format(
                    Locale.ROOT,
                    "%-4s %,.0f rows/s for %.1f s in %,d appends, fsync on: append to visible view p50 %.1f, p90 %.1f, p99 %.1f, max %.1f ms, %.2f cores",
                    query,
                    rows / seconds,
                    seconds,
                    nanos.length,
                    millis(0.5),
                    millis(0.9),
                    millis(0.99),
                    millis(1),
                    cpuCores);
        }

        String json() {
            StringWriter text = new StringWriter();
            try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
                json.writeStartObject();
                json.writeStringField("query", query);
                json.writeNumberField("rows_per_s", rows / seconds);
                json.writeNumberField("seconds", seconds);
                json.writeNumberField("appends", nanos.length);
                json.writeNumberField("p50_ms", millis(0.5));
                json.writeNumberField("p90_ms", millis(0.9));
                json.writeNumberField("p99_ms", millis(0.99));
                json.writeNumberField("max_ms", millis(1));
                json.writeNumberField("cores", cpuCores);
                json.writeEndObject();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return text.toString();
        }
    }

    /** Runs warm-up and measurement in one go. */
    Latencies measure(NexmarkQuery query, int rate, int batch, int clients, int warmUp, int seconds)
            throws InterruptedException {
        SqlService sql = server.sql();
        try (SqlSession session = open(sql)) {
            execute(session, Bids.CREATE);
            execute(session, query.createView());
        }
        long start = clock.nanoTime();
        long measured = start + TimeUnit.SECONDS.toNanos(warmUp);
        long end = measured + TimeUnit.SECONDS.toNanos(seconds);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<List<Long>>> results = new ArrayList<>();
            for (int c = 0; c < clients; c++) {
                int client = c;
                results.add(threads.submit(() -> client(sql, client, clients, rate, batch, start, measured, end)));
            }
            waitUntil(measured);
            ProcessMeter meter = new ProcessMeter(clock);
            meter.start();
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> result : results) {
                all.addAll(result.get());
            }
            ProcessMeter.Usage usage = meter.stop();
            if (all.isEmpty()) {
                throw new IllegalStateException("no append was due in the measured time");
            }
            return new Latencies(
                    query.name(),
                    (long) all.size() * batch,
                    usage.wallNanos() / 1e9,
                    (double) usage.cpuNanos() / usage.wallNanos(),
                    all.stream().mapToLong(n -> n).sorted().toArray());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    /** One client: its appends are due in turn with the others'. */
    private List<Long> client(
            SqlService sql, int client, int clients, int rate, int batch, long start, long measured, long end)
            throws InterruptedException {
        List<Long> out = new ArrayList<>();
        Bids bids = new Bids(client);
        long every = TimeUnit.SECONDS.toNanos(1) * batch / rate;
        try (SqlSession session = open(sql)) {
            for (long n = client; ; n += clients) {
                long due = start + n * every;
                if (due >= end) {
                    return out;
                }
                waitUntil(due);
                session.ingest("bid", bids.batch(batch, n * batch, rate, memory), Bids.SCHEMA);
                execute(session, WAIT);
                if (due >= measured) {
                    out.add(clock.nanoTime() - due);
                }
            }
        }
    }

    private void waitUntil(long nanoTime) throws InterruptedException {
        long left = nanoTime - clock.nanoTime();
        if (left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    private static SqlSession open(SqlService sql) {
        return sql.open("", "", ZoneOffset.UTC);
    }

    private static void execute(SqlSession session, String sql) {
        SqlSession.Outcome outcome = session.execute(sql, List.of(), Duration.ZERO, new CancelSignal());
        if (outcome instanceof SqlSession.Outcome.Rows rows) {
            rows.stream().close();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

package io.tailwater.server.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/**
 * One run of one query.
 *
 * @param planNanos to parse, validate and plan, before the clock of {@code usage} starts
 * @param tickNanos how long each tick took
 * @param usage from the INSERT statement to the end of the job; the heap from when that statement returned
 */
record Measurement(
        String query,
        boolean warmUp,
        int workers,
        NexmarkLoad load,
        long planNanos,
        ProcessMeter.Usage usage,
        long rowsOut,
        List<Long> tickNanos) {
    private static final double NANOS = 1e9;

    Measurement {
        tickNanos = tickNanos.stream().sorted().toList();
    }

    double eventsPerSecond() {
        return load.events() / (usage.wallNanos() / NANOS);
    }

    double eventsPerCpuSecond() {
        return load.events() / (usage.cpuNanos() / NANOS);
    }

    double heapBytesPerEvent() {
        return load.events() == 0 ? 0 : (double) usage.allocatedBytes() / load.events();
    }

    /** The tick that {@code percent} of all did not outlast, in milliseconds; 0 if there was none. */
    double tickMillis(int percent) {
        return tickNanos.isEmpty() ? 0 : tickNanos.get((tickNanos.size() - 1) * percent / 100) / 1e6;
    }

    String text() {
        return String.format(
                Locale.ROOT,
                "%-4s %s %,d events: %,.0f events/s, %.2f CPU-s, %,.0f events per CPU-s, %.1f heap bytes per event, peak %,d MiB,"
                        + " %,d rows out, %.2f s, %,d ticks of p50 %.1f, p99 %.1f, max %.1f ms, plan %.0f ms",
                query,
                warmUp ? "warm-up " : "measured",
                load.events(),
                eventsPerSecond(),
                usage.cpuNanos() / NANOS,
                eventsPerCpuSecond(),
                heapBytesPerEvent(),
                usage.peakBytes() >> 20,
                rowsOut,
                usage.wallNanos() / NANOS,
                tickNanos.size(),
                tickMillis(50),
                tickMillis(99),
                tickMillis(100),
                planNanos / 1e6);
    }

    String json() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("query", query);
            json.writeBooleanField("warm_up", warmUp);
            json.writeNumberField("workers", workers);
            json.writeNumberField("events", load.events());
            json.writeNumberField("seed", load.seed());
            json.writeNumberField("rate", load.rate());
            json.writeNumberField("plan_s", planNanos / NANOS);
            json.writeNumberField("wall_s", usage.wallNanos() / NANOS);
            json.writeNumberField("events_per_s", eventsPerSecond());
            json.writeNumberField("cpu_s", usage.cpuNanos() / NANOS);
            json.writeNumberField("events_per_cpu_s", eventsPerCpuSecond());
            json.writeNumberField("heap_bytes_per_event", heapBytesPerEvent());
            json.writeNumberField("peak_bytes", usage.peakBytes());
            json.writeNumberField("rows_out", rowsOut);
            json.writeNumberField("ticks", tickNanos.size());
            json.writeNumberField("tick_p50_ms", tickMillis(50));
            json.writeNumberField("tick_p99_ms", tickMillis(99));
            json.writeNumberField("tick_max_ms", tickMillis(100));
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}

package io.tailwater.connector.nexmark;

import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Options;
import io.tailwater.api.connector.RateLimit;

import java.util.List;
import java.util.Map;

/**
 * What a nexmark stream's WITH clause says.
 *
 * @param rate events a second of event time
 * @param events of all kinds, or {@link #UNBOUNDED}
 * @param rowsPerSecond rows a second of wall time over all splits, or 0 for no limit
 */
record NexmarkOptions(EventKind kind, long seed, long rate, long events, long rowsPerSecond) {
    /** Far enough that no reader gets there, near enough that no arithmetic on event numbers overflows. */
    static final long UNBOUNDED = 1_000_000_000_000_000L;

    static final List<ConnectorOption> DECLARED = List.of(
            new ConnectorOption("kind", true, "bid", "Which events: person, auction or bid."),
            new ConnectorOption("seed", false, "42", "Same seed, same events. Default 42."),
            new ConnectorOption("rate", false, "10000", "Events of all kinds a second of event time. Default 10000."),
            new ConnectorOption(
                    "events",
                    false,
                    "100000",
                    "Events of all kinds before the stream ends. Without it, it never does."),
            new ConnectorOption(
                    "rows_per_second",
                    false,
                    "1000",
                    "Rows a second of wall time. Without it, as fast as they are read."));

    static NexmarkOptions parse(Map<String, String> with) {
        Options options = new Options(with);
        return new NexmarkOptions(
                kind(options.required("kind")),
                options.number("seed", 42, Long.MIN_VALUE, Long.MAX_VALUE),
                options.number("rate", 10_000, 1, 1_000_000_000),
                options.number("events", UNBOUNDED, 0, UNBOUNDED - 1),
                options.number("rows_per_second", 0, 1, RateLimit.MAX_ROWS_PER_SECOND));
    }

    private static EventKind kind(String value) {
        for (EventKind kind : EventKind.values()) {
            if (kind.optionValue().equalsIgnoreCase(value.strip())) {
                return kind;
            }
        }
        throw Options.invalid("kind", value, "person, auction or bid", null);
    }

    boolean bounded() {
        return events != UNBOUNDED;
    }
}

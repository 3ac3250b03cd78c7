package io.tailwater.endtoend.slt;

import java.util.Set;

/** How a script runs on a server. */
enum Way {
    /** Queries are bounded: they read what the statements before them have written. */
    BATCH(Set.of("tailwater", "batch")),
    /** Each query is a materialized view, made as soon as what it names is there, so that all rows come to it as changes. */
    STREAMING(Set.of("tailwater", "streaming")),
    /** As streaming, with a restart of the server after the first statement that writes and before the first query after a write. */
    RESTART(Set.of("tailwater", "streaming", "restart")),
    /** As streaming, with each row of an INSERT inserted by itself. */
    SINGLE(Set.of("tailwater", "streaming", "single"));

    private final Set<String> labels;

    Way(Set<String> labels) {
        this.labels = labels;
    }

    /** What holds for {@code onlyif} and {@code skipif}. */
    Set<String> labels() {
        return labels;
    }

    boolean streams() {
        return this != BATCH;
    }
}

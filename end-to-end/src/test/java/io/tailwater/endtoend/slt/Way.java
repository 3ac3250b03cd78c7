package io.tailwater.endtoend.slt;

import java.util.Set;

/** How a script runs on a server. */
enum Way {
    /** Queries are bounded: they read what the statements before them have written. */
    BATCH("tailwater batch"),
    /** Each query is a materialized view, made as soon as what it names is there, so that all rows come to it as changes. */
    STREAMING("tailwater streaming"),
    /** As streaming, with restarts of the server after statements that write and before queries after a write, each from a snapshot in between. */
    RESTART("tailwater streaming restart"),
    /** As streaming, with each row of an INSERT inserted by itself. */
    SINGLE("tailwater streaming single");

    private final String labels;

    Way(String labels) {
        this.labels = labels;
    }

    /** What holds for {@code onlyif} and {@code skipif}. */
    Set<String> labels() {
        return Set.of(labels.split(" "));
    }

    boolean streams() {
        return this != BATCH;
    }
}

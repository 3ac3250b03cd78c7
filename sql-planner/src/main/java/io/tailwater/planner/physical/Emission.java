package io.tailwater.planner.physical;

/** When a query's rows come out. */
public enum Emission {
    /** Once, after all input: the query ends. */
    BOUNDED,
    /** Every change, as soon as there is one. */
    CHANGES,
    /** Final rows only, when the watermark has passed them. */
    WINDOW_CLOSE
}

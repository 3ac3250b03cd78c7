package io.tailwater.api.plan;

/**
 * Aggregate functions. Except for the counts, NULL inputs are skipped and the result over no input is NULL.
 *
 * <p>{@link #linear()} ones fold a weighted row into an accumulator and take it out again; the others need the group's ordered multiset, unless
 * the input only ever grows.
 */
public enum AggregateFunction {
    /** No argument: rows. One or more: rows in which none is NULL. BIGINT, never NULL. */
    COUNT(true),
    /** Integers: BIGINT, overflow is 22003. DECIMAL(p,s): DECIMAL(38,s). REAL and DOUBLE: DOUBLE, exact whatever the order. */
    SUM(true),
    /** Integers and floats: DOUBLE, computed exactly and rounded once. DECIMAL(p,s): DECIMAL(38, max(s, 6)), half up. */
    AVG(true),
    STDDEV_POP(true),
    STDDEV_SAMP(true),
    VAR_POP(true),
    VAR_SAMP(true),
    BOOL_AND(true),
    BOOL_OR(true),
    MIN(false),
    MAX(false),
    /** (text, separator literal column): in the order of {@link AggregateCall#order}, else by canonical bytes. */
    STRING_AGG(false),
    FIRST_VALUE(false),
    LAST_VALUE(false),
    /** The only value of a scalar sub-query; a second one is 21000. */
    SINGLE_VALUE(false);

    private final boolean linear;

    AggregateFunction(boolean linear) {
        this.linear = linear;
    }

    public boolean linear() {
        return linear;
    }
}

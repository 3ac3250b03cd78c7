package io.tailwater.executor.aggregate;

import io.tailwater.executor.state.Arena;
import org.jspecify.annotations.Nullable;

/** One aggregate call's part of a group row: a few bytes at an offset it was built with, all zero in a new group. Not thread-safe. */
interface Accumulator extends AutoCloseable {
    /** Bytes it takes of each group row, a multiple of 8. */
    int stateBytes();

    /**
     * Folds row {@code i} of the input into group row {@code groups[i]}, {@code counts[i]} times.
     *
     * @param counts null if each row counts once
     */
    void add(AggregateInput input, long[] groups, long @Nullable [] counts);

    /**
     * Computes the call's result for {@code n} groups into the encoded result rows that begin at {@code to}; those are zero.
     *
     * @throws io.tailwater.common.error.StreamException if a result cannot be represented
     */
    void results(long[] groups, int n, long to);

    /** Frees what the group row refers to. */
    default void release(long group, Arena arena) {}

    /** Frees working memory; group rows have been released. */
    @Override
    default void close() {}
}

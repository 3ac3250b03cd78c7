package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.OrderedState;
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

    /** The multisets whose roots its bytes are, if they are: those have parts of their own in snapshots. */
    default @Nullable OrderedState multiset() {
        return null;
    }

    /** Writes its bytes {@code at} in a group row so that another process can read them. */
    default void snapshot(long at, StateWriter out) {
        out.put(at, stateBytes());
    }

    /** Takes over what {@link #snapshot} wrote at {@code from}; what is {@code at} already, if anything, is replaced. Returns the bytes read. */
    default int restore(long from, long at) {
        Mem.copy(from, at, stateBytes());
        return stateBytes();
    }

    /** Frees what the group row refers to. */
    default void release(long group, Arena arena) {}

    /** Frees working memory; group rows have been released. */
    @Override
    default void close() {}
}

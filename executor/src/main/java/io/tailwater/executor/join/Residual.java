package io.tailwater.executor.join;

import io.tailwater.api.batch.ColumnBatch;

/** The part of a join's condition that is not equality of keys. Owned by one operator; not thread-safe. */
@FunctionalInterface
public interface Residual extends AutoCloseable {
    /**
     * Writes the rows of a batch of left ++ right columns for which the condition is TRUE to {@code selection}, in order. Borrows the batch.
     *
     * @return how many rows were written
     */
    int select(ColumnBatch batch, int[] selection);

    @Override
    default void close() {}
}

package io.tailwater.executor.operator;

import io.tailwater.api.batch.ColumnBatch;

/** Where an operator's batches go. */
@FunctionalInterface
public interface Output {
    /** Hands a batch over. The callee owns it, also when it throws. */
    void emit(ColumnBatch batch);
}

package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;

/** How an exchange reaches the other workers of its application (and its own). */
interface Peers {
    /** Hands a batch to worker {@code to}; the callee owns it. */
    void data(int to, int exchange, ColumnBatch batch);

    /** Says that this worker sends nothing more on {@code exchange} in the current tick. */
    void end(int to, int exchange);
}

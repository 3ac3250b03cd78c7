package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.ArrayDeque;
import java.util.List;

/** A result that is there already. Thread-safe. */
final class BatchesResult implements ResultStream {
    private final ArrayDeque<ColumnBatch> batches;
    private boolean cancelled;

    /** @param batches owned */
    BatchesResult(List<ColumnBatch> batches) {
        this.batches = new ArrayDeque<>(batches);
    }

    @Override
    public synchronized Next next(long timeoutNanos) {
        if (cancelled) {
            throw new StreamException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request");
        }
        ColumnBatch batch = batches.poll();
        return batch == null ? new Next.End() : new Next.Rows(batch, 0, Long.MIN_VALUE);
    }

    @Override
    public synchronized void cancel() {
        cancelled = true;
    }

    @Override
    public synchronized void close() {
        BatchRows.close(batches);
    }
}

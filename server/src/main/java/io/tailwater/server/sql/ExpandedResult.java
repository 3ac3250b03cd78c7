package io.tailwater.server.sql;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

/** A result whose batches have no weights: a row of weight three comes three times. {@link #next} is called by one thread. */
final class ExpandedResult implements ResultStream {
    private final ResultStream source;
    private final Schema schema;
    private final MemoryAccount memory;
    private @Nullable ColumnBatch pending;
    private int row;
    /** Copies of {@link #row} that are out already. */
    private long copies;

    private long tick;
    private long watermark;
    private boolean closed;

    ExpandedResult(ResultStream source, Schema schema, MemoryAccount memory) {
        this.source = source;
        this.schema = schema;
        this.memory = memory;
    }

    @Override
    public synchronized Next next(long timeoutNanos) {
        while (true) {
            ColumnBatch from = pending;
            if (from != null) {
                ColumnBatch expanded = expand(from);
                if (expanded.rows() > 0) {
                    return new Next.Rows(expanded, tick, watermark);
                }
                expanded.close();
                continue;
            }
            if (closed) {
                throw new StreamException(ErrorCode.QUERY_CANCELED, "the result is closed");
            }
            Next next = source.next(timeoutNanos);
            if (!(next instanceof Next.Rows rows) || allOnes(rows.batch())) {
                return next;
            }
            pending = rows.batch();
            row = 0;
            copies = 0;
            tick = rows.tick();
            watermark = rows.watermarkMicros();
        }
    }

    private static boolean allOnes(ColumnBatch batch) {
        if (batch.weights() != 0) {
            for (int row = 0; row < batch.rows(); row++) {
                if (batch.weight(row) != 1) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The next rows of {@code from}, at most {@link ColumnBatch#TARGET_ROWS}; gives it up after its last. */
    private ColumnBatch expand(ColumnBatch from) {
        try (BatchBuilder out = new BatchBuilder(schema, ColumnBatch.TARGET_ROWS, false, memory)) {
            out.keepAlive(from);
            int count = 0;
            while (row < from.rows() && count < ColumnBatch.TARGET_ROWS) {
                long weight = from.weight(row);
                if (weight < 0) {
                    throw new AssertionError("a bounded result has a row of weight " + weight);
                }
                if (copies == weight) {
                    row++;
                    copies = 0;
                    continue;
                }
                for (int column = 0; column < schema.size(); column++) {
                    BatchRows.copyValue(from, column, row, out, column, count);
                }
                copies++;
                count++;
            }
            if (row == from.rows()) {
                pending = null;
                from.close();
            }
            return out.finish(count);
        }
    }

    @Override
    public void cancel() {
        source.cancel();
    }

    @Override
    public void close() {
        source.cancel();
        synchronized (this) {
            if (!closed) {
                closed = true;
                ColumnBatch left = pending;
                pending = null;
                if (left != null) {
                    left.close();
                }
                source.close();
            }
        }
    }
}

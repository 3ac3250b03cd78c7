package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A push query's raw changes as rows with an operation, tick by tick: a tick's change is held until its last batch is there. {@link #next} is called by
 * one thread.
 */
final class ChangelogResult implements ResultStream {
    private final ResultStream source;
    private final ChangelogRows rows;
    private final ArrayDeque<Next.Rows> ready = new ArrayDeque<>();
    private final List<ColumnBatch> change = new ArrayList<>();
    private boolean ended;
    private boolean closed;

    ChangelogResult(ResultStream source, ChangelogRows rows) {
        this.source = source;
        this.rows = rows;
    }

    @Override
    public synchronized Next next(long timeoutNanos) {
        while (true) {
            Next.Rows converted = ready.poll();
            if (converted != null) {
                return converted;
            }
            if (closed) {
                throw new StreamException(ErrorCode.QUERY_CANCELED, "the result is closed");
            }
            if (ended) {
                return new Next.End();
            }
            Next next = source.next(timeoutNanos);
            if (next instanceof Next.Rows batch) {
                change.add(batch.batch());
                if (batch.endsTick()) {
                    flush(batch.tick(), batch.watermarkMicros());
                }
            } else if (next instanceof Next.End) {
                if (!change.isEmpty()) {
                    throw new AssertionError("a push query ended within a tick");
                }
                ended = true;
            } else {
                return next;
            }
        }
    }

    private void flush(long tick, long watermark) {
        try {
            rows.convert(change).forEach(batch -> ready.add(new Next.Rows(batch, tick, watermark)));
        } finally {
            BatchRows.close(change);
        }
    }

    @Override
    public void cancel() {
        source.cancel();
    }

    /** Waits for a running {@link #next}, which {@link #cancel} ends at once, before it frees what that one uses. */
    @Override
    public void close() {
        source.cancel();
        synchronized (this) {
            if (!closed) {
                closed = true;
                BatchRows.close(change);
                ready.forEach(left -> left.batch().close());
                ready.clear();
                source.close();
            }
        }
    }
}

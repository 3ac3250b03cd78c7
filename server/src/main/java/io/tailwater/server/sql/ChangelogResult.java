package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A push query's raw changes as rows with an operation, tick by tick. The source makes all batches of a tick available at once, so that a tick is over
 * when the source is quiet or comes with a later one. Only a tick's change is held.
 *
 * <p>{@link #next} is called by one thread.
 */
final class ChangelogResult implements ResultStream {
    private final ResultStream source;
    private final ChangelogRows rows;
    private final ArrayDeque<Next.Rows> ready = new ArrayDeque<>();
    private final List<ColumnBatch> change = new ArrayList<>();
    /** Of {@link #change}. */
    private long tick;

    private long watermark = Long.MIN_VALUE;
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
            if (ended) {
                return new Next.End();
            }
            // With a change at hand the question is only whether more of its tick is there already.
            Next next = source.next(change.isEmpty() ? timeoutNanos : 0);
            if (next instanceof Next.Rows batch) {
                if (batch.tick() != tick) {
                    flush();
                }
                change.add(batch.batch());
                tick = batch.tick();
                watermark = batch.watermarkMicros();
            } else if (next instanceof Next.Quiet quiet) {
                if (change.isEmpty()) {
                    return quiet;
                }
                flush();
            } else {
                flush();
                ended = true;
            }
        }
    }

    private void flush() {
        if (!change.isEmpty()) {
            try {
                rows.convert(change).forEach(batch -> ready.add(new Next.Rows(batch, tick, watermark)));
            } finally {
                BatchRows.close(change);
            }
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
                ended = true;
                BatchRows.close(change);
                ready.forEach(left -> left.batch().close());
                ready.clear();
                source.close();
            }
        }
    }
}

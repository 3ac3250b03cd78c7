package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.sql.ResultStream;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Between a query's thread and its client: a few batches deep, so that a slow reader stops the query and nothing else. Thread-safe; one producer, one
 * consumer.
 */
final class ResultQueue implements ResultStream {
    private static final int CAPACITY = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Next.Rows> rows = new ArrayDeque<>();
    private final Runnable onClose;
    private long tick;
    private long watermark = Long.MIN_VALUE;
    private boolean ended;
    private boolean cancelled;
    private boolean closed;
    private @Nullable StreamException error;

    /** @param onClose told once when the consumer is gone, by cancel or close */
    ResultQueue(Runnable onClose) {
        this.onClose = onClose;
    }

    /** Hands a batch to the client, waiting for room. Owns it. Fails with 57014 once the client is gone. */
    void put(ColumnBatch batch) {
        put(batch, true);
    }

    /** @param endsTick whether no more rows of this tick follow */
    void put(ColumnBatch batch, boolean endsTick) {
        lock.lock();
        try {
            while (rows.size() >= CAPACITY && !gone()) {
                changed.awaitUninterruptibly();
            }
            if (gone()) {
                batch.close();
                throw cancellation();
            }
            rows.add(new Next.Rows(batch, tick, watermark, endsTick));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The query has come this far. */
    void progress(long atTick, long atWatermark) {
        lock.lock();
        try {
            tick = atTick;
            watermark = atWatermark;
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void fail(StreamException cause) {
        lock.lock();
        try {
            if (error == null) {
                error = cause;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean gone() {
        return cancelled || closed;
    }

    static StreamException cancellation() {
        return new StreamException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request");
    }

    @Override
    public Next next(long timeoutNanos) {
        lock.lock();
        try {
            long left = timeoutNanos;
            while (true) {
                if (gone()) {
                    throw cancellation();
                }
                Next.Rows head = rows.poll();
                if (head != null) {
                    changed.signalAll();
                    return head;
                }
                if (error != null) {
                    throw error;
                }
                if (ended) {
                    return new Next.End();
                }
                if (left <= 0) {
                    return new Next.Quiet(tick, watermark);
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cancellation();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void cancel() {
        leave(false);
    }

    @Override
    public void close() {
        leave(true);
    }

    private void leave(boolean close) {
        boolean first;
        lock.lock();
        try {
            first = !gone();
            cancelled |= !close;
            closed |= close;
            rows.forEach(r -> r.batch().close());
            rows.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (first) {
            onClose.run();
        }
    }
}

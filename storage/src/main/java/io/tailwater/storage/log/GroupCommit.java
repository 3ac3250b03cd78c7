package io.tailwater.storage.log;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One thread that syncs for many. Each caller appends its own frame; the thread syncs every partition that has waiting frames once, then completes all
 * of them. When it is idle a frame is synced at once; while it syncs, the next group gathers, so that a slow disk makes groups larger, not
 * queues longer.
 *
 * <p>At most {@link #MAX_WAITING_BYTES} wait for a sync; further appends block until some are through. Thread-safe. Futures complete on the syncing
 * thread: what depends on them may only enqueue.
 */
public final class GroupCommit implements AutoCloseable {
    /** Bound of unsynced bytes that callers may pile up. */
    static final long MAX_WAITING_BYTES = 64L << 20;

    private record Waiting(long frame, long bytes, CompletableFuture<Long> done) {}

    private final Object lock = new Object();
    private final Thread thread;
    private Map<PartitionLog, List<Waiting>> waiting = new LinkedHashMap<>();
    private long waitingBytes;
    private boolean closing;

    public GroupCommit() {
        thread = new Thread(this::run, "group-commit");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Appends a frame and returns when it has reached the operating system.
     *
     * @param body borrowed
     * @return completes with the frame's number once it is durable; fails with the partition's error if that cannot be told, in which case the frame
     *     may or may not be there after a restart
     * @throws StreamException if nothing was appended
     */
    public CompletableFuture<Long> append(PartitionLog log, FrameHeader header, ByteBuffer body) {
        long bytes = body.remaining() + (long) FrameHeader.BYTES;
        synchronized (lock) {
            boolean interrupted = false;
            while (waitingBytes > MAX_WAITING_BYTES && !closing) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    // Bounded by a sync; the interrupt is kept for the caller's own waits.
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (closing) {
                throw new StreamException(ErrorCode.ADMIN_SHUTDOWN, "the server is shutting down");
            }
        }
        long frame = log.append(header, body);
        CompletableFuture<Long> done = new CompletableFuture<>();
        synchronized (lock) {
            if (!closing) {
                enqueue(log, new Waiting(frame, bytes, done));
                return done;
            }
        }
        // Appended, but the thread may have ended: what is appended must not be refused.
        log.sync();
        done.complete(frame);
        return done;
    }

    /** Under the lock. */
    private void enqueue(PartitionLog log, Waiting frame) {
        waiting.computeIfAbsent(log, l -> new ArrayList<>()).add(frame);
        waitingBytes += frame.bytes;
        lock.notifyAll();
    }

    private void run() {
        while (true) {
            Map<PartitionLog, List<Waiting>> group;
            synchronized (lock) {
                while (waiting.isEmpty()) {
                    if (closing) {
                        return;
                    }
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        // Nobody interrupts this thread: close() asks it to end.
                        throw new AssertionError(e);
                    }
                }
                group = waiting;
                waiting = new LinkedHashMap<>();
            }
            group.forEach(this::syncAndComplete);
        }
    }

    private void syncAndComplete(PartitionLog log, List<Waiting> frames) {
        Throwable failure = null;
        try {
            log.sync();
        } catch (RuntimeException | Error e) {
            // Whatever it is, those who wait must hear of it, and the thread goes on for other partitions.
            failure = e;
        }
        long bytes = 0;
        for (Waiting frame : frames) {
            bytes += frame.bytes;
        }
        synchronized (lock) {
            waitingBytes -= bytes;
            lock.notifyAll();
        }
        for (Waiting frame : frames) {
            if (failure == null) {
                frame.done.complete(frame.frame);
            } else {
                frame.done.completeExceptionally(failure);
            }
        }
    }

    /** Syncs and completes what waits, then ends the thread. Appends from now on are refused. */
    @Override
    public void close() {
        synchronized (lock) {
            closing = true;
            lock.notifyAll();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.tailwater.server.engine;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.LongSupplier;

/**
 * Makes the application stand still while the disk is full, and go on where it was once there is room: its threads try what was refused again. Thread-safe.
 */
final class SpaceWait {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceWait.class);
    private static final long RETRY_MILLIS = 200;

    private final Object lock = new Object();
    private @Nullable StreamException reason;
    private int waiting;
    private boolean stopped;

    /**
     * Appends, waiting for room as long as it takes.
     *
     * @param append fails with 53100 if nothing was appended for want of space
     * @throws StreamException what {@code append} throws; its 53100 too once {@link #stop} was called
     */
    long append(LongSupplier append) {
        boolean waits = false;
        try {
            while (true) {
                try {
                    return append.getAsLong();
                } catch (StreamException e) {
                    if (e.code() != ErrorCode.DISK_FULL) {
                        throw e;
                    }
                    pause(e, !waits);
                    waits = true;
                }
            }
        } finally {
            if (waits) {
                goOn();
            }
        }
    }

    private void pause(StreamException e, boolean first) {
        synchronized (lock) {
            if (first) {
                if (waiting++ == 0) {
                    LOG.warn("jobs pause until there is room: {}", e.getMessage());
                }
            }
            reason = e;
            if (stopped) {
                throw e;
            }
            try {
                lock.wait(RETRY_MILLIS);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw e;
            }
        }
    }

    private void goOn() {
        synchronized (lock) {
            if (--waiting == 0) {
                reason = null;
                if (!stopped) {
                    LOG.info("there is room again: jobs go on");
                }
            }
        }
    }

    /** Why the application stands still, or null if it does not. */
    @Nullable String reason() {
        synchronized (lock) {
            return reason == null ? null : "waits for disk space: " + reason.getMessage();
        }
    }

    /** Nobody waits any more: the server goes down. */
    void stop() {
        synchronized (lock) {
            stopped = true;
            lock.notifyAll();
        }
    }
}

package io.tailwater.executor.runtime;

import io.tailwater.api.message.ToWorker;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages to one worker, from its master, its peers and its inputs' wake-ups. Unbounded by itself: what is in it belongs to the tick under way, whose
 * size the master bounds, and the rows are in the application's memory account. Thread-safe; one thread takes.
 */
public final class Mailbox {
    private final ConcurrentLinkedQueue<ToWorker> queue = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Thread sleeper;
    private volatile boolean woken;

    public void put(ToWorker message) {
        queue.add(message);
        wake();
    }

    /** Makes the worker look at its inputs. */
    public void wake() {
        woken = true;
        Thread thread = sleeper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    @Nullable ToWorker poll() {
        return queue.poll();
    }

    /** Waits for a message or a wake-up, at most so long. Returns whether a wake-up came since the last call. */
    boolean await(long nanos) {
        if (!woken && queue.isEmpty()) {
            sleeper = Thread.currentThread();
            // Checked again after announcing the sleep: a put in between would otherwise be missed.
            if (!woken && queue.isEmpty()) {
                LockSupport.parkNanos(this, nanos);
            }
            sleeper = null;
        }
        boolean was = woken;
        woken = false;
        return was;
    }
}

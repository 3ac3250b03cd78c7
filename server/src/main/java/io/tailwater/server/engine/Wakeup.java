package io.tailwater.server.engine;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets one thread wait until something may have changed. A wake-up before the wait is not lost. Thread-safe. */
final class Wakeup {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean pending;

    void wake() {
        lock.lock();
        try {
            pending = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void await(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (!pending && left > 0) {
                left = changed.awaitNanos(left);
            }
            pending = false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}

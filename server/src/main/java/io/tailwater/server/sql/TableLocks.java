package io.tailwater.server.sql;

import io.tailwater.api.catalog.ObjectName;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lines up the statements that evaluate a table at a version and write only if it is still that version, so that they do not spoil each other's tries.
 * Correctness does not rest on this: jobs write without it. Thread-safe.
 */
final class TableLocks {
    private static final long POLL_MILLIS = 20;

    private final ConcurrentMap<ObjectName, ReentrantLock> locks = new ConcurrentHashMap<>();

    /** Runs {@code body} when it is its turn. */
    <T> T inTurn(ObjectName table, StatementGuard guard, Supplier<T> body) {
        ReentrantLock lock = locks.computeIfAbsent(table, name -> new ReentrantLock(true));
        boolean locked = false;
        try {
            while (!locked) {
                guard.check();
                locked = lock.tryLock(POLL_MILLIS, TimeUnit.MILLISECONDS);
            }
            return body.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new io.tailwater.common.error.StreamException(
                    io.tailwater.common.error.ErrorCode.QUERY_CANCELED, "the statement was interrupted", -1, null, e);
        } finally {
            if (locked) {
                lock.unlock();
            }
        }
    }
}

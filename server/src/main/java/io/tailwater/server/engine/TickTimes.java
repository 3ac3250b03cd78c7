package io.tailwater.server.engine;

import java.util.Arrays;

/** How long an application's last ticks took, from the order to run until the result was visible. Bounded: old ones are forgotten. Thread-safe. */
final class TickTimes {
    private static final int LIMIT = 1 << 14;

    private final long[] nanos = new long[LIMIT];
    private long startedAt;
    private int count;
    private int next;

    synchronized void started(long nanoTime) {
        startedAt = nanoTime;
    }

    synchronized void ended(long nanoTime) {
        nanos[next] = nanoTime - startedAt;
        next = (next + 1) % LIMIT;
        count = Math.min(count + 1, LIMIT);
    }

    /** Nanoseconds of the ticks that ended since the last call, the last 16,384 at most; in no order. */
    synchronized long[] take() {
        long[] out = Arrays.copyOf(nanos, count);
        count = 0;
        next = 0;
        return out;
    }
}

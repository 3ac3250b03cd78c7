package io.tailwater.server.sql;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Watches over one statement: ends it when its client cancels or its time is up, and sees to it that whatever goes wrong leaves as a {@link
 * StreamException}. Thread-safe.
 */
final class StatementGuard {
    private static final Logger LOG = LoggerFactory.getLogger(StatementGuard.class);

    private final CancelSignal cancel = new CancelSignal();
    private final Duration timeout;
    private final long startNanos = Clock.SYSTEM.nanoTime();
    private final @Nullable Future<?> timer;
    private volatile boolean timedOut;

    /**
     * @param timeout zero for none
     * @param outer the client's signal
     */
    StatementGuard(Duration timeout, CancelSignal outer, ScheduledExecutorService timers) {
        this.timeout = timeout;
        outer.onCancel(cancel::cancel);
        this.timer = timeout.isZero()
                ? null
                : timers.schedule(
                        () -> {
                            timedOut = true;
                            cancel.cancel();
                        },
                        timeout.toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    /** Fires when the statement is to end, for whichever reason. */
    CancelSignal cancel() {
        return cancel;
    }

    /** The time-out no longer counts: the first row or the effect is there. */
    void disarm() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** What is left of {@code limit} since the statement began. */
    Duration remaining(Duration limit) {
        Duration left = limit.minusNanos(Clock.SYSTEM.nanoTime() - startNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** @throws StreamException 57014 or HYT00 if the statement is to end */
    void check() {
        if (cancel.isCancelled()) {
            throw translate(new StreamException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request"));
        }
    }

    /** Runs a part of the statement. */
    <T> T run(Supplier<T> part) {
        try {
            return part.get();
        } catch (StreamException e) {
            throw translate(e);
        } catch (StackOverflowError e) {
            throw new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX,
                    "the statement is nested too deeply",
                    -1,
                    "Break it up with views, or write long chains of OR as IN.",
                    e);
        } catch (RuntimeException | AssertionError e) {
            LOG.error("A statement failed with an internal error.", e);
            throw new StreamException(
                    ErrorCode.INTERNAL_ERROR,
                    "internal error: " + e,
                    -1,
                    "This is a defect of the server. Its log has the details.",
                    e);
        }
    }

    /** Work that was cancelled because the time was up says so. */
    private StreamException translate(StreamException e) {
        if (timedOut && e.code() == ErrorCode.QUERY_CANCELED) {
            return new StreamException(
                    ErrorCode.TIMEOUT,
                    "canceling statement due to statement timeout (" + timeout.toMillis() + " ms)",
                    -1,
                    "SET statement_timeout, or the client's query time-out, allows more.",
                    e);
        }
        return e;
    }
}

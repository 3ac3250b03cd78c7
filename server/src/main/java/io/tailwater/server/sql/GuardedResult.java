package io.tailwater.server.sql;

/** The outermost layer of every result: ends the time-out with the first row, translates errors, tells when it is closed. */
final class GuardedResult implements ResultStream {
    private final ResultStream source;
    private final StatementGuard guard;
    private final Runnable onClose;

    GuardedResult(ResultStream source, StatementGuard guard, Runnable onClose) {
        this.source = source;
        this.guard = guard;
        this.onClose = onClose;
    }

    @Override
    public Next next(long timeoutNanos) {
        Next next = guard.run(() -> source.next(timeoutNanos));
        if (!(next instanceof Next.Quiet)) {
            guard.disarm();
        }
        return next;
    }

    @Override
    public void cancel() {
        source.cancel();
    }

    @Override
    public void close() {
        guard.disarm();
        try {
            source.close();
        } finally {
            onClose.run();
        }
    }
}

package io.tailwater.server.sql;

import java.util.ArrayDeque;
import java.util.List;

/** Gives the steps it was given, then the end. */
final class ScriptedResult implements ResultStream {
    private final ArrayDeque<Next> steps;
    boolean closed;

    ScriptedResult(List<Next> steps) {
        this.steps = new ArrayDeque<>(steps);
    }

    @Override
    public Next next(long timeoutNanos) {
        Next next = steps.poll();
        return next == null ? new Next.End() : next;
    }

    @Override
    public void cancel() {}

    @Override
    public void close() {
        closed = true;
        for (Next step : steps) {
            if (step instanceof Next.Rows rows) {
                rows.batch().close();
            }
        }
        steps.clear();
    }
}

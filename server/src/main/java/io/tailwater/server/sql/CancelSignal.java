package io.tailwater.server.sql;

import java.util.ArrayList;
import java.util.List;

/** Tells a running statement that nobody wants it any more. Thread-safe. */
public final class CancelSignal {
    private final List<Runnable> listeners = new ArrayList<>();
    private boolean fired;

    /** Fires once; later calls do nothing. */
    public void cancel() {
        List<Runnable> toRun;
        synchronized (this) {
            if (fired) {
                return;
            }
            fired = true;
            toRun = List.copyOf(listeners);
        }
        toRun.forEach(Runnable::run);
    }

    public synchronized boolean isCancelled() {
        return fired;
    }

    /** Runs {@code listener} when this fires, at once if it has. The listener must be short and must not throw. */
    public void onCancel(Runnable listener) {
        synchronized (this) {
            if (!fired) {
                listeners.add(listener);
                return;
            }
        }
        listener.run();
    }
}

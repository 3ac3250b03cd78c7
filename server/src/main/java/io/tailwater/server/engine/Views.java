package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.view.DeltaConsolidator;
import io.tailwater.executor.view.ViewSpine;
import io.tailwater.server.control.Command;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The content of all views (and keyed tables) of an application, always at one tick. Workers hand in their shares as they build them, the loop publishes a
 * tick for all at once, readers pin a tick for as many views as they like. Thread-safe.
 */
final class Views {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ObjectName, View> views = new HashMap<>();
    private long tick;
    private List<Command.Progress> progress = List.of();

    /** A worker's share of a view begins. */
    void add(ObjectName name, ViewSink share) {
        lock.lock();
        try {
            View view = views.computeIfAbsent(name, n -> new View());
            view.failure = null;
            view.shares.add(share);
            view.shares.sort(Comparator.comparingInt(ViewSink::worker));
        } finally {
            lock.unlock();
        }
    }

    /** A worker's share ends. */
    void remove(ObjectName name, ViewSink share) {
        lock.lock();
        try {
            View view = views.get(name);
            if (view != null && view.shares.remove(share) && view.shares.isEmpty() && view.failure == null) {
                views.remove(name);
                view.subscriptions.forEach(s -> s.fail(new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, name + " was dropped while it was read")));
            }
        } finally {
            lock.unlock();
        }
    }

    /** The view's job failed: readers get its error until it is dropped. */
    void fail(ObjectName name, StreamException cause) {
        lock.lock();
        try {
            View view = views.computeIfAbsent(name, n -> new View());
            view.failure = cause;
            view.subscriptions.forEach(s -> s.fail(cause));
            view.subscriptions.clear();
        } finally {
            lock.unlock();
        }
    }

    void forget(ObjectName name) {
        lock.lock();
        try {
            View view = views.get(name);
            if (view != null && view.shares.isEmpty()) {
                views.remove(name);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes a tick visible in all views. Called between ticks, when no worker changes any. */
    void publish(long number, List<Command.Progress> jobs) {
        lock.lock();
        try {
            tick = number;
            progress = jobs;
            for (View view : views.values()) {
                List<ColumnBatch> delta = new ArrayList<>();
                for (ViewSink share : view.shares) {
                    delta.addAll(share.publish(number, !view.subscriptions.isEmpty()));
                }
                for (Subscription subscription : view.subscriptions) {
                    subscription.offer(delta);
                }
                delta.forEach(ColumnBatch::close);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Pins the named views at the published tick, and subscribes to what comes after if asked. */
    Pinned pin(List<ObjectName> names, boolean subscribe) {
        lock.lock();
        try {
            Pinned out = new Pinned(tick, progress, new HashMap<>(), new HashMap<>());
            try {
                for (ObjectName name : names) {
                    if (!out.snapshots.containsKey(name)) {
                        pin(name, subscribe, out);
                    }
                }
            } catch (RuntimeException | Error e) {
                out.close();
                throw e;
            }
            return out;
        } finally {
            lock.unlock();
        }
    }

    private void pin(ObjectName name, boolean subscribe, Pinned out) {
        View view = views.get(name);
        if (view == null) {
            throw new StreamException(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, name + " is not running");
        }
        if (view.failure != null) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    name + " has failed: " + view.failure.getMessage(),
                    -1,
                    "Drop it, mend the cause, and create it again.",
                    view.failure);
        }
        List<ViewSpine.Snapshot> snapshots = new ArrayList<>();
        out.snapshots.put(name, snapshots);
        for (ViewSink share : view.shares) {
            snapshots.add(share.snapshot());
        }
        if (subscribe) {
            Subscription subscription = new Subscription(view.shares.isEmpty() ? null : view.shares.get(0).consolidator());
            view.subscriptions.add(subscription);
            out.subscriptions.put(name, subscription);
        }
    }

    /** What each subscribed view has published since the last call, all up to the same tick; the caller owns the batches. */
    Map<ObjectName, List<ColumnBatch>> takeAll(Map<ObjectName, Subscription> subscriptions) {
        lock.lock();
        try {
            Map<ObjectName, List<ColumnBatch>> out = new HashMap<>();
            subscriptions.forEach((name, subscription) -> out.put(name, subscription.take()));
            return out;
        } finally {
            lock.unlock();
        }
    }

    long tick() {
        lock.lock();
        try {
            return tick;
        } finally {
            lock.unlock();
        }
    }

    void unsubscribe(ObjectName name, Subscription subscription) {
        lock.lock();
        try {
            View view = views.get(name);
            if (view != null) {
                view.subscriptions.remove(subscription);
            }
        } finally {
            lock.unlock();
        }
        subscription.close();
    }

    private static final class View {
        private final List<ViewSink> shares = new ArrayList<>();
        private final List<Subscription> subscriptions = new ArrayList<>();
        private @Nullable StreamException failure;
    }

    /** Views pinned at one tick, and how far the jobs were then. */
    record Pinned(
            long tick,
            List<Command.Progress> progress,
            Map<ObjectName, List<ViewSpine.Snapshot>> snapshots,
            Map<ObjectName, Subscription> subscriptions)
            implements AutoCloseable {
        @Override
        public void close() {
            snapshots.values().forEach(list -> list.forEach(ViewSpine.Snapshot::close));
            snapshots.clear();
        }
    }

    /** Changes of one view that one push query has yet to take. Thread-safe. */
    static final class Subscription {
        /** More batches than this are netted into fewer: what waits for a slow reader stays below the size of the view and its change. */
        private static final int MOST_PENDING = 512;

        private final @Nullable DeltaConsolidator consolidator;
        private List<ColumnBatch> pending = new ArrayList<>();
        private int limit = MOST_PENDING;
        private @Nullable StreamException failure;
        private Runnable listener = () -> {};
        private boolean closed;

        Subscription(@Nullable DeltaConsolidator consolidator) {
            this.consolidator = consolidator;
        }

        void onChange(Runnable wakeup) {
            synchronized (this) {
                listener = wakeup;
            }
            wakeup.run();
        }

        private void offer(List<ColumnBatch> delta) {
            Runnable wakeup;
            synchronized (this) {
                if (closed) {
                    return;
                }
                delta.forEach(b -> pending.add(b.retain()));
                if (pending.size() > limit && consolidator != null) {
                    pending.forEach(consolidator::add);
                    pending = new ArrayList<>(consolidator.take());
                    limit = Math.max(MOST_PENDING, 2 * pending.size());
                }
                wakeup = listener;
            }
            wakeup.run();
        }

        private void fail(StreamException cause) {
            Runnable wakeup;
            synchronized (this) {
                failure = cause;
                wakeup = listener;
            }
            wakeup.run();
        }

        /** What has come since the last call; the caller owns the batches. */
        synchronized List<ColumnBatch> take() {
            if (failure != null) {
                throw failure;
            }
            List<ColumnBatch> out = pending;
            pending = new ArrayList<>();
            return out;
        }

        private synchronized void close() {
            closed = true;
            pending.forEach(ColumnBatch::close);
            pending.clear();
            if (consolidator != null) {
                consolidator.close();
            }
        }
    }
}

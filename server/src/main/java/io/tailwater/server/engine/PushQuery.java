package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.JobInstance;
import io.tailwater.executor.runtime.OperatorFactory;
import io.tailwater.executor.runtime.ViewProjection;
import io.tailwater.executor.view.DeltaConsolidator;
import io.tailwater.executor.view.ViewSpine;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * SELECT ... EMIT CHANGES: a private, unlogged run of the plan on a thread of its own, fed by the changes that views publish and streams show. First the
 * current answer, then every change, net per step, in order. Its client's pace slows this thread only.
 */
final class PushQuery implements Runnable {
    private static final long READ_ROWS = 1 << 14;
    private static final long LOOK_NANOS = 500_000_000;

    private final PlanNode plan;
    private final ZoneId zone;
    private final CatalogImage catalog;
    private final QueryInputs inputs;
    private final Views views;
    private final OperatorFactory operators;
    private final MemoryAccount memory;
    private final Clock clock;
    private final ResultQueue queue;
    private final Wakeup wakeup = new Wakeup();
    private final List<Follower> followers = new ArrayList<>();
    private final Map<Integer, List<String>> names = new HashMap<>();
    private long lookedAt;
    private final DeltaConsolidator consolidator;
    private final boolean appendOnly;
    /** The run's own clock: operators tell what changed in a tick by its number, and a stream can grow while the application's clock stands. */
    private long step;

    PushQuery(
            PlanNode plan,
            ZoneId zone,
            CatalogImage catalog,
            QueryInputs inputs,
            Views views,
            OperatorFactory operators,
            MemoryAccount memory,
            Clock clock,
            ResultQueue queue) {
        this.plan = plan;
        this.zone = zone;
        this.catalog = catalog;
        this.inputs = inputs;
        this.views = views;
        this.operators = operators;
        this.memory = memory;
        this.clock = clock;
        this.queue = queue;
        appendOnly = plan.traits().appendOnly();
        consolidator = new DeltaConsolidator(plan.schema(), memory);
    }

    /** Wakes the query's thread, so that it notices a client that is gone. */
    Wakeup wakeup() {
        return wakeup;
    }

    @Override
    public void run() {
        lookedAt = clock.nanoTime();
        List<PlanNode.Scan> scans = QueryInputs.scans(plan);
        List<ObjectName> viewNames = scans.stream()
                .filter(PushQuery::readsView)
                .map(PlanNode.Scan::object)
                .toList();
        Map<ObjectName, Views.Subscription> subscriptions = new HashMap<>();
        try (JobInstance instance = JobInstance.single(
                plan, new QuerySink(appendOnly ? queue::put : consolidator::add), memory, zone, operators)) {
            for (PlanNode.Scan scan : scans) {
                follow(scan, inputs.splits(scan, catalog, 1));
            }
            try (Views.Pinned pinned = views.pin(viewNames, true)) {
                subscriptions.putAll(pinned.subscriptions());
                subscriptions.values().forEach(s -> s.onChange(wakeup::wake));
                first(instance, scans, pinned);
            }
            follow(instance, scans, subscriptions);
        } catch (StreamException e) {
            queue.fail(e);
        } catch (Throwable e) {
            // The client must hear of whatever ends its query.
            queue.fail(new StreamException(
                    ErrorCode.INTERNAL_ERROR,
                    "internal error in a query: " + e,
                    -1,
                    "This is a bug; the log has the stack trace.",
                    e));
        } finally {
            subscriptions.forEach(views::unsubscribe);
            followers.forEach(f -> f.reader.close());
            consolidator.close();
        }
    }

    private void follow(PlanNode.Scan scan, List<String> splits) {
        List<String> known = names.computeIfAbsent(scan.reader(), r -> new ArrayList<>());
        List<Long> ends = inputs.visibleEnds(scan);
        for (String split : splits) {
            SplitReader reader = inputs.open(scan, split, known.size(), catalog, memory);
            known.add(split);
            followers.add(new Follower(scan, reader, ends.isEmpty() ? -1 : ends.get(known.size() - 1)));
            reader.onReady(wakeup::wake);
        }
    }

    /** Looks for splits that have come, now and then. */
    private void followNew(List<PlanNode.Scan> scans) {
        if (clock.nanoTime() - lookedAt >= LOOK_NANOS) {
            for (PlanNode.Scan scan : scans) {
                follow(scan, inputs.newSplits(scan, names.getOrDefault(scan.reader(), List.of()), catalog));
            }
            lookedAt = clock.nanoTime();
        }
    }

    private static boolean readsView(PlanNode.Scan scan) {
        return scan.kind() == PlanNode.ScanKind.VIEW || scan.kind() == PlanNode.ScanKind.TABLE;
    }

    private void first(JobInstance instance, List<PlanNode.Scan> scans, Views.Pinned pinned) {
        begin(instance, pinned.tick(), scans.size());
        for (PlanNode.Scan scan : scans) {
            if (readsView(scan)) {
                for (ViewSpine.Snapshot snapshot :
                        java.util.Objects.requireNonNull(pinned.snapshots().get(scan.object()))) {
                    snapshot.read(memory, batch -> instance.feed(scan.reader(), ViewProjection.project(batch, scan)));
                }
            }
            for (Follower follower : followers) {
                if (follower.scan.reader() == scan.reader()) {
                    follower.toEnd(instance);
                }
            }
            instance.endScan(scan.reader());
        }
        deliver(pinned.tick());
    }

    private void follow(
            JobInstance instance, List<PlanNode.Scan> scans, Map<ObjectName, Views.Subscription> subscriptions) {
        while (!queue.gone() && !Thread.currentThread().isInterrupted()) {
            boolean any = false;
            long patience = LOOK_NANOS;
            followNew(scans);
            for (Follower follower : followers) {
                any |= follower.poll();
                if (!follower.finished) {
                    patience = Math.min(patience, Math.max(follower.reader.nextPollNanos(), 100_000));
                }
            }
            long tick = views.tick();
            Map<ObjectName, List<ColumnBatch>> changes = views.takeAll(subscriptions);
            any |= changes.values().stream().anyMatch(list -> !list.isEmpty());
            if (any) {
                step(instance, scans, changes, tick);
            } else {
                queue.progress(tick, Tick.NO_WATERMARK);
                wakeup.await(patience);
            }
        }
    }

    private void step(
            JobInstance instance, List<PlanNode.Scan> scans, Map<ObjectName, List<ColumnBatch>> changes, long tick) {
        try {
            begin(instance, tick, scans.size());
            for (PlanNode.Scan scan : scans) {
                for (ColumnBatch batch : changes.getOrDefault(scan.object(), List.of())) {
                    instance.feed(scan.reader(), ViewProjection.project(batch.retain(), scan));
                }
                for (Follower follower : followers) {
                    if (follower.scan.reader() == scan.reader()) {
                        follower.feed(instance);
                    }
                }
                instance.endScan(scan.reader());
            }
        } finally {
            changes.values().forEach(QueryInputs::closeAll);
        }
        deliver(tick);
    }

    private void begin(JobInstance instance, long tick, int readers) {
        queue.progress(tick, Tick.NO_WATERMARK);
        instance.begin(new Tick(++step, clock.wallMicros(), Collections.nCopies(readers, Tick.NO_WATERMARK)), false);
    }

    private void deliver(long tick) {
        queue.progress(tick, Tick.NO_WATERMARK);
        if (!appendOnly) {
            List<ColumnBatch> batches = consolidator.take();
            int sent = 0;
            try {
                while (sent < batches.size()) {
                    sent++;
                    queue.put(batches.get(sent - 1), sent == batches.size());
                }
            } finally {
                QueryInputs.closeAll(batches.subList(sent, batches.size()));
            }
        }
    }

    /** One split this query follows. */
    private static final class Follower {
        private final PlanNode.Scan scan;
        private final SplitReader reader;
        private final long end;
        private long at;
        private long to;
        private boolean finished;

        /** @param end where it ended when the query began, or -1 if that is not known */
        Follower(PlanNode.Scan scan, SplitReader reader, long end) {
            this.end = end;
            this.scan = scan;
            this.reader = reader;
        }

        /** All that a stored stream held when the query began, so that the first answer is one state; of a connector, what is there. */
        void toEnd(JobInstance instance) {
            if (end < 0) {
                poll();
                feed(instance);
                return;
            }
            while (at < end && poll()) {
                to = Math.min(to, end);
                feed(instance);
            }
        }

        boolean poll() {
            SplitReader.Ready ready = reader.ready(at, READ_ROWS);
            to = ready.to();
            finished = ready.finished();
            return to > at;
        }

        void feed(JobInstance instance) {
            if (to > at) {
                reader.read(at, to, batch -> instance.feed(scan.reader(), batch));
                at = to;
            }
        }
    }
}

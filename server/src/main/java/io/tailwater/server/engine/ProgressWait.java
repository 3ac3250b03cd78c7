package io.tailwater.server.engine;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.control.Command;
import io.tailwater.server.engine.Engine.Position;
import io.tailwater.server.sql.CancelSignal;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * One WAIT FOR, or one wait for a session's own writes: goes down from a name through views and jobs to base streams, and waits upwards, each job until it
 * has applied what its inputs held. Used by one thread, once.
 */
final class ProgressWait {
    private final ApplicationEngine engine;
    private final @Nullable Map<ObjectName, Position> only;
    private final Duration timeout;
    private final CancelSignal cancel;
    private final boolean connectors;
    private final long deadline;
    private final SortedMap<String, JobPlan> plans;
    private final Map<ObjectName, Position> atStart = new HashMap<>();
    private final Set<String> visited = new HashSet<>();

    /**
     * @param only wait for these writes and what follows from them; null for everything that is there now
     * @param timeout zero for none
     */
    ProgressWait(
            ApplicationEngine engine, @Nullable Map<ObjectName, Position> only, Duration timeout, CancelSignal cancel) {
        this(engine, only, true, timeout, cancel);
    }

    /** Waits for what is stored; connectors, bounded or not, are left to themselves. */
    static ProgressWait forStored(ApplicationEngine engine) {
        return new ProgressWait(engine, null, false, Duration.ZERO, new CancelSignal());
    }

    private ProgressWait(
            ApplicationEngine engine,
            @Nullable Map<ObjectName, Position> only,
            boolean connectors,
            Duration timeout,
            CancelSignal cancel) {
        this.engine = engine;
        this.connectors = connectors;
        this.only = only;
        this.timeout = timeout;
        this.cancel = cancel;
        deadline = timeout.isZero()
                ? engine.clock().nanoTime() + Long.MAX_VALUE / 2
                : engine.clock().nanoTime() + timeout.toNanos();
        plans = engine.plans();
        for (JobPlan plan : plans.values()) {
            for (PlanNode.Scan scan : QueryInputs.scans(plan.root())) {
                if (scan.kind() == PlanNode.ScanKind.STREAM) {
                    atStart.computeIfAbsent(
                            scan.object(), name -> engine.storage().position(name));
                }
            }
        }
        cancel.onCancel(engine.application()::wakeWaiters);
    }

    /** Waits for an object or, if there is none of this name, a job. */
    void await(ObjectName name) {
        boolean object = engine.catalog().find(name).isPresent()
                || plans.values().stream().anyMatch(p -> name.equals(target(p)));
        if (object) {
            awaitObject(name);
        } else if (plans.containsKey(name.name())) {
            awaitJob(name.name());
        } else {
            // A stream that nothing reads or writes is as far as it will be.
            engine.storage().position(name);
        }
    }

    /** Waits for all jobs that write or keep an object. */
    void awaitObject(ObjectName name) {
        for (Map.Entry<String, JobPlan> job : plans.entrySet()) {
            boolean keeps = job.getValue().sink() instanceof JobPlan.Sink.View;
            if (writes(job.getValue(), name)
                    && (keeps || only == null || engine.application().failure(job.getKey()) == null)) {
                awaitJob(job.getKey());
            }
        }
    }

    /** Whether a job's rows may come to be in an object: its target, or a stream beside one that it reads. */
    private static boolean writes(JobPlan plan, ObjectName name) {
        return name.equals(target(plan))
                || SideStreams.base(name)
                        .map(base -> QueryInputs.scans(plan.root()).stream()
                                .anyMatch(scan -> scan.object().equals(base)))
                        .orElse(false);
    }

    private static @Nullable ObjectName target(JobPlan plan) {
        if (plan.sink() instanceof JobPlan.Sink.View view) {
            return view.name();
        }
        if (plan.sink() instanceof JobPlan.Sink.Stream stream) {
            return stream.name();
        }
        if (plan.sink() instanceof JobPlan.Sink.Table table) {
            return table.name();
        }
        return plan.sink() instanceof JobPlan.Sink.Connector connector ? connector.name() : null;
    }

    /** Waits for one job, after those it depends on. */
    void awaitJob(String job) {
        JobPlan plan = plans.get(job);
        if (plan == null || !visited.add(job)) {
            return;
        }
        List<Target> targets = new ArrayList<>();
        for (PlanNode.Scan scan : QueryInputs.scans(plan.root())) {
            switch (scan.kind()) {
                case STREAM -> {
                    awaitWriters(scan.object());
                    targets.add(new Target(scan.reader(), wantedEnds(scan.object()), false));
                }
                case CONNECTOR -> {
                    if (connectors && only == null && bounded(scan.object())) {
                        targets.add(new Target(scan.reader(), List.of(), true));
                    }
                }
                case VIEW, TABLE -> awaitObject(scan.object());
                case SYSTEM -> throw new AssertionError("a job that reads " + scan.object());
            }
        }
        boolean reached = engine.application().await(() -> reached(job, targets), deadline);
        if (!reached) {
            throw new StreamException(
                    ErrorCode.TIMEOUT,
                    "waiting for " + job + " took longer than " + timeout.toMillis() + " ms",
                    -1,
                    "DESCRIBE JOB " + job + " shows how far it is.",
                    null);
        }
    }

    /** Jobs that write into a stream; its table's own job is not among them. */
    private void awaitWriters(ObjectName stream) {
        for (Map.Entry<String, JobPlan> job : plans.entrySet()) {
            boolean writes =
                    !(job.getValue().sink() instanceof JobPlan.Sink.View && stream.equals(target(job.getValue())))
                            && writes(job.getValue(), stream);
            // One's own writes do not wait for a writer that will never write again.
            if (writes && (only == null || engine.application().failure(job.getKey()) == null)) {
                awaitJob(job.getKey());
            }
        }
    }

    private boolean bounded(ObjectName name) {
        CatalogObject.Stream stream = QueryInputs.stream(engine.catalog(), name);
        return engine.inputs().connector(stream).bounded(stream);
    }

    /** Per split, the position to wait for: external ones as they were at the start, the application's as they are now that its writers were waited for. */
    private List<Long> wantedEnds(ObjectName stream) {
        Position external = only == null ? atStart.get(stream) : only.get(stream);
        List<Long> out = new ArrayList<>(engine.storage().visibleEnds(stream));
        int partitions = out.size() / 2;
        for (int p = 0; p < partitions; p++) {
            out.set(p, external == null ? 0 : external.ends().get(p));
        }
        return out;
    }

    private boolean reached(String job, List<Target> targets) {
        if (cancel.isCancelled()) {
            throw ResultQueue.cancellation();
        }
        StreamException failure = engine.application().failure(job);
        if (failure != null) {
            throw new StreamException(
                    failure.code(),
                    "job " + job + " has failed: " + failure.getMessage(),
                    -1,
                    failure.hint().orElse(null),
                    failure);
        }
        Command.Progress progress = engine.application().progress().get(job);
        if (progress == null) {
            if (engine.plans().get(job) == null) {
                throw new StreamException(
                        ErrorCode.UNDEFINED_OBJECT, "job " + job + " was dropped while it was waited for");
            }
            return false;
        }
        for (Target target : targets) {
            if (target.finish && !progress.ended().get(target.reader)) {
                return false;
            }
            List<Long> bound = progress.bound().get(target.reader);
            for (int split = 0; split < target.ends.size(); split++) {
                if (bound.get(split) < target.ends.get(split)) {
                    return false;
                }
            }
        }
        return true;
    }

    private record Target(int reader, List<Long> ends, boolean finish) {}
}

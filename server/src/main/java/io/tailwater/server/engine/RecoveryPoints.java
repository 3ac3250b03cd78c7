package io.tailwater.server.engine;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.control.Event;
import io.tailwater.server.control.EventTime;
import io.tailwater.server.control.JobImage;
import io.tailwater.server.sql.CancelSignal;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** {@link Recovery} of the engine's application. Thread-safe. */
final class RecoveryPoints implements Recovery {
    private final Application application;
    private final Snapshots snapshots;
    private final boolean off;
    private final Supplier<SortedMap<String, JobPlan>> plans;
    private final Supplier<CatalogImage> catalog;
    private final BiFunction<JobPlan, CatalogImage, List<EventTime>> times;

    /**
     * Recovery of one application.
     *
     * @param off whether no snapshots are taken
     * @param plans of all jobs that were started and not stopped
     */
    RecoveryPoints(
            Application application,
            Snapshots snapshots,
            boolean off,
            Supplier<SortedMap<String, JobPlan>> plans,
            Supplier<CatalogImage> catalog,
            BiFunction<JobPlan, CatalogImage, List<EventTime>> times) {
        this.application = application;
        this.snapshots = snapshots;
        this.off = off;
        this.plans = plans;
        this.catalog = catalog;
        this.times = times;
    }

    @Override
    public List<SnapshotStatus> snapshots() {
        return snapshots.history();
    }

    @Override
    public List<RecoveryPoint> points() {
        List<RecoveryPoint> out = new ArrayList<>();
        snapshots.points().forEach((name, point) -> out.add(describe(name, point)));
        return out;
    }

    private static RecoveryPoint describe(String name, Snapshots.Kept point) {
        return new RecoveryPoint(
                name,
                point.manifest().tick(),
                point.manifest().createdMicros(),
                point.manifest().files().stream().mapToLong(SnapshotFile::bytes).sum(),
                point.manifest().files().size(),
                point.manifest().jobs().stream().map(j -> j.start().name()).toList());
    }

    @Override
    public RecoveryPoint createPoint(String name, CancelSignal cancel) {
        if (off) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "a recovery point is a snapshot, and none are taken",
                    -1,
                    "Set snapshot.interval to a time span and restart the server.",
                    null);
        }
        if (snapshots.hasPoint(name)) {
            throw exists(name);
        }
        application.snapshot(cancel);
        // The newest covers at least what the one that was asked for does.
        Snapshots.Kept newest = snapshots.kept().get(0);
        if (!snapshots.pin(name, newest)) {
            throw exists(name);
        }
        return describe(name, newest);
    }

    private static StreamException exists(String name) {
        return new StreamException(ErrorCode.DUPLICATE_OBJECT, "recovery point \"" + name + "\" already exists");
    }

    @Override
    public void dropPoint(String name) {
        if (!snapshots.unpin(name)) {
            throw missing(name);
        }
    }

    private static StreamException missing(String name) {
        return new StreamException(ErrorCode.UNDEFINED_OBJECT, "recovery point \"" + name + "\" does not exist");
    }

    @Override
    public void rollback(@Nullable String job, String point) {
        Snapshots.Kept to = snapshots.point(point);
        if (to == null) {
            throw missing(point);
        }
        SortedMap<String, JobPlan> now = plans.get();
        List<Event.Restart> restarts = new ArrayList<>();
        for (JobImage image : to.manifest().jobs()) {
            String name = image.start().name();
            if (job == null || job.equals(name)) {
                check(image, now.get(name), job != null, point);
                checkWorkers(image, to.manifest().workers(), point);
                restarts.add(new Event.Restart(
                        image, to.name(), times.apply(image.start().plan(), catalog.get())));
            }
        }
        if (job != null && restarts.isEmpty()) {
            throw refused("job " + job + " is not in recovery point \"" + point + "\"", null);
        }
        if (job == null) {
            for (String name : now.keySet()) {
                if (restarts.stream().noneMatch(r -> r.image().start().name().equals(name))) {
                    throw refused(
                            name + " is not in recovery point \"" + point + "\", so the application cannot go back",
                            "Drop it first, or roll back single jobs.");
                }
            }
        } else {
            checkReaders(job, now);
        }
        snapshots.hold(to.name());
        application.rollback(new Event.Rollback(restarts));
    }

    private static void check(JobImage image, @Nullable JobPlan now, boolean alone, String point) {
        String name = image.start().name();
        if (now == null) {
            throw refused(name + " of recovery point \"" + point + "\" does not exist any more", null);
        }
        if (!now.equals(image.start().plan())) {
            throw refused(name + " has been changed since recovery point \"" + point + "\"", null);
        }
        if (image.failure() != null) {
            throw refused(name + " had failed before recovery point \"" + point + "\"", null);
        }
        if (now.sink() instanceof JobPlan.Sink.Stream || now.sink() instanceof JobPlan.Sink.Connector) {
            throw refused(
                    "job " + name + " has written to its target what it would write again from recovery point \""
                            + point + "\"",
                    "Only views and jobs into tables can go back.");
        }
        if (alone && QueryInputs.scans(now.root()).stream().anyMatch(RecoveryPoints::isView)) {
            throw refused(
                    name + " reads a view or table, which would not go back with it",
                    "Roll back the application as a whole.");
        }
    }

    private void checkWorkers(JobImage image, int from, String point) {
        String obstacle = StateSources.obstacle(image.start().plan(), from, application.workers());
        if (obstacle != null) {
            throw refused(
                    "%s of recovery point \"%s\" cannot be dealt from %d to %d workers, because %s"
                            .formatted(image.start().name(), point, from, application.workers(), obstacle),
                    "Restart the server with executor.workers = " + from + ".");
        }
    }

    private static void checkReaders(String job, SortedMap<String, JobPlan> now) {
        JobPlan own = now.get(job);
        if (own == null || !(own.sink() instanceof JobPlan.Sink.View view)) {
            return;
        }
        now.forEach((name, plan) -> {
            if (QueryInputs.scans(plan.root()).stream()
                    .anyMatch(s -> isView(s) && s.object().equals(view.name()))) {
                throw refused(
                        job + " is read by " + name + ", which would not go back with it",
                        "Roll back the application as a whole.");
            }
        });
    }

    private static boolean isView(PlanNode.Scan scan) {
        return scan.kind() == PlanNode.ScanKind.VIEW || scan.kind() == PlanNode.ScanKind.TABLE;
    }

    private static StreamException refused(String message, @Nullable String hint) {
        return new StreamException(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, message, -1, hint, null);
    }
}

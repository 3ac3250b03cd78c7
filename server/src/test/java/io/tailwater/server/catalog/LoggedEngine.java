package io.tailwater.server.catalog;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.engine.Engine;
import io.tailwater.server.engine.Recovery;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** An engine that only writes down what it is told, with names that it refuses. */
public final class LoggedEngine implements Engine {
    public final List<String> log = new ArrayList<>();
    public final List<String> refused = new ArrayList<>();
    public List<StreamStatus> streams = List.of();
    public List<JobStatus> jobs = List.of();
    public List<Recovery.SnapshotStatus> snapshots = List.of();
    public Map<ObjectName, Retained> retained = Map.of();
    public List<Recovery.RecoveryPoint> points = List.of();
    public Runnable beforeEach = () -> {};

    private void tell(String what) {
        beforeEach.run();
        log.add(what);
        if (refused.contains(what)) {
            throw new StreamException(ErrorCode.IO_ERROR, "refused: " + what);
        }
    }

    @Override
    public void create(CatalogObject object, long incarnation) {
        tell("create " + object.name());
    }

    @Override
    public void drop(ObjectName name) {
        tell("drop " + name);
    }

    @Override
    public void startJob(String name, JobPlan plan, ZoneId zone, CatalogImage catalog) {
        tell("start " + name);
    }

    @Override
    public void stopJob(String name) {
        tell("stop " + name);
    }

    @Override
    public ResultStream query(
            PlanNode plan,
            boolean changes,
            ZoneId zone,
            CatalogImage catalog,
            SystemRows system,
            Map<ObjectName, Position> writes,
            CancelSignal cancel) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ResultStream past(
            PlanNode plan,
            SortedMap<Integer, Recovery.Past> past,
            ZoneId zone,
            CatalogImage catalog,
            SystemRows system,
            Map<ObjectName, Position> writes,
            CancelSignal cancel) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Position append(ObjectName target, ColumnBatch rows) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Position appendIf(ObjectName table, ColumnBatch rows, Position seen) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Position position(ObjectName name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void waitFor(
            ObjectName nameOrJob, @Nullable Map<ObjectName, Position> only, Duration timeout, CancelSignal cancel) {
        tell("wait for " + nameOrJob);
    }

    @Override
    public Retained retained(ObjectName stream, String job) {
        return retained.getOrDefault(stream, Retained.WHOLE);
    }

    @Override
    public List<JobStatus> jobs() {
        return jobs;
    }

    @Override
    public List<StreamStatus> streams() {
        return streams;
    }

    @Override
    public Recovery recovery() {
        return new LoggedRecovery();
    }

    @Override
    public void close() {
        tell("close");
    }

    private final class LoggedRecovery implements Recovery {
        @Override
        public List<SnapshotStatus> snapshots() {
            return snapshots;
        }

        @Override
        public List<RecoveryPoint> points() {
            return points;
        }

        @Override
        public RecoveryPoint createPoint(String name, CancelSignal cancel) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void dropPoint(String name) {
            tell("drop point " + name);
        }

        @Override
        public void rollback(@Nullable String job, String point) {
            tell("roll " + job + " back to " + point);
        }
    }
}

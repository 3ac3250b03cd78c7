package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.JobInstance;
import io.tailwater.executor.runtime.OperatorFactory;
import io.tailwater.executor.runtime.ViewProjection;
import io.tailwater.executor.view.ViewSpine;
import io.tailwater.server.control.Command;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A SELECT: one tick of the same operators over full inputs, on a thread of its own. Views are read at one published tick; streams read beside views are
 * read as far as the application had bound them at that tick, streams alone to their visible ends.
 */
final class BoundedQuery implements Runnable {
    private static final long READ_ROWS = 1 << 16;

    private final Sources sources;
    private final PlanNode plan;
    private final ZoneId zone;
    private final CatalogImage catalog;
    private final OperatorFactory operators;
    private final MemoryAccount memory;
    private final Clock clock;
    private final ResultQueue queue;
    private final Wakeup wakeup;

    /** Where rows come from. */
    record Sources(QueryInputs inputs, StreamStorage streams, Views views, Engine.SystemRows system, PastViews past) {}

    BoundedQuery(
            Sources sources,
            PlanNode plan,
            ZoneId zone,
            CatalogImage catalog,
            OperatorFactory operators,
            MemoryAccount memory,
            Clock clock,
            ResultQueue queue,
            Wakeup wakeup) {
        this.sources = sources;
        this.plan = plan;
        this.zone = zone;
        this.catalog = catalog;
        this.operators = operators;
        this.memory = memory;
        this.clock = clock;
        this.queue = queue;
        this.wakeup = wakeup;
    }

    @Override
    public void run() {
        List<PlanNode.Scan> scans = QueryInputs.scans(plan);
        List<ObjectName> viewNames = scans.stream()
                .filter(s -> s.kind() == PlanNode.ScanKind.VIEW || s.kind() == PlanNode.ScanKind.TABLE)
                .filter(s -> !sources.past().has(s.reader()))
                .map(PlanNode.Scan::object)
                .toList();
        try (PastViews past = sources.past();
                Views.Pinned pinned = sources.views().pin(viewNames, false);
                JobInstance instance = JobInstance.single(plan, new QuerySink(queue::put), memory, zone, operators)) {
            queue.progress(pinned.tick(), Tick.NO_WATERMARK);
            instance.begin(
                    new Tick(pinned.tick(), clock.wallMicros(), Collections.nCopies(scans.size(), Tick.END_OF_TIME)),
                    false);
            for (PlanNode.Scan scan : scans) {
                if (past.has(scan.reader())) {
                    past.read(
                            scan.reader(),
                            scan.object(),
                            schema(scan),
                            memory,
                            this::stopIfGone,
                            batch -> feed(instance, scan, ViewProjection.project(batch, scan)));
                    instance.endScan(scan.reader());
                    continue;
                }
                switch (scan.kind()) {
                    case VIEW, TABLE -> {
                        for (ViewSpine.Snapshot snapshot : java.util.Objects.requireNonNull(
                                pinned.snapshots().get(scan.object()))) {
                            snapshot.read(memory, batch -> feed(instance, scan, ViewProjection.project(batch, scan)));
                        }
                    }
                    case SYSTEM -> {
                        JobSinks.forEach(
                                sources.system().rows(scan.object(), memory),
                                batch -> feed(instance, scan, ViewProjection.project(batch, scan)));
                    }
                    case STREAM -> stream(instance, scan, viewNames.isEmpty() ? null : pinned);
                    case CONNECTOR -> connector(instance, scan);
                }
                instance.endScan(scan.reader());
            }
            queue.end();
        } catch (StreamException e) {
            queue.fail(e);
        } catch (StackOverflowError e) {
            queue.fail(new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX, "the query is nested too deeply", -1, null, e));
        } catch (Throwable e) {
            // The client must hear of whatever ends its query.
            queue.fail(new StreamException(
                    ErrorCode.INTERNAL_ERROR,
                    "internal error in a query: " + e,
                    -1,
                    "This is a bug; the log has the stack trace.",
                    e));
        }
    }

    /** Of the whole view; the scan may leave columns out. */
    private Schema schema(PlanNode.Scan scan) {
        return catalog.find(scan.object())
                .orElseThrow(() -> new AssertionError("not in the image: " + scan.object()))
                .schema();
    }

    private void stopIfGone() {
        if (queue.gone()) {
            throw ResultQueue.cancellation();
        }
    }

    private void feed(JobInstance instance, PlanNode.Scan scan, ColumnBatch batch) {
        if (queue.gone()) {
            batch.close();
            throw ResultQueue.cancellation();
        }
        instance.feed(scan.reader(), batch);
    }

    private void stream(
            JobInstance instance, PlanNode.Scan scan, Views.@org.jspecify.annotations.Nullable Pinned pinned) {
        List<String> splits = sources.streams().splits(scan.object());
        List<Long> ends = pinned == null ? List.of() : boundEnds(scan.object(), pinned);
        if (ends.isEmpty()) {
            ends = sources.streams().visibleEnds(scan.object());
        }
        for (int i = 0; i < splits.size(); i++) {
            try (SplitReader reader = sources.streams().read(scan.object(), splits.get(i), i, scan.columns(), memory)) {
                long at = 0;
                while (at < ends.get(i)) {
                    SplitReader.Ready ready = reader.ready(at, READ_ROWS);
                    long to = Math.min(ready.to(), ends.get(i));
                    if (to <= at) {
                        break; // only invisible frames are left below the end
                    }
                    reader.read(at, to, batch -> feed(instance, scan, batch));
                    at = to;
                }
            }
        }
    }

    /** How far the pinned tick's jobs had read the stream; empty if none reads it. */
    private List<Long> boundEnds(ObjectName stream, Views.Pinned pinned) {
        List<Long> out = new ArrayList<>();
        for (Command.Progress job : pinned.progress()) {
            for (List<Long> bound : job.readersOf(stream)) {
                for (int i = 0; i < bound.size(); i++) {
                    if (i == out.size()) {
                        out.add(bound.get(i));
                    } else {
                        out.set(i, Math.max(out.get(i), bound.get(i)));
                    }
                }
            }
        }
        return out;
    }

    private void connector(JobInstance instance, PlanNode.Scan scan) {
        CatalogObject.Stream stream = QueryInputs.stream(catalog, scan.object());
        if (!sources.inputs().connector(stream).bounded(stream)) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "a SELECT on the unbounded source " + scan.object() + " would never end",
                    -1,
                    "Add EMIT CHANGES to follow it, or INSERT INTO a stored stream and SELECT from that.",
                    null);
        }
        List<String> splits = sources.inputs().splits(scan, catalog, 1);
        for (int i = 0; i < splits.size(); i++) {
            try (SplitReader reader = sources.inputs().open(scan, splits.get(i), i, catalog, memory)) {
                reader.onReady(wakeup::wake);
                long at = 0;
                while (true) {
                    SplitReader.Ready ready = reader.ready(at, READ_ROWS);
                    if (ready.to() > at) {
                        reader.read(at, ready.to(), batch -> feed(instance, scan, batch));
                        at = ready.to();
                    } else if (!ready.finished()) {
                        wakeup.await(Math.min(reader.nextPollNanos(), 100_000_000L));
                    }
                    if (queue.gone()) {
                        throw ResultQueue.cancellation();
                    }
                    if (ready.finished() && at >= ready.to()) {
                        break;
                    }
                }
            }
        }
    }
}

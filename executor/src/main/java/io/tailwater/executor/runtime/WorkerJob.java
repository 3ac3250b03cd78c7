package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.FromWorker;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateWriter;

import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** A worker's share of a job: its operators, the splits it reads, the views it follows. Owned by the worker. */
final class WorkerJob implements AutoCloseable {
    private final ToWorker.Deploy definition;
    private final int worker;
    private final WorkerServices services;
    private final MemoryAccount memory;
    private final JobInstance instance;
    private final List<Split> splits = new ArrayList<>();
    private final List<ViewInput> views = new ArrayList<>();
    private final int[] open;
    private List<ColumnBatch> delta = List.of();
    private boolean deltaTaken;
    private long rowsIn;
    private long rowsOutBefore;
    private boolean failed;
    private boolean closed;

    WorkerJob(
            ToWorker.Deploy definition,
            int worker,
            int workers,
            WorkerServices services,
            OperatorFactory operators,
            MemoryAccount memory,
            SortedMap<Long, WorkerJob> others,
            Peers peers,
            Runnable wakeup) {
        this.definition = definition;
        this.worker = worker;
        this.services = services;
        this.memory = memory;
        JobSink sink = services.sink(definition, worker, workers, memory);
        instance = new JobInstance(
                definition.plan(),
                sink,
                openSide(sink, workers, memory),
                worker,
                workers,
                memory,
                ZoneId.of(definition.zone()),
                operators,
                workers == 1 ? null : peers);
        open = new int[instance.readers()];
        try {
            for (PlanNode.Scan scan : PlanReaders.of(definition.plan().root())) {
                if (scan.kind() == PlanNode.ScanKind.VIEW || scan.kind() == PlanNode.ScanKind.TABLE) {
                    views.add(viewInput(scan, others));
                } else {
                    openSplits(scan, worker, workers, wakeup);
                }
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        services.started(definition, worker, instance);
        try {
            if (definition.tracked()) {
                instance.trackChanges();
            }
            if (definition.origin() != null) {
                services.restore(definition, worker, workers, instance::restore);
                instance.restored();
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** State after the last tick. The caller owns it. */
    StateRows capture(VnodeRange full) {
        try (StateWriter out = new StateWriter(full, memory)) {
            instance.snapshot(out);
            return out.finish(id(), worker);
        }
    }

    boolean tracked() {
        return definition.tracked();
    }

    private SideSink openSide(JobSink sink, int workers, MemoryAccount memory) {
        try {
            return services.side(definition, worker, workers, memory);
        } catch (RuntimeException | Error e) {
            sink.close();
            throw e;
        }
    }

    private static boolean isKeyed(PlanNode node) {
        return node instanceof PlanNode.Keyed || node.inputs().stream().anyMatch(WorkerJob::isKeyed);
    }

    private ViewInput viewInput(PlanNode.Scan scan, SortedMap<Long, WorkerJob> others) {
        for (WorkerJob other : others.values()) {
            if (!other.failed
                    && other.definition.plan().sink() instanceof JobPlan.Sink.View view
                    && view.name().equals(scan.object())) {
                // What a snapshot tells of this job includes what it has read of the view.
                boolean begins = definition.origin() == null;
                return new ViewInput(scan, other, begins ? other.instance.sink().content() : List.of());
            }
        }
        throw new StreamException(
                ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, scan.object() + " is not running, so it cannot be read");
    }

    private void openSplits(PlanNode.Scan scan, int worker, int workers, Runnable wakeup) {
        List<String> names = definition.splits().get(scan.reader());
        // A table's writers are ordered against each other, so one worker reads them all, in the order of the binding.
        boolean ordered = isKeyed(definition.plan().root());
        for (int i = 0; i < names.size(); i++) {
            if (worker != (ordered ? 0 : i % workers)) {
                continue;
            }
            openSplit(
                    scan,
                    names.get(i),
                    i,
                    definition.positions().get(scan.reader()).get(i),
                    wakeup);
        }
    }

    private void openSplit(PlanNode.Scan scan, String name, int number, long position, Runnable wakeup) {
        SplitReader reader = services.open(scan, name, number, memory);
        splits.add(new Split(scan.reader(), number, reader, position));
        reader.onReady(wakeup);
    }

    /** Opens this worker's share of splits that have come. */
    void addSplits(ToWorker.AddSplits more, int worker, int workers, Runnable wakeup) {
        for (PlanNode.Scan scan : PlanReaders.of(definition.plan().root())) {
            for (int i = 0; i < more.splits().size() && scan.reader() == more.reader(); i++) {
                int number = more.first() + i;
                if (number % workers == worker) {
                    openSplit(scan, more.splits().get(i), number, 0, wakeup);
                }
            }
        }
    }

    long id() {
        return definition.job();
    }

    String name() {
        return definition.name();
    }

    JobInstance instance() {
        return instance;
    }

    boolean failed() {
        return failed;
    }

    /** Frees the state; the job takes no part in anything any more. */
    void fail() {
        failed = true;
        close();
    }

    void begin(Tick tick, boolean muted, TickPlan.JobTick input, ArrayDeque<SourceWork> work) {
        rowsIn = 0;
        rowsOutBefore = rowsOut();
        delta = List.of();
        deltaTaken = false;
        java.util.Arrays.fill(open, 0);
        List<SourceWork> own = new ArrayList<>();
        for (TickPlan.InputRange range : input.ranges()) {
            for (Split split : splits) {
                if (split.reader == range.reader() && split.index == range.split()) {
                    open[range.reader()]++;
                    own.add(new SourceWork(this, split, range.from(), range.to()));
                }
            }
        }
        for (ViewInput view : views) {
            open[view.scan.reader()]++;
            view.delivered = false;
        }
        instance.begin(tick, muted);
        for (int reader = 0; reader < open.length; reader++) {
            if (open[reader] == 0) {
                instance.endScan(reader);
            }
        }
        work.addAll(own);
    }

    void rangeDone(int reader) {
        if (--open[reader] == 0) {
            instance.endScan(reader);
        }
    }

    /** Views whose change of this tick this job has yet to see. */
    List<ViewInput> waitingViews() {
        if (views.isEmpty()) {
            return List.of();
        }
        return views.stream().filter(v -> !v.delivered).toList();
    }

    void deliver(ViewInput view) {
        view.delivered = true;
        for (ColumnBatch batch = view.initial.poll(); batch != null; batch = view.initial.poll()) {
            feedView(view, batch);
        }
        for (ColumnBatch batch : view.source.delta()) {
            feedView(view, batch.retain());
        }
        rangeDone(view.scan.reader());
    }

    private void feedView(ViewInput view, ColumnBatch batch) {
        rowsIn += batch.rows();
        instance.feed(view.scan.reader(), ViewProjection.project(batch, view.scan));
    }

    private List<ColumnBatch> delta() {
        if (!deltaTaken) {
            deltaTaken = true;
            delta = instance.sink().takeDelta();
        }
        return delta;
    }

    void releaseDelta() {
        delta.forEach(ColumnBatch::close);
        delta = List.of();
    }

    FromWorker.JobOutcome outcome() {
        return new FromWorker.JobOutcome(id(), instance.outcome(), rowsIn, rowsOut() - rowsOutBefore);
    }

    private long rowsOut() {
        return instance.statistics().get(0).rowsOut();
    }

    /** Adds what the splits have, for each whose last offer was empty, used up, or none. */
    void offers(long maxRows, List<FromWorker.Offer> out) {
        for (Split split : splits) {
            split.offer(id(), maxRows, out);
        }
    }

    void forgetOffers() {
        for (Split split : splits) {
            split.offered = false;
            split.toldFinished = false;
        }
    }

    long nextPollNanos() {
        long least = Long.MAX_VALUE;
        for (Split split : splits) {
            if (!failed && !split.offered && !split.toldFinished) {
                least = Math.min(least, split.source.nextPollNanos());
            }
        }
        return least;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        services.stopped(id(), worker);
        releaseDelta();
        for (ViewInput view : views) {
            view.initial.forEach(ColumnBatch::close);
            view.initial.clear();
        }
        splits.forEach(s -> s.source.close());
        instance.close();
    }

    /** A scan of a view that another job of this worker keeps. */
    static final class ViewInput {
        private final PlanNode.Scan scan;
        private final WorkerJob source;
        /** The view as it was when this job was deployed, to be seen as insertions in its first tick. */
        private final ArrayDeque<ColumnBatch> initial;

        private boolean delivered;

        ViewInput(PlanNode.Scan scan, WorkerJob source, List<ColumnBatch> initial) {
            this.scan = scan;
            this.source = source;
            this.initial = new ArrayDeque<>(initial);
        }

        WorkerJob source() {
            return source;
        }
    }

    /** One split this worker reads. */
    private static final class Split {
        private final int reader;
        private final int index;
        private final SplitReader source;
        private long position;
        private boolean offered;
        private boolean toldFinished;

        Split(int reader, int index, SplitReader source, long position) {
            this.reader = reader;
            this.index = index;
            this.source = source;
            this.position = position;
        }

        void offer(long job, long maxRows, List<FromWorker.Offer> out) {
            if (offered || toldFinished) {
                return;
            }
            SplitReader.Ready ready = source.ready(position, maxRows);
            if (ready.to() > position || ready.finished()) {
                offered = ready.to() > position;
                toldFinished = ready.finished();
                out.add(new FromWorker.Offer(
                        job,
                        reader,
                        index,
                        position,
                        ready.to(),
                        ready.rows(),
                        ready.minTime(),
                        ready.maxTime(),
                        ready.finished(),
                        source.skipped()));
            }
        }
    }

    /** A bound range still to be read. */
    static final class SourceWork {
        private final WorkerJob job;
        private final Split split;
        private final long to;
        private long at;

        SourceWork(WorkerJob job, Split split, long from, long to) {
            this.job = job;
            this.split = split;
            this.at = from;
            this.to = to;
        }

        WorkerJob job() {
            return job;
        }

        int reader() {
            return split.reader;
        }

        /** Reads about {@code rows} rows on; whether the range is done. */
        boolean step(long rows) {
            long until = to;
            SplitReader.Ready ready = split.source.ready(at, rows);
            // In replay a throttled source may have nothing "now": the bound range counts.
            if (ready.to() > at && ready.to() < to) {
                until = ready.to();
            }
            split.source.read(at, until, this::feed, this::malformed);
            at = until;
            if (at == to) {
                split.position = to;
                split.offered = false;
                // An offer that the master dropped as outdated may have been the one that said so.
                split.toldFinished = false;
                return true;
            }
            return false;
        }

        private void malformed(SplitReader.Malformed record) {
            job.instance.side().malformed(split.reader, record);
        }

        private void feed(ColumnBatch batch) {
            job.rowsIn += batch.rows();
            job.instance.feed(split.reader, batch);
        }
    }
}

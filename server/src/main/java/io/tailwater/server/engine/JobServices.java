package io.tailwater.server.engine;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.StateOrigin;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.runtime.JobInstance;
import io.tailwater.executor.runtime.JobSink;
import io.tailwater.executor.runtime.SideSink;
import io.tailwater.executor.runtime.WorkerServices;
import io.tailwater.executor.snapshot.SnapshotChain;
import io.tailwater.server.control.Manifest;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Opens the inputs and outputs of jobs for the workers of this process, and knows what runs where. Thread-safe. */
final class JobServices implements WorkerServices {
    private static final int EVERY_WORKER = -1;

    private final StreamStorage streams;
    private final Views views;
    private final QueryInputs inputs;
    private final Snapshots snapshots;
    private final SortedMap<String, SortedMap<Integer, JobInstance>> running = new TreeMap<>();
    private final SortedMap<Long, String> names = new TreeMap<>();
    /** Writers of external sinks that are open. */
    private final List<OpenWriter> writers = new ArrayList<>();

    private final String installation;
    private volatile CatalogImage catalog;

    JobServices(
            StreamStorage streams,
            Views views,
            QueryInputs inputs,
            Snapshots snapshots,
            String installation,
            CatalogImage catalog) {
        this.installation = installation;
        this.streams = streams;
        this.views = views;
        this.inputs = inputs;
        this.snapshots = snapshots;
        this.catalog = catalog;
    }

    /** Jobs started from now on refer to this image. Older jobs' objects are in it too: nothing that is in use can be dropped. */
    void catalog(CatalogImage image) {
        catalog = image;
    }

    CatalogImage catalog() {
        return catalog;
    }

    @Override
    public SplitReader open(PlanNode.Scan scan, String split, int number, MemoryAccount memory) {
        return inputs.open(scan, split, number, catalog, memory);
    }

    @Override
    public SideSink side(ToWorker.Deploy job, int worker, int workers, MemoryAccount memory) {
        return new SideFrames(
                job.name(), worker, workers, QueryInputs.scans(job.plan().root()), streams, this, memory);
    }

    @Override
    public JobSink sink(ToWorker.Deploy job, int worker, int workers, MemoryAccount memory) {
        JobPlan plan = job.plan();
        Schema schema = plan.root().schema();
        if (plan.sink() instanceof JobPlan.Sink.View view) {
            return new ViewSink(view.name(), schema, plan.root().traits().appendOnly(), worker, memory, views);
        }
        if (plan.sink() instanceof JobPlan.Sink.Stream stream) {
            return new JobSinks.ToStream(streams.writer(stream.name(), stream.partitionBy(), worker, workers));
        }
        if (plan.sink() instanceof JobPlan.Sink.Table table) {
            return new JobSinks.ToTable(streams.writer(table.name(), List.of(), worker, workers), schema, memory);
        }
        if (plan.sink() instanceof JobPlan.Sink.Connector target) {
            CatalogObject.Stream stream = QueryInputs.stream(catalog, target.name());
            Connector connector = inputs.connector(stream);
            SinkWriter writer = connector.write(
                    stream,
                    new Connector.WriteContext(
                            installation,
                            ApplicationEngine.APPLICATION,
                            job.name(),
                            job.job(),
                            worker,
                            workers,
                            job.sinkPosition().get(worker),
                            memory));
            OpenWriter opened = new OpenWriter(
                    job.name(), writer, connector.delivery(stream).outlivesLog());
            synchronized (this) {
                writers.add(opened);
            }
            Runnable closed = () -> closed(opened);
            return plan.root().traits().appendOnly()
                    ? new JobSinks.ToConnector(writer, closed)
                    : new JobSinks.ChangesToConnector(writer, closed, schema, memory);
        }
        throw new AssertionError("a job into " + plan.sink());
    }

    /** A writer of a job's share; {@code outlivesLog} as {@link io.tailwater.api.connector.Delivery#outlivesLog}. */
    private record OpenWriter(String job, SinkWriter writer, boolean outlivesLog) {}

    private synchronized void closed(OpenWriter writer) {
        writers.remove(writer);
    }

    /** Makes the job's writers give up what they wait for; all jobs' if {@code job} is null. */
    void cancelWriters(@Nullable String job) {
        List<OpenWriter> found;
        synchronized (this) {
            found = writers.stream()
                    .filter(w -> job == null || w.job().equals(job))
                    .toList();
        }
        found.forEach(w -> w.writer().cancel());
    }

    /** Which jobs' writers wait for their targets, and for what. The others' ticks wait with them. */
    synchronized SortedMap<String, String> waitingWriters() {
        SortedMap<String, String> out = new TreeMap<>();
        for (OpenWriter open : writers) {
            String reason = open.writer().waitsFor();
            if (reason != null) {
                out.put(open.job(), reason);
            }
        }
        return out;
    }

    /** Whether what a tick reads must be on disk before it runs. */
    synchronized boolean outlivesLog() {
        return writers.stream().anyMatch(OpenWriter::outlivesLog);
    }

    @Override
    public void restore(ToWorker.Deploy job, int worker, int workers, RestoreConsumer out) {
        StateOrigin origin = Objects.requireNonNull(job.origin());
        Manifest from = snapshots.manifest(origin.manifest());
        List<SnapshotFile> files = from.files();
        SnapshotChain chain =
                new SnapshotChain(files.stream().map(SnapshotFile::full).toList());
        int writers = from.workers();
        for (int i = 0; i < files.size(); i++) {
            int file = i;
            snapshots
                    .store()
                    .read(
                            files.get(i),
                            origin.job(),
                            writers == workers ? worker : EVERY_WORKER,
                            rows -> out.accept(rows, chain, file, writers));
        }
    }

    @Override
    public synchronized void started(ToWorker.Deploy job, int worker, JobInstance instance) {
        names.put(job.job(), job.name());
        running.computeIfAbsent(job.name(), n -> new TreeMap<>()).put(worker, instance);
    }

    @Override
    public synchronized void stopped(long job, int worker) {
        String name = names.get(job);
        SortedMap<Integer, JobInstance> shares = name == null ? null : running.get(name);
        if (shares != null) {
            shares.remove(worker);
            if (shares.isEmpty()) {
                running.remove(name);
                names.remove(job);
            }
        }
    }

    /** Per reader of a job, what event time holds back and has taken out; nothing if the job does not run. */
    synchronized SortedMap<Integer, Held> held(String job) {
        SortedMap<Integer, Held> out = new TreeMap<>();
        for (JobInstance share : running.getOrDefault(job, new TreeMap<>()).values()) {
            Set<PlanNode> filters = new HashSet<>();
            for (JobInstance.NodeStatistics node : share.statistics()) {
                // A late filter that stands in several fragments takes out the same rows in each.
                if (node.node() instanceof PlanNode.LateFilter filter && filters.add(filter)) {
                    long late = Math.max(0, node.rowsIn() - node.rowsOut());
                    out.merge(filter.reader(), new Held(Long.MAX_VALUE, late), Held::and);
                } else if (node.node() instanceof PlanNode.WindowClose close && node.heldFrom() != Long.MAX_VALUE) {
                    for (PlanNode.Bound bound : close.bounds()) {
                        out.merge(bound.reader(), new Held(needs(node.heldFrom(), bound), 0), Held::and);
                    }
                }
            }
        }
        return out;
    }

    /** The least watermark by which a row of time {@code micros} is below the bound. */
    private static long needs(long micros, PlanNode.Bound bound) {
        long ahead = bound.lagMicros() + 1;
        long sum = micros + ahead;
        return ((micros ^ sum) & (ahead ^ sum)) < 0 ? Long.MAX_VALUE : sum;
    }

    /**
     * What a job's event time does to one reader.
     *
     * @param needs the watermark at which the first rows that are held back leave, or {@link Long#MAX_VALUE} if there are none
     * @param late rows taken out
     */
    record Held(long needs, long late) {
        static final Held NOTHING = new Held(Long.MAX_VALUE, 0);

        Held and(Held other) {
            return new Held(Math.min(needs, other.needs), late + other.late);
        }
    }

    /** Per plan node of a job, its counters summed over workers; empty if the job does not run. */
    synchronized List<Engine.OperatorStatus> operators(String job) {
        SortedMap<Integer, JobInstance> shares = running.getOrDefault(job, new TreeMap<>());
        List<Engine.OperatorStatus> out = new ArrayList<>();
        for (JobInstance share : shares.values()) {
            List<JobInstance.NodeStatistics> nodes = share.statistics();
            for (int n = 0; n < nodes.size(); n++) {
                JobInstance.NodeStatistics node = nodes.get(n);
                Engine.OperatorStatus before = n < out.size()
                        ? out.get(n)
                        : new Engine.OperatorStatus(n, node.node().getClass().getSimpleName(), 0, 0, 0, 0);
                Engine.OperatorStatus sum = new Engine.OperatorStatus(
                        n,
                        before.operator(),
                        before.rowsIn() + node.rowsIn(),
                        before.rowsOut() + node.rowsOut(),
                        before.stateRows() + node.stateSize().rows(),
                        before.stateBytes() + node.stateSize().bytes());
                if (n < out.size()) {
                    out.set(n, sum);
                } else {
                    out.add(sum);
                }
            }
        }
        return out;
    }
}

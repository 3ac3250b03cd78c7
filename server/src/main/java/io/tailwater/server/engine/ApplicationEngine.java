package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.api.snapshot.SnapshotStore;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.MetadataStore;
import io.tailwater.api.storage.SegmentStore;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.executor.runtime.OperatorFactory;
import io.tailwater.server.control.ApplicationMaster;
import io.tailwater.server.control.Command;
import io.tailwater.server.control.Event;
import io.tailwater.server.control.EventTime;
import io.tailwater.server.control.Manifest;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The engine of one process: stored streams, the {@code default} application with its workers, and query threads. Opening it recovers what the log and the
 * catalog say. Thread-safe.
 */
public final class ApplicationEngine implements Engine {
    /** The application that always exists. */
    public static final String APPLICATION = "default";

    private static final Logger LOG = LoggerFactory.getLogger(ApplicationEngine.class);
    private static final int MOST_QUERIES = 256;
    private static final long RETENTION_SECONDS = 10;

    private final ApplicationLog log;
    private final Clock clock;
    private final OperatorFactory operators;
    private final SpaceWait space;
    private final FrameStorage streams;
    private final Views views;
    private final QueryInputs inputs;
    private final JobServices services;
    private final Application application;
    private final Snapshots snapshots;
    private final Snapshots.@Nullable Kept base;
    private final int workers;
    private final SplitDiscovery discovery;
    private final Recovery recovery;
    private final ExecutorService queries;
    private final MemoryAccount queryMemory;
    private final ScheduledExecutorService retention = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "retention");
        thread.setDaemon(true);
        return thread;
    });
    /** Plans of all jobs that were started and not stopped, failed ones included. */
    private final SortedMap<String, JobPlan> plans = new TreeMap<>();

    /**
     * How an engine runs.
     *
     * @param workers threads of the application
     * @param memoryBytes off-heap budget of the application, and again of all queries together
     * @param syncTicks whether each tick is synced before it becomes visible
     * @param snapshotMicros between two snapshots, or -1 to take none
     * @param installation names the data directory: no other has this name
     */
    public record Options(
            int workers,
            long memoryBytes,
            boolean syncTicks,
            ApplicationMaster.Pace pace,
            long snapshotMicros,
            String installation) {}

    /** Opens the engine over a store and brings everything to where it was. */
    public ApplicationEngine(
            Options options,
            SegmentStore store,
            ApplicationLog log,
            SnapshotStore snapshotStore,
            MetadataStore metadata,
            Map<String, Connector> connectors,
            OperatorFactory operators,
            CatalogImage catalog,
            Clock clock) {
        this.log = log;
        this.clock = clock;
        this.operators = operators;
        space = new SpaceWait();
        streams = new FrameStorage(store, space);
        snapshots = new Snapshots(APPLICATION, snapshotStore, metadata, clock, () -> {
            streams.sync();
            log.sync();
        });
        base = snapshots.load();
        LogTakeOver takeOver = new LogTakeOver(log, base == null ? null : base.manifest());
        workers = workers(base, takeOver.records(), snapshots, options.workers());
        views = new Views(workers);
        inputs = new QueryInputs(streams, connectors, clock);
        services = new JobServices(streams, views, inputs, snapshots, options.installation(), catalog);
        queryMemory = new MemoryAccount("queries", options.memoryBytes());
        queries = queryThreads();
        application = new Application(
                APPLICATION,
                workers,
                log,
                streams,
                views,
                services,
                operators,
                new MemoryAccount("application " + APPLICATION, options.memoryBytes()),
                clock,
                options.syncTicks(),
                options.pace(),
                snapshots,
                options.snapshotMicros(),
                space,
                this::jobFailed);
        discovery = new SplitDiscovery(application, inputs, services);
        recovery = new RecoveryPoints(
                application,
                snapshots,
                options.snapshotMicros() < 0,
                this::plans,
                services::catalog,
                ApplicationEngine::times);
        try {
            recover(catalog, takeOver);
            Future<?> unused = retention.scheduleWithFixedDelay(
                    this::retain, RETENTION_SECONDS, RETENTION_SECONDS, TimeUnit.SECONDS);
            discovery.start();
        } catch (RuntimeException | Error e) {
            application.close();
            throw e;
        }
    }

    /** State is dealt to workers by its keys. Where they do not tell how, whoever takes it over has as many. */
    private static int workers(
            Snapshots.@Nullable Kept base, List<ControlRecord> records, Snapshots snapshots, int wanted) {
        if (base == null) {
            return wanted;
        }
        StateSources sources = new StateSources(base.manifest(), records, snapshots);
        StateSources.Obstacle obstacle = sources.obstacle(wanted);
        if (obstacle == null) {
            if (base.manifest().workers() != wanted) {
                LOG.info(
                        "application {} goes on with {} workers; its snapshot was taken with {}",
                        APPLICATION,
                        wanted,
                        base.manifest().workers());
            }
            return wanted;
        }
        LOG.warn(
                "application {} goes on with {} workers, as its snapshot has, not with {}: the state of job {} cannot be dealt to others, because {}",
                APPLICATION,
                obstacle.workers(),
                wanted,
                obstacle.job(),
                obstacle.reason());
        return obstacle.workers();
    }

    private static ExecutorService queryThreads() {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(0, MOST_QUERIES, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "query-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    private void retain() {
        try {
            retain(clock.wallMicros());
        } catch (RuntimeException e) {
            // The next round tries again; a partition that is broken says so to whoever uses it.
            LOG.warn("cannot remove what streams need not keep", e);
        }
    }

    /** Removes what streams and the application log need not keep. No job starts meanwhile. */
    void retain(long nowMicros) {
        // Before the lock: the application's own may be held by who wants ours.
        SortedMap<String, StreamException> failed = application.failures();
        List<Manifest> points = snapshots.points().values().stream()
                .map(Snapshots.Kept::manifest)
                .toList();
        synchronized (this) {
            SortedMap<String, JobPlan> running = new TreeMap<>(plans);
            // A failed job reads nothing any more.
            running.keySet().removeAll(failed.keySet());
            List<Manifest> restarts =
                    snapshots.kept().stream().map(Snapshots.Kept::manifest).toList();
            streams.retain(NeededInput.of(running, restarts, points, streams::splits), nowMicros);
            restarts.stream().mapToLong(Manifest::logPosition).min().ifPresent(log::removeBefore);
        }
    }

    private void recover(CatalogImage catalog, LogTakeOver takeOver) {
        SortedMap<String, JobPlan> wanted = new TreeMap<>();
        for (CatalogObject object : catalog.objects().values()) {
            openStorage(object, catalog.incarnation(object.name()));
            if (object instanceof CatalogObject.Table table) {
                wanted.put(tableJob(table.name()), tablePlan(table));
            } else if (object instanceof CatalogObject.MaterializedView view) {
                wanted.put(view.name().toString(), view.plan());
            }
        }
        openExistingSides(catalog);
        for (JobDefinition job : catalog.jobs().values()) {
            if (!job.paused()) {
                wanted.put(job.name(), job.plan());
            }
        }
        if (catalog.version() == 0 && !streams.unopened().isEmpty()) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED,
                    "the data directory holds streams but no catalog: " + streams.unopened(),
                    -1,
                    "Its metadata directory is lost. Nothing was changed; restore it from a backup.",
                    null);
        }
        List<ControlRecord> records = takeOver.show(streams);
        plans.putAll(wanted);
        wanted.values().forEach(plan -> inputs.openSides(plan.root(), catalog));
        application.start(new ApplicationMaster.Recovery(
                base == null ? null : base.manifest(),
                base == null ? "" : base.name(),
                records,
                wanted,
                (name, plan) -> times(plan, catalog),
                snapshots::image));
        deleteLeftOvers();
        for (Map.Entry<String, JobPlan> job : inOrder(wanted)) {
            if (!application.knows(job.getKey())) {
                application.startJob(event(job.getKey(), job.getValue(), "UTC", catalog));
            }
        }
    }

    /** Storage of streams that the catalog has dropped, whose end a crash prevented. */
    private void deleteLeftOvers() {
        for (String owner : streams.unopened()) {
            LOG.warn("removing the storage of {}, which was dropped", owner);
            application.dropStream(FrameStorage.textOf(owner));
            streams.delete(owner);
        }
    }

    private void jobFailed(String job, StreamException error) {
        JobPlan plan = plan(job);
        if (plan != null && plan.sink() instanceof JobPlan.Sink.View view) {
            views.fail(view.name(), error);
        }
    }

    /** Jobs that keep views before those that read them. */
    private static List<Map.Entry<String, JobPlan>> inOrder(SortedMap<String, JobPlan> jobs) {
        List<Map.Entry<String, JobPlan>> out = new ArrayList<>();
        List<Map.Entry<String, JobPlan>> left = new ArrayList<>(jobs.entrySet());
        while (!left.isEmpty()) {
            int before = left.size();
            for (Map.Entry<String, JobPlan> job : List.copyOf(left)) {
                List<ObjectName> read = QueryInputs.scans(job.getValue().root()).stream()
                        .map(PlanNode.Scan::object)
                        .toList();
                boolean waits = left.stream()
                        .anyMatch(other -> other != job
                                && other.getValue().sink() instanceof JobPlan.Sink.View view
                                && read.contains(view.name()));
                if (!waits) {
                    out.add(job);
                    left.remove(job);
                }
            }
            if (left.size() == before) {
                throw new AssertionError("views that read each other: " + left);
            }
        }
        return out;
    }

    /** Streams beside streams that something was written to. */
    private void openExistingSides(CatalogImage catalog) {
        for (CatalogObject object : catalog.objects().values()) {
            if (object instanceof CatalogObject.Stream stream) {
                for (CatalogObject.Stream side : List.of(SideStreams.late(stream), SideStreams.errors(stream))) {
                    if (streams.exists(side.name(), catalog.incarnation(side.name()))) {
                        openStorage(side, catalog.incarnation(side.name()));
                    }
                }
            }
        }
    }

    private void openStorage(CatalogObject object, long incarnation) {
        if (object instanceof CatalogObject.Stream stream && stream.connector() == null) {
            streams.open(StreamStorage.Layout.of(stream, incarnation));
        } else if (object instanceof CatalogObject.Table table) {
            streams.open(new StreamStorage.Layout(
                    table.name(), incarnation, LogRetention.NONE, table.schema(), true, -1, List.of(), 1));
        }
    }

    private static String tableJob(ObjectName table) {
        return "table " + table;
    }

    /** A keyed table is a view over its inbox. */
    private static JobPlan tablePlan(CatalogObject.Table table) {
        Traits byKey =
                new Traits(new Distribution.Hash(table.primaryKey()), false, List.of(table.primaryKey()), List.of());
        PlanNode inbox = new PlanNode.Scan(
                0,
                PlanNode.ScanKind.STREAM,
                table.name(),
                IntStream.range(0, table.schema().size()).boxed().toList(),
                table.schema(),
                Traits.NONE);
        PlanNode exchange = new PlanNode.Exchange(inbox, new Distribution.Hash(table.primaryKey()), byKey);
        return new JobPlan(
                new PlanNode.Keyed(exchange, table.primaryKey(), byKey), new JobPlan.Sink.View(table.name()));
    }

    private static List<EventTime> times(JobPlan plan, CatalogImage catalog) {
        return QueryInputs.scans(plan.root()).stream()
                .map(scan -> QueryInputs.time(scan, catalog))
                .toList();
    }

    private Event.StartJob event(String name, JobPlan plan, String zone, CatalogImage catalog) {
        inputs.openSides(plan.root(), catalog);
        List<List<String>> splits = new ArrayList<>();
        List<List<Long>> positions = new ArrayList<>();
        for (PlanNode.Scan scan : QueryInputs.scans(plan.root())) {
            List<String> names = inputs.splits(scan, catalog, workers);
            splits.add(names);
            positions.add(
                    scan.kind() == PlanNode.ScanKind.STREAM
                            ? streams.starts(scan.object())
                            : java.util.Collections.nCopies(names.size(), 0L));
        }
        return new Event.StartJob(name, plan, zone, splits, positions, times(plan, catalog));
    }

    @Override
    public void create(CatalogObject object, long incarnation) {
        openStorage(object, incarnation);
        if (object instanceof CatalogObject.Table table && plan(tableJob(table.name())) == null) {
            start(tableJob(table.name()), tablePlan(table), "UTC", CatalogImage.EMPTY);
            ProgressWait.forStored(this).awaitJob(tableJob(table.name()));
        }
    }

    private synchronized @Nullable JobPlan plan(String job) {
        return plans.get(job);
    }

    private void start(String name, JobPlan plan, String zone, CatalogImage catalog) {
        synchronized (this) {
            plans.put(name, plan);
        }
        try {
            application.startJob(event(name, plan, zone, catalog));
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                plans.remove(name);
            }
            throw e;
        }
    }

    @Override
    public void drop(ObjectName name) {
        if (plan(tableJob(name)) != null) {
            stopJob(tableJob(name));
        }
        for (ObjectName side : List.of(SideStreams.lateName(name), SideStreams.errorsName(name))) {
            if (streams.isOpen(side)) {
                application.dropStream(FrameStorage.text(side));
                streams.drop(side);
            }
        }
        application.dropStream(FrameStorage.text(name));
        streams.drop(name);
    }

    @Override
    public void startJob(String name, JobPlan plan, ZoneId zone, CatalogImage catalog) {
        services.catalog(catalog);
        start(name, plan, zone.getId(), catalog);
        if (plan.sink() instanceof JobPlan.Sink.View) {
            // A view can be read once it is up to date with what was stored when it was made; connectors are followed
            // as they come.
            try {
                ProgressWait.forStored(this).awaitJob(name);
            } catch (StreamException e) {
                stopJob(name);
                throw e;
            }
        }
    }

    @Override
    public void stopJob(String name) {
        // A sink whose target is away would wait for it, and everybody for the sink.
        services.cancelWriters(name);
        application.stopJob(name);
        JobPlan plan;
        synchronized (this) {
            plan = plans.remove(name);
        }
        if (plan != null && plan.sink() instanceof JobPlan.Sink.View view) {
            views.forget(view.name());
        }
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
        inputs.openSides(plan, catalog);
        await(QueryInputs.scans(plan), writes, cancel);
        Runnable task;
        ResultQueue queue;
        if (changes) {
            Wakeup[] wakeup = new Wakeup[1];
            ResultQueue results = new ResultQueue(() -> wakeup[0].wake());
            PushQuery query = new PushQuery(plan, zone, catalog, inputs, views, operators, queryMemory, clock, results);
            wakeup[0] = query.wakeup();
            task = query;
            queue = results;
        } else {
            Wakeup wakeup = new Wakeup();
            queue = new ResultQueue(wakeup::wake);
            task = new BoundedQuery(
                    new BoundedQuery.Sources(
                            inputs, streams, views, system, PastViews.open(new TreeMap<>(), snapshots)),
                    plan,
                    zone,
                    catalog,
                    operators,
                    queryMemory,
                    clock,
                    queue,
                    wakeup);
        }
        cancel.onCancel(queue::cancel);
        execute(task);
        return queue;
    }

    private void await(List<PlanNode.Scan> scans, Map<ObjectName, Position> writes, CancelSignal cancel) {
        if (writes.isEmpty()) {
            return;
        }
        for (PlanNode.Scan scan : scans) {
            if (scan.kind() != PlanNode.ScanKind.SYSTEM && scan.kind() != PlanNode.ScanKind.CONNECTOR) {
                new ProgressWait(this, writes, Duration.ZERO, cancel).awaitObject(scan.object());
            }
        }
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
        inputs.openSides(plan, catalog);
        await(
                QueryInputs.scans(plan).stream()
                        .filter(scan -> !past.containsKey(scan.reader()))
                        .toList(),
                writes,
                cancel);
        PastViews open = PastViews.open(past, snapshots);
        Wakeup wakeup = new Wakeup();
        ResultQueue queue = new ResultQueue(wakeup::wake);
        cancel.onCancel(queue::cancel);
        try {
            execute(new BoundedQuery(
                    new BoundedQuery.Sources(inputs, streams, views, system, open),
                    plan,
                    zone,
                    catalog,
                    operators,
                    queryMemory,
                    clock,
                    queue,
                    wakeup));
        } catch (RuntimeException | Error e) {
            open.close();
            throw e;
        }
        return queue;
    }

    private void execute(Runnable query) {
        try {
            queries.execute(query);
        } catch (RejectedExecutionException e) {
            throw new StreamException(
                    ErrorCode.TOO_MANY_CONNECTIONS,
                    queries.isShutdown()
                            ? "the server is shutting down"
                            : "too many queries run at once (" + MOST_QUERIES + ")",
                    -1,
                    "Close results that are no longer read.",
                    e);
        }
    }

    @Override
    public Position append(ObjectName target, ColumnBatch rows) {
        return streams.append(target, rows);
    }

    @Override
    public @Nullable Position appendIf(ObjectName table, ColumnBatch rows, Position seen) {
        return streams.appendIf(table, rows, seen);
    }

    @Override
    public Position position(ObjectName name) {
        return streams.position(name);
    }

    @Override
    public void waitFor(
            ObjectName nameOrJob, @Nullable Map<ObjectName, Position> only, Duration timeout, CancelSignal cancel) {
        new ProgressWait(this, only, timeout, cancel).await(nameOrJob);
    }

    /** Nanoseconds of the ticks that ended since the last call; only the latest are kept. For measuring. */
    public long[] takeTickNanos() {
        return application.tickTimes().take();
    }

    Application application() {
        return application;
    }

    StreamStorage storage() {
        return streams;
    }

    QueryInputs inputs() {
        return inputs;
    }

    CatalogImage catalog() {
        return services.catalog();
    }

    Clock clock() {
        return clock;
    }

    synchronized SortedMap<String, JobPlan> plans() {
        return new TreeMap<>(plans);
    }

    @Override
    public Recovery recovery() {
        return recovery;
    }

    @Override
    public Retained retained(ObjectName stream, String job) {
        List<Long> starts = streams.starts(stream);
        if (starts.stream().allMatch(start -> start == 0)) {
            return Retained.WHOLE;
        }
        Command.Progress progress = application.progress().get(job);
        JobPlan plan = plan(job);
        if (progress == null || plan == null) {
            return Retained.LESS;
        }
        List<PlanNode.Scan> reads = QueryInputs.scans(plan.root()).stream()
                .filter(scan -> scan.object().equals(stream))
                .toList();
        boolean asBefore = !reads.isEmpty();
        for (PlanNode.Scan scan : reads) {
            List<Long> begun = progress.begun().get(scan.reader());
            for (int split = 0; split < starts.size(); split++) {
                asBefore &= split < begun.size() && starts.get(split) <= begun.get(split);
            }
        }
        return asBefore ? Retained.AS_BEFORE : Retained.LESS;
    }

    @Override
    public List<JobStatus> jobs() {
        return new JobStatuses(
                        plans(),
                        application.progress(),
                        application.failures(),
                        application.tick(),
                        services,
                        space.reason(),
                        services.waitingWriters())
                .list();
    }

    @Override
    public List<StreamStatus> streams() {
        return streams.status();
    }

    @Override
    public void close() {
        retention.shutdown();
        queries.shutdown();
        discovery.close();
        // A round under way must not touch files that whoever opens them next may have.
        Futures.awaitEnd(retention, "removing what streams need not keep");
        application.close();
        queries.shutdownNow();
        streams.close();
    }
}

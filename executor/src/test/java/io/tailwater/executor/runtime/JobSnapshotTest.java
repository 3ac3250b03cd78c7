package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.JoinKind;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.harness.History;
import io.tailwater.executor.harness.RandomRows;
import io.tailwater.executor.harness.StateChain;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.SnapshotChain;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.view.ViewSpine;
import io.tailwater.testing.ZSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Whole plans on several workers, lost after random ticks and made again from snapshots. */
final class JobSnapshotTest {
    /** The chain has left out what does not count. */
    private static final SnapshotChain EVERY_ROW = new SnapshotChain(List.of(VnodeRange.NONE));

    private static final int SOURCES = 3;
    private static final int APPEND_ONLY_SOURCE = 2;
    private static final int TICKS = 14;
    private static final int MOST_WORKERS = 4;
    /** By what a relation may be dealt so that rows with equal columns 0 and 1 meet. */
    private static final Integer[][] PARTS_OF_KEY = {{0}, {1}, {0, 1}, {1, 0}};

    private static final Traits APPEND_ONLY = new Traits(new Distribution.Any(), true, List.of(), List.of());
    /** Of every relation in the plans. */
    private static final Schema SCHEMA = Schema.of(
            new Column("k", DataType.BIGINT), new Column("v", DataType.BIGINT), new Column("s", DataType.VARCHAR));

    @Property(tries = 300)
    void jobGoesOnWithAnotherNumberOfWorkers(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        PlanNode plan;
        do {
            plan = new Plans(random).any(1 + random.nextInt(4));
        } while (StateOwners.of(view(plan)).obstacle() != null);
        boolean[] appendOnly = new boolean[SOURCES];
        appendOnly[APPEND_ONLY_SOURCE] = true;
        History drawn = rows.history(
                List.of(SCHEMA, SCHEMA, SCHEMA), appendOnly, TICKS, 1 + random.nextInt(50), 3 + random.nextInt(12));
        long open = ColumnBatch.openBatches();
        List<ZSet> expected;
        try (Cluster one = new Cluster(plan, 1, false)) {
            expected = one.run(drawn, random);
        }
        try (Cluster lost = new Cluster(plan, 1 + random.nextInt(MOST_WORKERS), true)) {
            lost.resized = true;
            assertThat(lost.run(drawn, random)).as("%s", plan).isEqualTo(expected);
        }
        assertThat(ColumnBatch.openBatches()).as("batches leaked").isEqualTo(open);
    }

    private static JobPlan view(PlanNode plan) {
        return new JobPlan(plan, new JobPlan.Sink.View(new ObjectName("public", "v")));
    }

    @Property(tries = 150)
    void jobGoesOnFromSnapshotsOfItsWorkers(@ForAll long seed) {
        Random random = new Random(seed);
        RandomRows rows = new RandomRows(random);
        PlanNode plan = new Plans(random).any(1 + random.nextInt(4));
        boolean[] appendOnly = new boolean[SOURCES];
        appendOnly[APPEND_ONLY_SOURCE] = true;
        History drawn = rows.history(
                List.of(SCHEMA, SCHEMA, SCHEMA), appendOnly, TICKS, 1 + random.nextInt(50), 3 + random.nextInt(12));
        long open = ColumnBatch.openBatches();
        List<ZSet> expected;
        try (Cluster one = new Cluster(plan, 1, false)) {
            expected = one.run(drawn, random);
        }
        int workers = 1 + random.nextInt(3);
        try (Cluster lost = new Cluster(plan, workers, true)) {
            assertThat(lost.run(drawn, random))
                    .as("%d workers: %s", workers, plan)
                    .isEqualTo(expected);
        }
        assertThat(ColumnBatch.openBatches()).as("batches leaked").isEqualTo(open);
    }

    /** Random plans, each node of {@link #SCHEMA}. Parts may occur more than once. */
    private static final class Plans {
        private final Random random;
        /** By the number of the reader. */
        private final List<Integer> sources = new ArrayList<>();

        private final List<PlanNode> made = new ArrayList<>();

        Plans(Random random) {
            this.random = random;
        }

        PlanNode any(int depth) {
            if (!made.isEmpty() && random.nextInt(5) == 0) {
                return made.get(random.nextInt(made.size()));
            }
            PlanNode node = depth == 0 ? scan() : operator(depth - 1);
            made.add(node);
            return node;
        }

        private PlanNode scan() {
            return scan(random.nextInt(SOURCES));
        }

        private PlanNode scan(int source) {
            if (!sources.contains(source)) {
                sources.add(source);
            }
            return new PlanNode.Scan(
                    sources.indexOf(source),
                    PlanNode.ScanKind.STREAM,
                    new ObjectName("public", "" + source),
                    List.of(0, 1, 2),
                    SCHEMA,
                    source == APPEND_ONLY_SOURCE ? APPEND_ONLY : Traits.NONE);
        }

        private PlanNode operator(int below) {
            return switch (random.nextInt(12)) {
                case 0, 1, 2 -> join(any(below), any(random.nextInt(below + 1)));
                case 3 ->
                    new PlanNode.Aggregate(
                            byKey(any(below)),
                            List.of(0),
                            List.of(
                                    AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT),
                                    AggregateCall.of(AggregateFunction.MAX, DataType.VARCHAR, 2)),
                            SCHEMA,
                            Traits.NONE);
                case 4 ->
                    new PlanNode.TopN(
                            byKey(any(below)),
                            List.of(0),
                            List.of(new SortKey(1, random.nextBoolean(), random.nextBoolean())),
                            random.nextInt(2),
                            1 + random.nextInt(3),
                            false,
                            SCHEMA,
                            Traits.NONE,
                            null);
                case 5 ->
                    new PlanNode.SetOperation(
                            moved(any(below), 0, 1, 2),
                            moved(any(random.nextInt(below + 1)), 0, 1, 2),
                            random.nextBoolean() ? PlanNode.SetKind.EXCEPT : PlanNode.SetKind.INTERSECT,
                            random.nextBoolean(),
                            SCHEMA,
                            Traits.NONE);
                case 6 -> new PlanNode.Union(List.of(any(below), any(below)), SCHEMA, Traits.NONE);
                case 7 -> sessions(any(below));
                case 8 ->
                    new PlanNode.Aggregate(
                            moved(any(below), PARTS_OF_KEY[random.nextInt(PARTS_OF_KEY.length)]),
                            List.of(1, 0),
                            List.of(AggregateCall.of(AggregateFunction.MAX, DataType.VARCHAR, 2)),
                            SCHEMA,
                            Traits.NONE);
                case 9 -> {
                    PlanNode input = any(below);
                    yield new PlanNode.TopN(
                            new PlanNode.Exchange(input, new Distribution.Single(), input.traits()),
                            List.of(),
                            List.of(new SortKey(1, random.nextBoolean(), random.nextBoolean())),
                            0,
                            1 + random.nextInt(3),
                            false,
                            SCHEMA,
                            Traits.NONE,
                            null);
                }
                case 10 -> {
                    PlanNode input = scan(APPEND_ONLY_SOURCE);
                    yield new PlanNode.WindowClose(
                            input, 1, List.of(new PlanNode.Bound(random.nextInt(sources.size()), 2)), APPEND_ONLY);
                }
                default -> {
                    PlanNode input = byKey(any(below));
                    yield new PlanNode.WindowClose(
                            input, 1, List.of(new PlanNode.Bound(random.nextInt(sources.size()), 2)), Traits.NONE);
                }
            };
        }

        private static PlanNode byKey(PlanNode input) {
            return moved(input, 0);
        }

        private static PlanNode moved(PlanNode input, Integer... columns) {
            return new PlanNode.Exchange(input, new Distribution.Hash(List.of(columns)), input.traits());
        }

        private PlanNode join(PlanNode left, PlanNode right) {
            List<JoinKind> kinds = List.of(JoinKind.values());
            JoinKind kind = kinds.get(random.nextInt(kinds.size()));
            boolean leftOnly = kind == JoinKind.SEMI || kind == JoinKind.ANTI || kind == JoinKind.NULL_AWARE_ANTI;
            Schema schema = SCHEMA;
            if (!leftOnly) {
                List<Column> columns = new ArrayList<>(SCHEMA.columns());
                SCHEMA.columns().forEach(c -> columns.add(new Column("r_" + c.name(), c.type())));
                schema = new Schema(columns);
            }
            Expr residual = kind == JoinKind.NULL_AWARE_ANTI || random.nextBoolean()
                    ? null
                    : new Expr.Call(
                            Function.LT,
                            List.of(new Expr.Input(1, DataType.BIGINT), new Expr.Input(4, DataType.BIGINT)),
                            DataType.BOOLEAN);
            PlanNode join = new PlanNode.Join(
                    byKey(left),
                    kind == JoinKind.NULL_AWARE_ANTI
                            ? new PlanNode.Exchange(right, new Distribution.Broadcast(), right.traits())
                            : byKey(right),
                    kind,
                    List.of(0),
                    List.of(0),
                    List.of(kind != JoinKind.NULL_AWARE_ANTI && random.nextInt(3) == 0),
                    residual,
                    schema,
                    Traits.NONE);
            return leftOnly ? join : columns(join, 3, 1, 5);
        }

        private PlanNode sessions(PlanNode input) {
            List<Column> columns = new ArrayList<>(SCHEMA.columns());
            columns.add(new Column("window_start", DataType.BIGINT.notNull()));
            columns.add(new Column("window_end", DataType.BIGINT.notNull()));
            return columns(
                    new PlanNode.SessionAssign(byKey(input), List.of(0), 1, 2, new Schema(columns), Traits.NONE, null),
                    0,
                    3,
                    2);
        }

        private static PlanNode columns(PlanNode input, Integer... columns) {
            List<Expr> projections = Arrays.stream(columns)
                    .map(c -> (Expr) new Expr.Input(c, input.schema().type(c)))
                    .toList();
            return new PlanNode.Calc(input, null, projections, SCHEMA, Traits.NONE);
        }
    }

    /** A job's shares on some workers, whose messages take turns on one thread. */
    private static final class Cluster implements AutoCloseable {
        private final PlanNode plan;
        private int workers;
        private final boolean lost;
        /** Whether there is another number of workers after each loss. */
        private boolean resized;

        private boolean whole;
        private final MemoryAccount memory = MemoryAccount.unlimited("job");
        private final Queue<Runnable> messages = new ArrayDeque<>();
        private final List<JobInstance> shares = new ArrayList<>();
        private final List<StateChain> chains = new ArrayList<>();
        private final PlanOperators operators = new PlanOperators();

        Cluster(PlanNode plan, int workers, boolean lost) {
            this.plan = plan;
            this.workers = workers;
            this.lost = lost;
            for (int w = 0; w < workers; w++) {
                chains.add(new StateChain(w));
            }
            start();
        }

        private void start() {
            for (int w = 0; w < workers; w++) {
                shares.add(new JobInstance(
                        view(plan),
                        new View(new ViewSpine(SCHEMA, false, memory)),
                        SideSink.DISCARD,
                        w,
                        workers,
                        memory,
                        ZoneOffset.UTC,
                        operators,
                        new Queued()));
                if (lost) {
                    shares.get(w).trackChanges();
                }
            }
        }

        private void stop() {
            shares.forEach(JobInstance::close);
            shares.clear();
            assertThat(memory.usedBytes()).as("bytes leaked").isZero();
        }

        /** The view after each tick. */
        List<ZSet> run(History history, Random random) {
            List<ZSet> out = new ArrayList<>();
            long number = random.nextInt(3);
            for (int t = 0; t < history.ticks().size(); t++) {
                long watermark = t < 2 ? Tick.NO_WATERMARK : t * 2L - 8;
                tick(
                        new Tick(number, number * 1000, Collections.nCopies(SOURCES, watermark)),
                        history.ticks().get(t));
                out.add(content());
                number += 1 + random.nextInt(3);
                if (lost && random.nextInt(3) == 0) {
                    VnodeRange full = whole ? VnodeRange.ALL : StateChain.anyRange(random);
                    whole = false;
                    for (int w = 0; w < workers; w++) {
                        chains.get(w).take(full, shares.get(w)::snapshot);
                    }
                    if (random.nextBoolean()) {
                        restart(random);
                        assertThat(content()).isEqualTo(out.get(t));
                    }
                }
            }
            return out;
        }

        private void restart(Random random) {
            stop();
            int writers = workers;
            if (resized) {
                workers = 1 + random.nextInt(MOST_WORKERS);
            }
            start();
            for (int w = 0; w < workers; w++) {
                JobInstance share = shares.get(w);
                for (int from = 0; from < writers; from++) {
                    if (writers != workers || from == w) {
                        chains.get(from).read(rows -> share.restore(rows, EVERY_ROW, 0, writers));
                    }
                }
                share.restored();
            }
            if (writers != workers) {
                chains.forEach(StateChain::close);
                chains.clear();
                for (int w = 0; w < workers; w++) {
                    chains.add(new StateChain(w));
                }
                whole = true;
            }
        }

        private void tick(Tick tick, List<History.Change> changes) {
            shares.forEach(share -> share.begin(tick, false));
            for (int reader = 0; reader < shares.get(0).readers(); reader++) {
                for (int w = 0; w < workers; w++) {
                    feed(w, reader, changes);
                }
            }
            while (!messages.isEmpty()) {
                messages.remove().run();
            }
            assertThat(shares).allMatch(JobInstance::done);
        }

        /** A row and what takes it back are read by one worker. */
        private void feed(int worker, int reader, List<History.Change> changes) {
            int source =
                    Integer.parseInt(PlanReaders.of(plan).get(reader).object().name());
            List<History.Change> own = changes.stream()
                    .filter(c -> c.input() == source && Math.floorMod(c.row().hashCode(), workers) == worker)
                    .toList();
            if (!own.isEmpty()) {
                long[] weights = source == APPEND_ONLY_SOURCE
                        ? null
                        : own.stream().mapToLong(History.Change::weight).toArray();
                shares.get(worker)
                        .feed(
                                reader,
                                ZSet.batch(
                                        SCHEMA,
                                        memory,
                                        own.stream().map(History.Change::row).toList(),
                                        weights));
            }
            shares.get(worker).endScan(reader);
        }

        private ZSet content() {
            ZSet out = new ZSet();
            for (JobInstance share : shares) {
                share.sink().content().forEach(batch -> {
                    out.addBatch(batch);
                    batch.close();
                });
            }
            return out;
        }

        @Override
        public void close() {
            stop();
            chains.forEach(StateChain::close);
        }

        /** In the order they were sent. */
        private final class Queued implements Peers {
            @Override
            public void data(int to, int exchange, ColumnBatch batch) {
                messages.add(() -> shares.get(to).receive(exchange, batch));
            }

            @Override
            public void end(int to, int exchange) {
                messages.add(() -> shares.get(to).receiveEnd(exchange));
            }
        }
    }

    private record View(ViewSpine spine) implements JobSink {
        @Override
        public void onBatch(ColumnBatch batch) {
            spine.append(batch);
        }

        @Override
        public SinkOutcome onTickEnd(Tick tick, boolean muted) {
            spine.endTick();
            return SinkOutcome.NONE;
        }

        @Override
        public List<ColumnBatch> content() {
            return spine.content();
        }

        @Override
        public void snapshot(StateWriter out) {
            spine.writeChanges(out);
        }

        @Override
        public void restore(StateReader row) {
            spine.restore(row);
        }

        @Override
        public void restored() {
            spine.restored();
        }

        @Override
        public void close() {
            spine.close();
        }
    }
}

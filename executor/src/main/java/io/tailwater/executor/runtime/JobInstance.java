package io.tailwater.executor.runtime;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.SnapshotChain;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import org.jspecify.annotations.Nullable;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One worker's share of a job: operators wired from the plan, cut into fragments at exchanges. With a single worker exchanges vanish.
 *
 * <p>A tick: {@link #begin}, then scans are fed and ended and exchanges received in any order, until {@link #done}. Owned by one worker (a query's own
 * thread for bounded and push queries).
 */
public final class JobInstance implements AutoCloseable {
    /** The sink's id among the stable ids of operators. */
    public static final String SINK = "sink";

    private final int worker;
    private final int workers;
    private final MemoryAccount memory;
    private final JobPlan plan;
    private final OperatorContext.TickClock clock = new OperatorContext.TickClock();
    private final PlanWiring wiring;
    private final JobSink sink;
    private final SideSink side;
    private @Nullable Tick tick;
    private boolean muted;
    private boolean firstTick = true;
    private @Nullable SinkOutcome outcome;
    /** Made for state of another number of workers. */
    private @Nullable StateOwners owners;

    /**
     * @param peers null if there is one worker only
     */
    JobInstance(
            JobPlan plan,
            JobSink sink,
            SideSink side,
            int worker,
            int workers,
            MemoryAccount memory,
            ZoneId zone,
            OperatorFactory factory,
            @Nullable Peers peers) {
        this.plan = plan;
        this.worker = worker;
        this.workers = workers;
        this.memory = memory;
        this.sink = sink;
        this.side = side;
        wiring = new PlanWiring(plan.root(), side, worker, workers, memory, zone, factory, clock, peers, this::settle);
        Fragment top = wiring.newFragment();
        top.addRoot(t -> outcome = sink.onTickEnd(t, muted));
        try {
            NodeStatistics root = wiring.build(plan.root(), sink::onBatch, top);
            assert root == statistics().get(0);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** An instance without peers, for a query that runs on one thread. */
    public static JobInstance single(
            PlanNode root, JobSink sink, MemoryAccount memory, ZoneId zone, OperatorFactory factory) {
        return new JobInstance(
                new JobPlan(root, new JobPlan.Sink.Result(false)),
                sink,
                SideSink.DISCARD,
                0,
                1,
                memory,
                zone,
                factory,
                null);
    }

    /** Notes from now on what changes, because {@link #snapshot} will be called. Before anything else. */
    void trackChanges() {
        wiring.operators.forEach(o -> o.operator().trackChanges());
        sink.trackChanges();
    }

    /** Writes what has changed since the last call, and all of the writer's full vnodes. Between ticks. */
    void snapshot(StateWriter out) {
        Set<String> written = new HashSet<>();
        for (PlanWiring.Stateful stateful : wiring.operators) {
            if (written.add(stateful.id())) {
                out.operator(stateful.id());
            } else {
                // It computes what another does, so it has the same state.
                out.discard();
            }
            stateful.operator().snapshot(out);
        }
        out.operator(SINK);
        sink.snapshot(out);
    }

    /** Rows that operators and sink hold. */
    long stateRows() {
        long rows = sink.stateSize().rows();
        for (PlanWiring.Stateful stateful : wiring.operators) {
            rows += stateful.operator().stateSize().rows();
        }
        return rows;
    }

    /**
     * Takes over rows of a snapshot, in order; {@link #restored} ends it. Before the first tick. Borrows the rows.
     *
     * @param writers how many workers wrote the snapshot; if they are not as many as there are now, this takes what belongs to its worker
     */
    void restore(StateRows rows, SnapshotChain chain, int file, int writers) {
        if (writers == workers) {
            restore(rows, chain, file, null);
            return;
        }
        StateOwners known = owners;
        if (known == null) {
            known = StateOwners.of(plan);
            owners = known;
        }
        try (StateMove move = new StateMove(known, rows, writers, worker, workers, memory)) {
            restore(rows, chain, file, move);
        }
    }

    private void restore(StateRows rows, SnapshotChain chain, int file, @Nullable StateMove move) {
        firstTick = false;
        List<List<Operator>> takers = new ArrayList<>();
        for (String id : rows.operators()) {
            takers.add(wiring.operators.stream()
                    .filter(o -> o.id().equals(id))
                    .map(PlanWiring.Stateful::operator)
                    .toList());
        }
        int sinkNumber = rows.operators().indexOf(SINK);
        for (ColumnBatch batch : rows.batches()) {
            StateReader row = new StateReader(batch);
            while (row.next()) {
                if (!chain.counts(file, row.hash()) || (move != null && !move.takes(row))) {
                    continue;
                }
                if (row.operator() == sinkNumber) {
                    sink.restore(row);
                } else {
                    for (Operator operator : takers.get(row.operator())) {
                        operator.restore(row);
                    }
                }
            }
        }
    }

    /** All of the snapshot has been taken over, though it may have had no row for this worker. */
    void restored() {
        firstTick = false;
        wiring.operators.forEach(o -> o.operator().restored());
        sink.restored();
    }

    /** Starts a tick. */
    public void begin(Tick next, boolean mute) {
        tick = next;
        muted = mute;
        outcome = null;
        clock.set(next.clockMicros());
        sink.begin(mute);
        side.begin(next, mute);
        for (Fragment fragment : wiring.fragments) {
            fragment.begin();
        }
        for (PlanWiring.Leaf receiver : wiring.receivers) {
            receiver.waitFor(workers);
        }
        boolean first = firstTick;
        firstTick = false;
        for (PlanWiring.ValuesLeaf leaf : wiring.values) {
            if (first && worker == 0) {
                leaf.emit(memory);
            }
            leaf.leaf().end(next);
        }
    }

    /** Rows of scan {@code reader}. Owns the batch. */
    public void feed(int reader, ColumnBatch batch) {
        wiring.scans.get(reader).emit(batch);
    }

    /** Scan {@code reader} has no more rows in this tick. */
    public void endScan(int reader) {
        wiring.scans.get(reader).end(current());
    }

    void receive(int exchange, ColumnBatch batch) {
        wiring.receivers.get(exchange).emit(batch);
    }

    /** One more peer has sent all it had. */
    void receiveEnd(int exchange) {
        wiring.receivers.get(exchange).peerEnded(current());
    }

    /** With the last fragment's end no more rows can leave the main path. */
    private void settle(Tick ended) {
        SinkOutcome main = outcome;
        if (main != null && wiring.fragments.stream().allMatch(Fragment::done)) {
            outcome = main.withSides(side.onTickEnd(ended, muted));
        }
    }

    /** All of the tick's work here is done, the sink's included. */
    public boolean done() {
        return outcome != null && wiring.fragments.stream().allMatch(Fragment::done);
    }

    public SinkOutcome outcome() {
        SinkOutcome result = outcome;
        if (result == null) {
            throw new AssertionError("the tick has not ended");
        }
        return result;
    }

    public JobSink sink() {
        return sink;
    }

    SideSink side() {
        return side;
    }

    public int readers() {
        return wiring.scans.size();
    }

    /** Counters per plan node, in the order of a depth-first walk. */
    public List<NodeStatistics> statistics() {
        return wiring.statistics;
    }

    private Tick current() {
        Tick t = tick;
        if (t == null) {
            throw new AssertionError("no tick has begun");
        }
        return t;
    }

    @Override
    public void close() {
        for (Fragment fragment : wiring.fragments) {
            fragment.close();
        }
        sink.close();
        side.close();
    }

    /** Rows that left a plan node, and what it holds. Owned by the worker; read by others only as a hint. */
    public static final class NodeStatistics {
        private final int number;
        private final PlanNode node;
        private final List<NodeStatistics> inputs = new ArrayList<>();
        private final @Nullable NodeStatistics original;
        private long rowsOut;
        private @Nullable Operator operator;

        /** @param original of the same part of the plan, where that was made once for several places; null if it was made for this one */
        NodeStatistics(int number, PlanNode node, @Nullable NodeStatistics original) {
            this.number = number;
            this.node = node;
            this.original = original;
        }

        List<NodeStatistics> inputs() {
            return inputs;
        }

        void operator(Operator made) {
            operator = made;
        }

        void count(int rows) {
            rowsOut += rows;
        }

        public int number() {
            return number;
        }

        public PlanNode node() {
            return node;
        }

        public long rowsOut() {
            return original == null ? rowsOut : original.rowsOut();
        }

        /** What its inputs put out; for a leaf, what it put out itself. With exchanges between workers, only the sum over workers means anything. */
        public long rowsIn() {
            return inputs.isEmpty()
                    ? rowsOut()
                    : inputs.stream().mapToLong(NodeStatistics::rowsOut).sum();
        }

        public Operator.StateSize stateSize() {
            Operator held = operator;
            return held == null ? Operator.StateSize.NONE : held.stateSize();
        }

        /** As {@link Operator#heldFrom}. */
        public long heldFrom() {
            Operator held = operator;
            return held == null ? Long.MAX_VALUE : held.heldFrom();
        }
    }
}

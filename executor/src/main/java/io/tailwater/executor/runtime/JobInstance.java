package io.tailwater.executor.runtime;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Output;
import io.tailwater.executor.operator.Tick;
import org.jspecify.annotations.Nullable;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/**
 * One worker's share of a job: operators wired from the plan, cut into fragments at exchanges. With a single worker exchanges vanish.
 *
 * <p>A tick: {@link #begin}, then scans are fed and ended and exchanges received in any order, until {@link #done}. Owned by one worker (a query's own
 * thread for bounded and push queries).
 */
public final class JobInstance implements AutoCloseable {
    private final int worker;
    private final int workers;
    private final MemoryAccount memory;
    private final ZoneId zone;
    private final OperatorFactory factory;
    private final OperatorContext.TickClock clock = new OperatorContext.TickClock();
    private final List<Leaf> scans = new ArrayList<>();
    private final List<Leaf> receivers = new ArrayList<>();
    private final List<ValuesLeaf> values = new ArrayList<>();
    private final List<Fragment> fragments = new ArrayList<>();
    private final List<NodeStatistics> statistics = new ArrayList<>();
    private final JobSink sink;
    private final SideSink side;
    private final @Nullable Peers peers;
    private @Nullable Tick tick;
    private boolean muted;
    private boolean firstTick = true;
    private @Nullable SinkOutcome outcome;

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
        this.worker = worker;
        this.workers = workers;
        this.memory = memory;
        this.zone = zone;
        this.factory = factory;
        this.sink = sink;
        this.side = side;
        this.peers = peers;
        Fragment top = newFragment();
        top.root(t -> {
            outcome = sink.onTickEnd(t, muted);
            settle(t);
        });
        try {
            NodeStatistics root = build(plan.root(), sink::onBatch, top);
            assert root == statistics.get(0);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** An instance without peers, for a query that runs on one thread. */
    public static JobInstance single(
            PlanNode root, JobSink sink, MemoryAccount memory, ZoneId zone, OperatorFactory factory) {
        return new JobInstance(
                new JobPlan(root, new JobPlan.Sink.Result(false)), sink, SideSink.DISCARD, 0, 1, memory, zone, factory, null);
    }

    private Fragment newFragment() {
        Fragment fragment = new Fragment();
        fragments.add(fragment);
        return fragment;
    }

    private NodeStatistics build(PlanNode node, Output output, Fragment fragment) {
        NodeStatistics counter = new NodeStatistics(statistics.size(), node);
        statistics.add(counter);
        build(node, counter, output, fragment);
        return counter;
    }

    private void build(PlanNode node, NodeStatistics counter, Output output, Fragment fragment) {
        Output counted = batch -> {
            counter.rowsOut += batch.rows();
            output.emit(batch);
        };
        if (node instanceof PlanNode.Scan scan) {
            while (scans.size() <= scan.reader()) {
                scans.add(new Leaf(fragment, counted));
            }
            scans.set(scan.reader(), new Leaf(fragment, counted));
            fragment.addLeaf();
        } else if (node instanceof PlanNode.Values constant) {
            values.add(new ValuesLeaf(new Leaf(fragment, counted), constant));
            fragment.addLeaf();
        } else if (node instanceof PlanNode.Exchange exchange) {
            counter.inputs.add(buildExchange(exchange, counted, fragment));
        } else if (node instanceof PlanNode.Union union) {
            for (PlanNode input : union.inputs()) {
                counter.inputs.add(build(input, counted, fragment));
            }
        } else {
            Operator operator =
                    factory.create(node, new OperatorContext(memory, counted, side, worker, workers, zone, clock));
            counter.operator = operator;
            List<PlanNode> inputs = node.inputs();
            try {
                for (int i = 0; i < inputs.size(); i++) {
                    int input = i;
                    counter.inputs.add(build(inputs.get(i), batch -> operator.onBatch(input, batch), fragment));
                }
            } finally {
                fragment.add(operator);
            }
        }
    }

    private NodeStatistics buildExchange(PlanNode.Exchange exchange, Output output, Fragment fragment) {
        Peers to = peers;
        if (to == null) {
            return build(exchange.input(), output, fragment);
        }
        int number = receivers.size();
        receivers.add(new Leaf(fragment, output));
        fragment.addLeaf();
        Fragment below = newFragment();
        ExchangeSender sender = new ExchangeSender(number, workers, exchange.distribution(), to, memory);
        below.root(t -> {
            sender.endTick(t);
            settle(t);
        });
        return build(exchange.input(), sender, below);
    }

    /** Starts a tick. */
    public void begin(Tick next, boolean mute) {
        tick = next;
        muted = mute;
        outcome = null;
        clock.set(next.clockMicros());
        sink.begin(mute);
        side.begin(next, mute);
        for (Fragment fragment : fragments) {
            fragment.begin();
        }
        for (Leaf receiver : receivers) {
            receiver.waitFor(workers);
        }
        boolean first = firstTick;
        firstTick = false;
        for (ValuesLeaf leaf : values) {
            if (first && worker == 0) {
                leaf.emit(memory);
            }
            leaf.leaf().end(next);
        }
    }

    /** Rows of scan {@code reader}. Owns the batch. */
    public void feed(int reader, ColumnBatch batch) {
        scans.get(reader).output().emit(batch);
    }

    /** Scan {@code reader} has no more rows in this tick. */
    public void endScan(int reader) {
        scans.get(reader).end(current());
    }

    void receive(int exchange, ColumnBatch batch) {
        receivers.get(exchange).output().emit(batch);
    }

    /** One more peer has sent all it had. */
    void receiveEnd(int exchange) {
        Leaf leaf = receivers.get(exchange);
        if (--leaf.awaited == 0) {
            leaf.end(current());
        }
    }

    /** With the last fragment's end no more rows can leave the main path. */
    private void settle(Tick ended) {
        SinkOutcome main = outcome;
        if (main != null && fragments.stream().allMatch(Fragment::done)) {
            outcome = main.withSides(side.onTickEnd(ended, muted));
        }
    }

    /** All of the tick's work here is done, the sink's included. */
    public boolean done() {
        return outcome != null && fragments.stream().allMatch(Fragment::done);
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
        return scans.size();
    }

    /** Counters per plan node, in the order of a depth-first walk. */
    public List<NodeStatistics> statistics() {
        return statistics;
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
        for (Fragment fragment : fragments) {
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
        private long rowsOut;
        private @Nullable Operator operator;

        NodeStatistics(int number, PlanNode node) {
            this.number = number;
            this.node = node;
        }

        public int number() {
            return number;
        }

        public PlanNode node() {
            return node;
        }

        public long rowsOut() {
            return rowsOut;
        }

        /** What its inputs put out; for a leaf, what it put out itself. With exchanges between workers, only the sum over workers means anything. */
        public long rowsIn() {
            return inputs.isEmpty()
                    ? rowsOut
                    : inputs.stream().mapToLong(NodeStatistics::rowsOut).sum();
        }

        public Operator.StateSize stateSize() {
            Operator held = operator;
            return held == null ? Operator.StateSize.NONE : held.stateSize();
        }
    }

    /** A place where rows enter a fragment. */
    private static final class Leaf {
        private final Fragment fragment;
        private final Output output;
        private int awaited;

        Leaf(Fragment fragment, Output output) {
            this.fragment = fragment;
            this.output = output;
        }

        Output output() {
            return output;
        }

        void waitFor(int peers) {
            awaited = peers;
        }

        void end(Tick tick) {
            fragment.leafEnded(tick);
        }
    }

    private record ValuesLeaf(Leaf leaf, PlanNode.Values node) {
        void emit(MemoryAccount memory) {
            int rows = node.rows().size();
            for (int from = 0; from < rows; from += ColumnBatch.TARGET_ROWS) {
                int count = Math.min(ColumnBatch.TARGET_ROWS, rows - from);
                try (BatchBuilder out = new BatchBuilder(node.schema(), count, false, memory)) {
                    for (int row = 0; row < count; row++) {
                        for (int column = 0; column < node.schema().size(); column++) {
                            LiteralValue.set(
                                    out,
                                    column,
                                    row,
                                    node.rows().get(from + row).get(column));
                        }
                    }
                    leaf.output().emit(out.finish(count));
                }
            }
        }
    }
}

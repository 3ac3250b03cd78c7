package io.tailwater.executor.runtime;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Output;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.runtime.JobInstance.NodeStatistics;
import org.jspecify.annotations.Nullable;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Makes one worker's operators from a plan and connects them. What occurs several times in the plan is made once, where the fragments allow it, and its batches go
 * to all who read it. Owned by one worker.
 */
final class PlanWiring {
    private final SideSink side;
    private final int worker;
    private final int workers;
    private final MemoryAccount memory;
    private final ZoneId zone;
    private final OperatorFactory factory;
    private final OperatorContext.TickClock clock;
    private final @Nullable Peers peers;
    private final Consumer<Tick> fragmentEnded;
    private final List<PlanNode.Scan> readers;
    private final Map<PlanNode, Integer> occurrences = new HashMap<>();
    private final Map<PlanNode, Made> made = new HashMap<>();
    private final StateIds ids = new StateIds();
    final List<Leaf> scans = new ArrayList<>();
    final List<Leaf> receivers = new ArrayList<>();
    final List<ValuesLeaf> values = new ArrayList<>();
    final List<Fragment> fragments = new ArrayList<>();
    final List<NodeStatistics> statistics = new ArrayList<>();
    final List<Stateful> operators = new ArrayList<>();

    /** An operator and the id of its state: of what is computed, whatever the number of workers; the same for all operators that compute the same. */
    record Stateful(String id, Operator operator) {}

    /** A part of the plan that has been made, and where its batches go. */
    private record Made(Fragment fragment, FanOut output, NodeStatistics counter) {}

    /** @param fragmentEnded told after each fragment's end of a tick */
    PlanWiring(
            PlanNode root,
            SideSink side,
            int worker,
            int workers,
            MemoryAccount memory,
            ZoneId zone,
            OperatorFactory factory,
            OperatorContext.TickClock clock,
            @Nullable Peers peers,
            Consumer<Tick> fragmentEnded) {
        this.side = side;
        this.fragmentEnded = fragmentEnded;
        this.worker = worker;
        this.workers = workers;
        this.memory = memory;
        this.zone = zone;
        this.factory = factory;
        this.clock = clock;
        this.peers = peers;
        readers = PlanReaders.of(root);
        readers.forEach(r -> scans.add(new Leaf()));
        count(root);
    }

    private void count(PlanNode node) {
        occurrences.merge(node, 1, Integer::sum);
        node.inputs().forEach(this::count);
    }

    Fragment newFragment() {
        Fragment fragment = new Fragment(fragmentEnded);
        fragments.add(fragment);
        return fragment;
    }

    /** Makes a node and what is below it. Whatever was made is in the fragments, also when this throws. */
    NodeStatistics build(PlanNode node, Output output, Fragment fragment) {
        Made before = made.get(node);
        if (before != null && before.fragment() == fragment) {
            before.output().add(output);
            return alias(before.counter());
        }
        NodeStatistics counter = new NodeStatistics(statistics.size(), node, null);
        statistics.add(counter);
        FanOut fan = new FanOut(counter);
        fan.add(output);
        if (before == null && occurrences.getOrDefault(node, 0) > 1) {
            made.put(node, new Made(fragment, fan, counter));
        }
        build(node, counter, fan, fragment);
        return counter;
    }

    private NodeStatistics alias(NodeStatistics original) {
        NodeStatistics out = new NodeStatistics(statistics.size(), original.node(), original);
        statistics.add(out);
        for (NodeStatistics input : original.inputs()) {
            out.inputs().add(alias(input));
        }
        return out;
    }

    private void build(PlanNode node, NodeStatistics counter, Output output, Fragment fragment) {
        if (node instanceof PlanNode.Scan scan) {
            scans.get(scan.reader()).add(fragment, projected(scan, output));
        } else if (node instanceof PlanNode.Values constant) {
            Leaf leaf = new Leaf();
            leaf.add(fragment, output);
            values.add(new ValuesLeaf(leaf, constant));
        } else if (node instanceof PlanNode.Exchange exchange) {
            counter.inputs().add(buildExchange(exchange, output, fragment));
        } else if (node instanceof PlanNode.Union union) {
            for (PlanNode input : union.inputs()) {
                counter.inputs().add(build(input, output, fragment));
            }
        } else {
            Operator operator =
                    factory.create(node, new OperatorContext(memory, output, side, worker, workers, zone, clock));
            counter.operator(operator);
            List<PlanNode> inputs = node.inputs();
            try {
                for (int i = 0; i < inputs.size(); i++) {
                    int input = i;
                    counter.inputs().add(build(inputs.get(i), batch -> operator.onBatch(input, batch), fragment));
                }
            } finally {
                fragment.add(operator);
                operators.add(new Stateful(ids.of(node), operator));
            }
        }
    }

    /** Hands on the columns of a scan whose reader also reads others. */
    private Output projected(PlanNode.Scan scan, Output output) {
        int[] positions = PlanReaders.positions(scan, readers.get(scan.reader()));
        if (positions == null) {
            return output;
        }
        DataType[] types = BatchBuilder.types(scan.schema());
        boolean[] shared = new boolean[types.length];
        Arrays.fill(shared, true);
        return batch -> {
            try (batch;
                    BatchBuilder out = new BatchBuilder(types, batch.rows(), false, memory, shared)) {
                for (int c = 0; c < positions.length; c++) {
                    out.share(c, batch, positions[c]);
                }
                out.shareWeights(batch);
                output.emit(out.finish(batch.rows()));
            }
        };
    }

    private NodeStatistics buildExchange(PlanNode.Exchange exchange, Output output, Fragment fragment) {
        Peers to = peers;
        if (to == null) {
            return build(exchange.input(), output, fragment);
        }
        int number = receivers.size();
        Leaf receiver = new Leaf();
        receivers.add(receiver);
        receiver.add(fragment, output);
        Fragment below = home(exchange.input(), fragment);
        below.feeds(fragment);
        ExchangeSender sender = new ExchangeSender(number, workers, exchange.distribution(), to, memory);
        below.addRoot(sender::endTick);
        return build(exchange.input(), sender, below);
    }

    /** Where to make what feeds an exchange: beside what it has in common with another part of the plan, unless that one waits for this exchange. */
    private Fragment home(PlanNode input, Fragment above) {
        PlanNode node = input;
        while (true) {
            Made before = made.get(node);
            if (before != null) {
                return above.reaches(before.fragment()) ? newFragment() : before.fragment();
            }
            if (node.inputs().size() != 1 || node instanceof PlanNode.Exchange) {
                return newFragment();
            }
            node = node.inputs().get(0);
        }
    }

    /** Counts a node's rows and gives its batches to all who read it. */
    private static final class FanOut implements Output {
        private final NodeStatistics counter;
        private Output[] outputs = {};

        FanOut(NodeStatistics counter) {
            this.counter = counter;
        }

        void add(Output output) {
            outputs = Arrays.copyOf(outputs, outputs.length + 1);
            outputs[outputs.length - 1] = output;
        }

        @Override
        public void emit(ColumnBatch batch) {
            counter.count(batch.rows());
            emitAll(batch, outputs);
        }
    }

    private static void emitAll(ColumnBatch batch, Output[] outputs) {
        int last = outputs.length - 1;
        try {
            for (int i = 0; i < last; i++) {
                outputs[i].emit(batch.retain());
            }
        } catch (RuntimeException | Error e) {
            batch.close();
            throw e;
        }
        outputs[last].emit(batch);
    }

    /** A place where rows enter fragments. */
    static final class Leaf implements Output {
        private Fragment[] fragments = {};
        private Output[] outputs = {};
        private int awaited;

        void add(Fragment fragment, Output output) {
            fragments = Arrays.copyOf(fragments, fragments.length + 1);
            fragments[fragments.length - 1] = fragment;
            outputs = Arrays.copyOf(outputs, outputs.length + 1);
            outputs[outputs.length - 1] = output;
            fragment.addLeaf();
        }

        @Override
        public void emit(ColumnBatch batch) {
            emitAll(batch, outputs);
        }

        void waitFor(int peers) {
            awaited = peers;
        }

        /** One more peer has sent all it had. */
        void peerEnded(Tick tick) {
            if (--awaited == 0) {
                end(tick);
            }
        }

        void end(Tick tick) {
            for (Fragment fragment : fragments) {
                fragment.leafEnded(tick);
            }
        }
    }

    /** Constant rows. */
    record ValuesLeaf(Leaf leaf, PlanNode.Values node) {
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
                    leaf.emit(out.finish(count));
                }
            }
        }
    }
}

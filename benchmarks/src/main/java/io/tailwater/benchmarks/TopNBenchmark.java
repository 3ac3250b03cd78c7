package io.tailwater.benchmarks;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.SortKey;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.topn.TopNOperator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.ArrayList;
import java.util.List;

/** Bids a second: the last bid of each bidder on each auction, the best of each auction, and its ten best with their numbers. Ticks of 16 K rows. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
public class TopNBenchmark {
    private static final int BATCHES = 512;
    private static final int TICK_BATCHES = 8;
    private static final int PRICE = 2;
    private static final int TIME = 5;

    @Param({"last", "best", "ten best", "ten best, retractable"})
    public String query = "";

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private ColumnBatch[] input = {};
    private Operator operator = Inputs.nothing();
    private long tick;

    @Setup
    public void setUp() {
        input = Bids.make(BATCHES, memory);
    }

    @Setup(Level.Invocation)
    public void begin() {
        operator.close();
        operator = switch (query) {
            case "last" -> topN(List.of(1, 0), List.of(new SortKey(TIME, true, false)), 1, true);
            case "best" ->
                topN(List.of(0), List.of(new SortKey(PRICE, true, false), new SortKey(TIME, false, false)), 1, true);
            case "ten best" -> topN(List.of(0), List.of(new SortKey(PRICE, true, false)), 10, true);
            case "ten best, retractable" -> topN(List.of(0), List.of(new SortKey(PRICE, true, false)), 10, false);
            default -> throw new IllegalArgumentException(query);
        };
    }

    private Operator topN(List<Integer> partition, List<SortKey> keys, long limit, boolean appendOnly) {
        Traits traits = appendOnly ? new Traits(new Distribution.Any(), true, List.of(), List.of()) : Traits.NONE;
        List<Column> columns = new ArrayList<>(Bids.SCHEMA.columns());
        boolean numbered = limit > 1;
        if (numbered) {
            columns.add(new Column("n", DataType.BIGINT.notNull()));
        }
        PlanNode source = new PlanNode.Values(List.of(), Bids.SCHEMA, traits);
        return TopNOperator.create(
                new PlanNode.TopN(source, partition, keys, 0, limit, numbered, new Schema(columns), Traits.NONE, null),
                Inputs.context(memory));
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void bids() {
        for (int b = 0; b < BATCHES; b++) {
            operator.onBatch(0, input[b].retain());
            if (b % TICK_BATCHES == TICK_BATCHES - 1) {
                operator.onTickEnd(new Tick(tick++, 0, List.of()));
            }
        }
    }

    @TearDown
    public void tearDown() {
        operator.close();
        Inputs.close(input);
    }
}

package io.tailwater.benchmarks;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.time.SessionAssignOperator;
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

import java.util.List;

/** Bids a second into sessions of ten seconds of each bidder. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
public class SessionBenchmark {
    private static final int BATCHES = 256;
    private static final int BIDDER = 1;
    private static final int TIME = 5;
    private static final long GAP = 10_000_000;

    /** Small ticks touch a session more often, and each time all of its rows move. */
    @Param({"1", "8"})
    public int batchesPerTick;

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private ColumnBatch[] input = {};
    private Operator operator = Inputs.nothing();
    private long tick;

    @Setup
    public void setUp() {
        ColumnBatch[] bids = Bids.make(BATCHES, memory);
        input = new ColumnBatch[BATCHES];
        Schema schema = Bids.SCHEMA.project(List.of(BIDDER, TIME));
        boolean[] shared = {true, true};
        for (int b = 0; b < BATCHES; b++) {
            try (BatchBuilder out = new BatchBuilder(BatchBuilder.types(schema), Inputs.BATCH, false, memory, shared)) {
                out.share(0, bids[b], BIDDER);
                out.share(1, bids[b], TIME);
                input[b] = out.finish(Inputs.BATCH);
            }
        }
        Inputs.close(bids);
    }

    @Setup(Level.Invocation)
    public void begin() {
        operator.close();
        Schema schema = Bids.SCHEMA.project(List.of(BIDDER, TIME));
        Column time = schema.column(1);
        operator = SessionAssignOperator.create(
                new PlanNode.SessionAssign(
                        new PlanNode.Values(List.of(), schema, Traits.NONE),
                        List.of(0),
                        1,
                        GAP,
                        Schema.of(
                                schema.column(0),
                                time,
                                new Column("window_start", DataType.timestamp(3).notNull()),
                                new Column("window_end", DataType.timestamp(3).notNull())),
                        Traits.NONE,
                        null),
                Inputs.context(memory));
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void bids() {
        for (int b = 0; b < BATCHES; b++) {
            operator.onBatch(0, input[b].retain());
            if (b % batchesPerTick == batchesPerTick - 1) {
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

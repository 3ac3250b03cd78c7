package io.tailwater.benchmarks;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.JoinKind;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.join.JoinOperator;
import io.tailwater.executor.operator.Tick;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Nanoseconds a row of an equi-join on a BIGINT: a million keys on the left, then a million random rows on the right, each of which meets one. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class JoinBenchmark {
    private static final int KEYS = 1 << 20;
    private static final int TICK_BATCHES = 8;

    @Param({"INNER", "LEFT"})
    public JoinKind kind = JoinKind.INNER;

    @Param({"true", "false"})
    public boolean appendOnly;

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private ColumnBatch[] left = {};
    private ColumnBatch[] right = {};
    private JoinOperator operator = join();
    private long tick;

    private JoinOperator join() {
        List<Column> columns = new ArrayList<>(Inputs.SCHEMA.columns());
        columns.addAll(Inputs.SCHEMA.columns());
        return JoinOperator.create(
                new PlanNode.Join(
                        Inputs.source(appendOnly),
                        Inputs.source(appendOnly),
                        kind,
                        List.of(0),
                        List.of(0),
                        List.of(false),
                        null,
                        new Schema(columns),
                        Traits.NONE),
                Inputs.context(memory),
                null);
    }

    @Setup
    public void setUp() {
        left = Inputs.each(KEYS, memory);
        right = Inputs.random(KEYS / Inputs.BATCH, KEYS, memory);
    }

    @Setup(Level.Invocation)
    public void empty() {
        operator.close();
        operator = join();
    }

    @Benchmark
    @OperationsPerInvocation(2 * KEYS)
    public void insertThenProbe() {
        feed(0, left);
        feed(1, right);
    }

    private void feed(int side, ColumnBatch[] batches) {
        for (int b = 0; b < batches.length; b++) {
            operator.onBatch(side, batches[b].retain());
            if (b % TICK_BATCHES == TICK_BATCHES - 1) {
                operator.onTickEnd(new Tick(tick++, 0, List.of()));
            }
        }
    }

    @TearDown
    public void tearDown() {
        operator.close();
        Inputs.close(left);
        Inputs.close(right);
    }
}

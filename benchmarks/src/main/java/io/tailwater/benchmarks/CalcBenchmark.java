package io.tailwater.benchmarks;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Expr;
import io.tailwater.api.plan.Function;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.expr.CalcOperator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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

/** Input rows a second of {@code SELECT k, v * 3 + 1 WHERE v < x}, generated and by hand. The loop by hand checks for overflow as well. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CalcBenchmark {
    private static final int BATCHES = 64;

    /** Of a thousand rows, how many pass. */
    @Param({"1000", "500", "10"})
    public long passing;

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private final int[] selection = new int[Inputs.BATCH];
    private ColumnBatch[] input = {};
    private CalcOperator operator = calc();
    private long scratch;

    @Setup
    public void setUp() {
        operator.close();
        operator = calc();
        input = Inputs.random(BATCHES, 1_000_000, memory);
        scratch = memory.allocate(16L * Inputs.BATCH);
    }

    private CalcOperator calc() {
        DataType type = Inputs.SCHEMA.type(1);
        Expr value = new Expr.Input(1, type);
        Expr key = new Expr.Input(0, Inputs.SCHEMA.type(0));
        Expr less = Expr.call(Function.LT, DataType.BOOLEAN, value, constant(passing));
        Expr result = Expr.call(Function.PLUS, type, Expr.call(Function.TIMES, type, value, constant(3)), constant(1));
        Schema schema = Schema.of(new Column("k", key.type()), new Column("r", type));
        return CalcOperator.create(
                new PlanNode.Calc(Inputs.source(true), less, List.of(key, result), schema, Traits.NONE),
                Inputs.context(memory));
    }

    private static Expr constant(long value) {
        return new Expr.Literal(String.valueOf(value), DataType.BIGINT.notNull());
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void generated() {
        for (ColumnBatch batch : input) {
            operator.onBatch(0, batch.retain());
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public long byHand() {
        long rows = 0;
        for (ColumnBatch batch : input) {
            long keys = batch.data(0);
            long values = batch.data(1);
            int count = 0;
            for (int i = 0; i < batch.rows(); i++) {
                selection[count] = i;
                count += Mem.getLong(values + 8L * i) < passing ? 1 : 0;
            }
            for (int j = 0; j < count; j++) {
                long value = Mem.getLong(values + 8L * selection[j]);
                Mem.putLong(scratch + 8L * j, Mem.getLong(keys + 8L * selection[j]));
                Mem.putLong(scratch + 8L * (Inputs.BATCH + j), Math.addExact(Math.multiplyExact(value, 3), 1));
            }
            rows += count;
        }
        return rows;
    }

    @TearDown
    public void tearDown() {
        operator.close();
        Inputs.close(input);
        memory.free(scratch, 16L * Inputs.BATCH);
    }
}

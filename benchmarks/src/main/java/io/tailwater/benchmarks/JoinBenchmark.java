package io.tailwater.benchmarks;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
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

    /** Unique keys on the left, in an open table of longs; pairs go into an array. What an append-only inner join does at the least. */
    @Benchmark
    @OperationsPerInvocation(2 * KEYS)
    public long insertThenProbeByHand() {
        long[] keys = new long[4 * KEYS];
        long[] values = new long[4 * KEYS];
        long[] pairs = new long[3 * Inputs.BATCH];
        for (ColumnBatch batch : left) {
            for (int i = 0; i < batch.rows(); i++) {
                long key = Mem.getLong(batch.data(0) + 8L * i) + 1;
                int at = (int) (Hashing.hashLong(key) >>> 42);
                while (keys[at] != 0) {
                    at = (at + 1) & (keys.length - 1);
                }
                keys[at] = key;
                values[at] = Mem.getLong(batch.data(1) + 8L * i);
            }
        }
        long sum = 0;
        for (ColumnBatch batch : right) {
            int n = 0;
            for (int i = 0; i < batch.rows(); i++) {
                long key = Mem.getLong(batch.data(0) + 8L * i) + 1;
                int at = (int) (Hashing.hashLong(key) >>> 42);
                while (keys[at] != 0 && keys[at] != key) {
                    at = (at + 1) & (keys.length - 1);
                }
                if (keys[at] == key) {
                    pairs[n++] = key;
                    pairs[n++] = values[at];
                    pairs[n++] = Mem.getLong(batch.data(1) + 8L * i);
                }
            }
            sum += n;
        }
        return sum;
    }

    @TearDown
    public void tearDown() {
        operator.close();
        Inputs.close(left);
        Inputs.close(right);
    }
}

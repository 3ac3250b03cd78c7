package io.tailwater.benchmarks;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.aggregate.ConsolidateOperator;
import io.tailwater.executor.expr.WindowAssignOperator;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.Tick;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.List;

/** Input rows a second of what HOP is made of: five windows a row, and the consolidation of a thousand different rows of which each comes 262 times. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class WindowBenchmark {
    private static final int BATCHES = 64;
    private static final long SLIDE = 2_000_000;
    private static final int WINDOWS = 5;
    private static final int TABLE = 1 << 12;

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private final long[] table = new long[2 * TABLE];
    private final Schema hopped = Schema.of(
            Inputs.SCHEMA.column(0),
            Inputs.SCHEMA.column(1),
            Inputs.SCHEMA.column(2),
            new Column("window_start", DataType.TIMESTAMP),
            new Column("window_end", DataType.TIMESTAMP));
    private final Operator hop = WindowAssignOperator.create(
            new PlanNode.WindowAssign(
                    Inputs.source(true), PlanNode.WindowKind.HOP, 0, WINDOWS * SLIDE, SLIDE, 0, hopped, Traits.NONE),
            Inputs.context(memory));
    private final Operator consolidate = ConsolidateOperator.create(
            new PlanNode.Consolidate(new PlanNode.Values(List.of(), Inputs.KEYS, Traits.NONE), Traits.NONE),
            Inputs.context(memory));
    private ColumnBatch[] input = {};
    private ColumnBatch[] keys = {};
    private long scratch;
    private long tick;

    @Setup
    public void setUp() {
        input = Inputs.random(BATCHES, 1_000_000, memory);
        keys = Inputs.keys(BATCHES, 1_000, memory);
        scratch = memory.allocate(16L * Inputs.BATCH);
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void hop() {
        for (ColumnBatch batch : input) {
            hop.onBatch(0, batch.retain());
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void hopByHand() {
        for (ColumnBatch batch : input) {
            long times = batch.data(0);
            for (int window = 0; window < WINDOWS; window++) {
                for (int i = 0; i < batch.rows(); i++) {
                    long time = Mem.getLong(times + 8L * i);
                    long start = time - Math.floorMod(time, SLIDE) - window * SLIDE;
                    Mem.putLong(scratch + 8L * i, start);
                    Mem.putLong(scratch + 8L * (Inputs.BATCH + i), start + WINDOWS * SLIDE);
                }
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void consolidate() {
        for (ColumnBatch batch : keys) {
            consolidate.onBatch(0, batch.retain());
        }
        consolidate.onTickEnd(new Tick(tick++, 0, List.of()));
    }

    /** Counts by key in an array of (key + 1, count) pairs. */
    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public long consolidateByHand() {
        java.util.Arrays.fill(table, 0);
        for (ColumnBatch batch : keys) {
            long data = batch.data(0);
            for (int i = 0; i < batch.rows(); i++) {
                long key = Mem.getLong(data + 8L * i) + 1;
                int at = (int) ((key * 0x9E3779B97F4A7C15L) >>> 52);
                while (table[2 * at] != key && table[2 * at] != 0) {
                    at = (at + 1) & (TABLE - 1);
                }
                table[2 * at] = key;
                table[2 * at + 1]++;
            }
        }
        return table[1];
    }

    @TearDown
    public void tearDown() {
        hop.close();
        consolidate.close();
        Inputs.close(input);
        Inputs.close(keys);
        memory.free(scratch, 16L * Inputs.BATCH);
    }
}

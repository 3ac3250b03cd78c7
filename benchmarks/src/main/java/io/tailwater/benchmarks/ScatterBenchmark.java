package io.tailwater.benchmarks;

import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.executor.expr.KeyHash;
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

import java.util.Arrays;

/** Rows a second of what an exchange does with a batch of three BIGINT columns: hash, choose the worker, copy each worker's rows together. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ScatterBenchmark {
    private static final int BATCHES = 64;

    @Param({"2", "8"})
    public int workers;

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private final long[] hashes = new long[Inputs.BATCH];
    private final int[] key = {0};
    private ColumnBatch[] input = {};
    private int[][] selections = {};
    private int[] counts = {};
    private long[][] out = {};

    @Setup
    public void setUp() {
        input = Inputs.random(BATCHES, 1_000_000, memory);
        selections = new int[workers][Inputs.BATCH];
        counts = new int[workers];
        out = new long[workers][3 * Inputs.BATCH];
    }

    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void scatter() {
        for (ColumnBatch batch : input) {
            KeyHash.hash(batch, key, hashes);
            Arrays.fill(counts, 0);
            for (int row = 0; row < batch.rows(); row++) {
                int worker = Hashing.vnode(hashes[row]) % workers;
                selections[worker][counts[worker]++] = row;
            }
            for (int worker = 0; worker < workers; worker++) {
                BatchGather.gather(batch, selections[worker], counts[worker], memory)
                        .close();
            }
        }
    }

    /** The same into arrays that are there already. */
    @Benchmark
    @OperationsPerInvocation(BATCHES * Inputs.BATCH)
    public void scatterByHand() {
        for (ColumnBatch batch : input) {
            long keys = batch.data(0);
            long second = batch.data(1);
            long third = batch.data(2);
            Arrays.fill(counts, 0);
            for (int row = 0; row < batch.rows(); row++) {
                long value = Mem.getLong(keys + 8L * row);
                int worker = (int) (Hashing.hashLong(value) >>> 56) % workers;
                int at = 3 * counts[worker]++;
                long[] to = out[worker];
                to[at] = value;
                to[at + 1] = Mem.getLong(second + 8L * row);
                to[at + 2] = Mem.getLong(third + 8L * row);
            }
        }
    }

    @TearDown
    public void tearDown() {
        Inputs.close(input);
    }
}

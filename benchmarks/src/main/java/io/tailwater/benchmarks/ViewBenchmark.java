package io.tailwater.benchmarks;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.view.ViewSpine;
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

import java.util.SplittableRandom;

/** A view of counts by a million keys: changes a second taken in, merges and checks included, and rows a second read from a snapshot. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ViewBenchmark {
    private static final int KEYS = 1_000_000;
    private static final int CHANGES = 8192;
    private static final Schema SCHEMA =
            Schema.of(new Column("k", DataType.BIGINT), new Column("count", DataType.BIGINT));

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] counts = new long[KEYS];
    private ViewSpine view = new ViewSpine(SCHEMA, false, memory);
    private long tick;

    @Setup
    public void setUp() {
        view.close();
        view = new ViewSpine(SCHEMA, false, memory);
        for (int from = 0; from < KEYS; from += CHANGES) {
            BatchBuilder batch = new BatchBuilder(SCHEMA, CHANGES, false, memory);
            int rows = Math.min(CHANGES, KEYS - from);
            for (int i = 0; i < rows; i++) {
                put(batch, i, from + i, 0);
            }
            take(batch.finish(rows));
        }
    }

    private static void put(BatchBuilder batch, int row, long key, long count) {
        Mem.putLong(batch.data(0) + 8L * row, key);
        Mem.putLong(batch.data(1) + 8L * row, count);
    }

    private void take(ColumnBatch batch) {
        view.append(batch);
        view.endTick();
        view.publish(tick++);
    }

    /** A tick of old rows out, new rows in. */
    @Benchmark
    @OperationsPerInvocation(2 * CHANGES)
    public void update() {
        BatchBuilder batch = new BatchBuilder(SCHEMA, 2 * CHANGES, true, memory);
        for (int i = 0; i < CHANGES; i++) {
            int key = random.nextInt(KEYS);
            put(batch, 2 * i, key, counts[key]);
            Mem.putLong(batch.weights() + 16L * i, -1);
            put(batch, 2 * i + 1, key, ++counts[key]);
            Mem.putLong(batch.weights() + 16L * i + 8, 1);
        }
        take(batch.finish(2 * CHANGES));
    }

    /** The whole view. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void read() {
        try (ViewSpine.Snapshot snapshot = view.snapshot()) {
            snapshot.read(memory, ColumnBatch::close);
        }
    }

    @TearDown
    public void tearDown() {
        view.close();
    }
}

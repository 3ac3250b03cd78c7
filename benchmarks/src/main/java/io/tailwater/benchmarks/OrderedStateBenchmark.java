package io.tailwater.benchmarks;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.OrderedState;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
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

import java.util.SplittableRandom;

/** Changes a second to one group's ordered BIGINTs: one value in, another out, the greatest read. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class OrderedStateBenchmark {
    private static final int CHANGES = 1 << 10;

    @Param({"32", "100000"})
    public int entries;

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private final RowLayout layout = new RowLayout(DataType.BIGINT.notNull());
    private final Arena arena = new Arena(memory);
    private final OrderedState state = new OrderedState(layout, RowOrder.ascending(layout), arena);
    private final SplittableRandom random = new SplittableRandom(7);
    private long[] values = {};
    private long root;
    private long row;

    @Setup
    public void setUp() {
        root = memory.allocate(OrderedState.ROOT_BYTES);
        Mem.fill(root, OrderedState.ROOT_BYTES, (byte) 0);
        row = memory.allocate(layout.width());
        values = random.longs(entries).toArray();
        for (long value : values) {
            change(value, 1);
        }
    }

    private void change(long value, long weight) {
        Mem.putLong(row, value);
        state.add(root, row, weight);
    }

    @Benchmark
    @OperationsPerInvocation(2 * CHANGES)
    public long replace() {
        long greatest = 0;
        for (int i = 0; i < CHANGES; i++) {
            int at = random.nextInt(entries);
            change(values[at], -1);
            values[at] = random.nextLong();
            change(values[at], 1);
            greatest = state.last(root);
        }
        return greatest;
    }

    @TearDown
    public void tearDown() {
        state.clear(root);
        arena.close();
        memory.free(root, OrderedState.ROOT_BYTES);
        memory.free(row, layout.width());
    }
}

package io.tailwater.benchmarks;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.AggregateCall;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.aggregate.AggregateOperator;
import io.tailwater.executor.operator.Tick;
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

import java.util.ArrayList;
import java.util.List;

/** Input rows a second of GROUP BY a BIGINT, ticks of 16 K rows, emission included. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AggregateBenchmark {
    private static final int TICK_BATCHES = 8;

    @Param({"1000", "1000000"})
    public int groups;

    @Param({"COUNT", "COUNT SUM MAX", "retractable MAX", "AVG"})
    public String calls = "";

    private final MemoryAccount memory = MemoryAccount.unlimited("benchmark");
    private ColumnBatch[] input = {};
    private AggregateOperator operator = aggregate(true, List.of());
    private HandMade hand = new HandMade();
    private int next;
    private long tick;

    @Setup
    public void setUp() {
        operator.close();
        hand = new HandMade();
        input = Inputs.random(512, groups, memory);
        AggregateCall max = AggregateCall.of(AggregateFunction.MAX, DataType.BIGINT, 1);
        AggregateCall count = AggregateCall.of(AggregateFunction.COUNT, DataType.BIGINT);
        AggregateCall sum = AggregateCall.of(AggregateFunction.SUM, DataType.BIGINT, 1);
        operator = switch (calls) {
            case "COUNT" -> aggregate(true, List.of(count));
            case "COUNT SUM MAX" -> aggregate(true, List.of(count, sum, max));
            case "retractable MAX" -> aggregate(false, List.of(max));
            case "AVG" -> aggregate(true, List.of(AggregateCall.of(AggregateFunction.AVG, DataType.DOUBLE, 1)));
            default -> throw new IllegalArgumentException(calls);
        };
    }

    private AggregateOperator aggregate(boolean appendOnly, List<AggregateCall> of) {
        List<Column> columns = new ArrayList<>(List.of(Inputs.SCHEMA.column(0)));
        of.forEach(call -> columns.add(new Column("a", call.type())));
        return AggregateOperator.create(
                new PlanNode.Aggregate(Inputs.source(appendOnly), List.of(0), of, new Schema(columns), Traits.NONE),
                Inputs.context(memory));
    }

    @Benchmark
    @OperationsPerInvocation(TICK_BATCHES * Inputs.BATCH)
    public void tick() {
        for (int i = 0; i < TICK_BATCHES; i++) {
            operator.onBatch(0, input[next].retain());
            next = (next + 1) % input.length;
        }
        operator.onTickEnd(new Tick(tick++, 0, List.of()));
    }

    /** COUNT, SUM and MAX of an input that only adds rows, in arrays: what {@link #tick} does for these, less its generality. */
    @Benchmark
    @OperationsPerInvocation(TICK_BATCHES * Inputs.BATCH)
    public void tickByHand() {
        hand.tick(input, next, TICK_BATCHES);
        next = (next + TICK_BATCHES) % input.length;
    }

    /** A hash table of longs with open addressing. */
    private static final class HandMade {
        private final long[] keys = new long[1 << 21];
        private final long[] counts = new long[1 << 21];
        private final long[] sums = new long[1 << 21];
        private final long[] greatest = new long[1 << 21];
        private final long[] stamps = new long[1 << 21];
        private final int[] touched = new int[TICK_BATCHES * Inputs.BATCH];
        private final long[] out = new long[4 * TICK_BATCHES * Inputs.BATCH];
        private long stamp;

        void tick(ColumnBatch[] batches, int from, int howMany) {
            stamp++;
            int n = 0;
            for (int b = 0; b < howMany; b++) {
                ColumnBatch batch = batches[(from + b) % batches.length];
                long keyData = batch.data(0);
                long values = batch.data(1);
                for (int i = 0; i < batch.rows(); i++) {
                    int at = slot(Mem.getLong(keyData + 8L * i));
                    long value = Mem.getLong(values + 8L * i);
                    if (stamps[at] != stamp) {
                        stamps[at] = stamp;
                        touched[n++] = at;
                    }
                    counts[at]++;
                    sums[at] = Math.addExact(sums[at], value);
                    greatest[at] = Math.max(greatest[at], value);
                }
            }
            for (int i = 0; i < n; i++) {
                int at = touched[i];
                out[4 * i] = keys[at];
                out[4 * i + 1] = counts[at];
                out[4 * i + 2] = sums[at];
                out[4 * i + 3] = greatest[at];
            }
        }

        private int slot(long key) {
            int at = (int) (Hashing.hashLong(key) >>> 43);
            while (counts[at] != 0 && keys[at] != key) {
                at = (at + 1) & (keys.length - 1);
            }
            keys[at] = key;
            return at;
        }
    }

    @TearDown
    public void tearDown() {
        operator.close();
        Inputs.close(input);
    }
}

package io.tailwater.benchmarks;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;

import java.time.ZoneOffset;
import java.util.List;
import java.util.SplittableRandom;

/** Batches of (k, v, w), all BIGINT, with random keys from one seed. */
final class Inputs {
    static final Schema SCHEMA = Schema.of(
            new Column("k", DataType.BIGINT.notNull()),
            new Column("v", DataType.BIGINT),
            new Column("w", DataType.BIGINT));
    /** Of {@link #keys}. */
    static final Schema KEYS = Schema.of(SCHEMA.column(0));

    static final int BATCH = ColumnBatch.TARGET_ROWS;

    private static final long SPREAD = 7919;

    private Inputs() {}

    /** Keys are {@code 0..keys} spread out. The caller owns the batches. */
    static ColumnBatch[] random(int batches, int keys, MemoryAccount memory) {
        SplittableRandom random = new SplittableRandom(7);
        ColumnBatch[] out = new ColumnBatch[batches];
        for (int b = 0; b < batches; b++) {
            BatchBuilder batch = new BatchBuilder(SCHEMA, BATCH, false, memory);
            for (int i = 0; i < BATCH; i++) {
                put(batch, i, random.nextInt(keys) * SPREAD, random.nextInt(1000));
            }
            out[b] = batch.finish(BATCH);
        }
        return out;
    }

    /** The keys of {@link #random} alone. The caller owns the batches. */
    static ColumnBatch[] keys(int batches, int keys, MemoryAccount memory) {
        SplittableRandom random = new SplittableRandom(7);
        ColumnBatch[] out = new ColumnBatch[batches];
        for (int b = 0; b < batches; b++) {
            BatchBuilder batch = new BatchBuilder(KEYS, BATCH, false, memory);
            for (int i = 0; i < BATCH; i++) {
                Mem.putLong(batch.data(0) + 8L * i, random.nextInt(keys) * SPREAD);
            }
            out[b] = batch.finish(BATCH);
        }
        return out;
    }

    /** Each key once, in order. The caller owns the batches. */
    static ColumnBatch[] each(int keys, MemoryAccount memory) {
        ColumnBatch[] out = new ColumnBatch[keys / BATCH];
        for (int b = 0; b < out.length; b++) {
            BatchBuilder batch = new BatchBuilder(SCHEMA, BATCH, false, memory);
            for (int i = 0; i < BATCH; i++) {
                put(batch, i, ((long) b * BATCH + i) * SPREAD, i);
            }
            out[b] = batch.finish(BATCH);
        }
        return out;
    }

    private static void put(BatchBuilder batch, int row, long key, long value) {
        Mem.putLong(batch.data(0) + 8L * row, key);
        Mem.putLong(batch.data(1) + 8L * row, value);
        Mem.putLong(batch.data(2) + 8L * row, value * 3);
    }

    static PlanNode source(boolean appendOnly) {
        Traits traits = appendOnly ? new Traits(new Distribution.Any(), true, List.of(), List.of()) : Traits.NONE;
        return new PlanNode.Values(List.of(), SCHEMA, traits);
    }

    /** An operator's surroundings; its output is dropped. */
    static OperatorContext context(MemoryAccount memory) {
        return new OperatorContext(memory, ColumnBatch::close, 0, 1, ZoneOffset.UTC, new OperatorContext.TickClock());
    }

    /** In place of an operator that has yet to be made. */
    static Operator nothing() {
        return new Operator() {
            @Override
            public void onBatch(int input, ColumnBatch batch) {
                batch.close();
            }

            @Override
            public void onTickEnd(Tick tick) {}

            @Override
            public void close() {}
        };
    }

    static void close(ColumnBatch[] batches) {
        for (ColumnBatch batch : batches) {
            batch.close();
        }
    }
}

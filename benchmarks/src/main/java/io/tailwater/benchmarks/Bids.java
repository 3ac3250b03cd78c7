package io.tailwater.benchmarks;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Batches in the likeness of Nexmark's bids: ten thousand a second of event time, an eighth of them by a hot key that changes. */
final class Bids {
    static final Schema SCHEMA = Schema.of(
            new Column("auction", DataType.BIGINT.notNull()),
            new Column("bidder", DataType.BIGINT.notNull()),
            new Column("price", DataType.BIGINT.notNull()),
            new Column("channel", DataType.VARCHAR.notNull()),
            new Column("url", DataType.VARCHAR.notNull()),
            new Column("dateTime", DataType.timestamp(3).notNull()),
            new Column("extra", DataType.VARCHAR.notNull()));
    private static final byte[] EXTRA = "padding of about the length that a bid has, so that it is not kept in its slot"
            .getBytes(StandardCharsets.UTF_8);

    private Bids() {}

    /** Bids in order of time. Keys move on with it. The caller owns the batches. */
    static ColumnBatch[] make(int batches, MemoryAccount memory) {
        SplittableRandom random = new SplittableRandom(11);
        ColumnBatch[] out = new ColumnBatch[batches];
        long number = 0;
        for (int b = 0; b < batches; b++) {
            BatchBuilder batch = new BatchBuilder(SCHEMA, Inputs.BATCH, false, memory);
            for (int i = 0; i < Inputs.BATCH; i++, number++) {
                long base = number / 15;
                boolean hot = random.nextInt(8) == 0;
                put(batch, 0, i, hot ? base / 100 * 100 : base + random.nextInt(110));
                put(batch, 1, i, hot ? base / 100 * 100 : base / 3 + random.nextInt(1010));
                put(batch, 2, i, 100 + (long) Math.pow(10, random.nextDouble() * 6));
                batch.putString(3, i, "Google");
                batch.putString(4, i, "https://www.nexmark.com/a/b/c/item.htm?query=1");
                put(batch, 5, i, number * 100);
                batch.putBytes(6, i, EXTRA, 0, 54 + random.nextInt(20));
            }
            out[b] = batch.finish(Inputs.BATCH);
        }
        return out;
    }

    private static void put(BatchBuilder batch, int column, int row, long value) {
        Mem.putLong(batch.data(column) + 8L * row, value);
    }
}

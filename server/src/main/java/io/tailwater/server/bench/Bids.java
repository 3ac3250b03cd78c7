package io.tailwater.server.bench;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.SplittableRandom;

/** Rows as a client of a stored {@code bid} stream appends them: half the bids go to one hot auction, the others to a hundred open ones. Owned by one thread. */
final class Bids {
    static final Schema SCHEMA = Schema.of(
            new Column("auction", DataType.BIGINT.notNull()),
            new Column("bidder", DataType.BIGINT.notNull()),
            new Column("price", DataType.BIGINT.notNull()),
            new Column("channel", DataType.VARCHAR.notNull()),
            new Column("url", DataType.VARCHAR.notNull()),
            new Column("dateTime", DataType.timestamp(3).notNull()),
            new Column("extra", DataType.VARCHAR.notNull()));
    static final String CREATE =
            "CREATE STREAM bid (auction BIGINT NOT NULL, bidder BIGINT NOT NULL, price BIGINT NOT NULL, "
                    + "channel VARCHAR NOT NULL, url VARCHAR NOT NULL, \"dateTime\" TIMESTAMP(3) NOT NULL, extra VARCHAR NOT NULL)";

    private static final long FIRST_TIME_MICROS = 1_700_000_000_000_000L;
    private static final int OPEN_AUCTIONS = 100;
    /** Bids while one auction stays hot. */
    private static final long HOT_BIDS = 1_533;
    /** Bids for each new auction. */
    private static final long BIDS_PER_AUCTION = 15;

    private final SplittableRandom random;

    Bids(long seed) {
        random = new SplittableRandom(seed);
    }

    /**
     * Some bids; the caller owns the batch.
     *
     * @param from number of the first among all clients' bids
     * @param rate bids a second of event time
     */
    ColumnBatch batch(int rows, long from, int rate, MemoryAccount memory) {
        try (BatchBuilder out = new BatchBuilder(SCHEMA, rows, false, memory)) {
            for (int i = 0; i < rows; i++) {
                long number = from + i;
                long newest = number / BIDS_PER_AUCTION;
                boolean hot = random.nextBoolean();
                long auction = hot
                        ? number / HOT_BIDS * (HOT_BIDS / BIDS_PER_AUCTION)
                        : Math.max(0, newest - random.nextInt(OPEN_AUCTIONS));
                Mem.putLong(out.data(0) + 8L * i, 1_000 + auction);
                Mem.putLong(out.data(1) + 8L * i, 1_000 + random.nextInt(10_000));
                Mem.putLong(out.data(2) + 8L * i, 100 + random.nextInt(10_000_000));
                out.putString(3, i, "channel-" + random.nextInt(100));
                out.putString(4, i, "https://www.nexmark.com/item.htm?query=1");
                Mem.putLong(out.data(5) + 8L * i, FIRST_TIME_MICROS + number * 1_000_000 / rate / 1_000 * 1_000);
                out.putString(6, i, "a filler that brings the row to about as many bytes as a real bid");
            }
            return out.finish(rows);
        }
    }
}

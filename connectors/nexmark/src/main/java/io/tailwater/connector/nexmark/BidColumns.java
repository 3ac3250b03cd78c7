package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.Mem;

import static io.tailwater.connector.nexmark.Draws.GAMMA;
import static io.tailwater.connector.nexmark.Draws.below;
import static io.tailwater.connector.nexmark.Draws.draw;

/**
 * Bids: the hot path of the benchmark. The draws of a bid are: hot auction?, [which], hot bidder?, [which], price, channel, length of the filler,
 * its place. The two in brackets are only drawn for a cold auction or bidder, so later draws move by what came before: the state is moved on by
 * arithmetic instead of a branch that would be mispredicted every other time.
 */
final class BidColumns implements Columns {
    private static final int AUCTION = 0;
    private static final int BIDDER = 1;
    private static final int PRICE = 2;
    private static final int CHANNEL = 3;
    private static final int URL = 4;
    private static final int DATE_TIME = 5;
    private static final int EXTRA = 6;

    /** Filler brings a bid to 100 bytes on average: 68 +- 20 %. */
    private static final int EXTRA_SPREAD = 14;

    private static final int EXTRA_LEAST = 68 - EXTRA_SPREAD;

    private final int[] slots;
    private final TextPools pools;
    private final boolean needsTail;
    private final boolean needsBidder;

    BidColumns(int[] slots, TextPools pools) {
        this.slots = slots;
        this.pools = pools;
        needsTail = slots[PRICE] >= 0 || slots[CHANNEL] >= 0 || slots[URL] >= 0 || slots[EXTRA] >= 0;
        needsBidder = needsTail || slots[BIDDER] >= 0;
    }

    @Override
    public void fill(BatchBuilder out, Window window) {
        int rows = window.rows();
        long[] state = window.states();
        if (slots[DATE_TIME] >= 0) {
            window.times(out.data(slots[DATE_TIME]));
        }
        if (needsBidder || slots[AUCTION] >= 0) {
            window.seedStates();
        }
        if (slots[AUCTION] >= 0) {
            auctions(window.epochs(), state, rows, out.data(slots[AUCTION]));
        }
        if (needsBidder) {
            passAuction(state, rows);
        }
        if (slots[BIDDER] >= 0) {
            bidders(window.epochs(), state, rows, out.data(slots[BIDDER]));
        }
        if (needsTail) {
            passBidder(state, rows);
        }
        if (slots[PRICE] >= 0) {
            prices(state, rows, out.data(slots[PRICE]));
        }
        if (slots[CHANNEL] >= 0) {
            channelTexts(state, rows, pools.channels(), out.data(slots[CHANNEL]));
        }
        if (slots[URL] >= 0) {
            channelTexts(state, rows, pools.urls(), out.data(slots[URL]));
        }
        if (slots[EXTRA] >= 0) {
            extras(state, rows, pools.letters(), out.data(slots[EXTRA]));
        }
    }

    private static void auctions(long[] epoch, long[] state, int rows, long out) {
        for (int r = 0; r < rows; r++) {
            long last = epoch[r] * 3 + 2;
            long oldest = Math.max(last - Draws.IN_FLIGHT_AUCTIONS, 0);
            long hot = last / Draws.HOT_BATCH * Draws.HOT_BATCH;
            long cold = oldest + below(draw(state[r], 2), (int) (last - oldest) + 1 + Draws.ID_LEAD);
            // One in two is hot: the top bit.
            long isHot = draw(state[r], 1) >> 63;
            Mem.putLong(out + 8L * r, Draws.FIRST_ID + cold + ((hot - cold) & isHot));
        }
    }

    private static void passAuction(long[] state, int rows) {
        for (int r = 0; r < rows; r++) {
            long isHot = draw(state[r], 1) >> 63;
            state[r] += GAMMA + (GAMMA & ~isHot);
        }
    }

    private static void bidders(long[] epoch, long[] state, int rows, long out) {
        for (int r = 0; r < rows; r++) {
            long hot = epoch[r] / Draws.HOT_BATCH * Draws.HOT_BATCH + 1;
            long cold = Draws.activePerson(epoch[r], draw(state[r], 2));
            Mem.putLong(out + 8L * r, Draws.FIRST_ID + cold + ((hot - cold) & isHotBidder(state[r])));
        }
    }

    private static void passBidder(long[] state, int rows) {
        for (int r = 0; r < rows; r++) {
            state[r] += GAMMA + (GAMMA & ~isHotBidder(state[r]));
        }
    }

    /** All ones for three in four: unless the top two bits are zero. */
    private static long isHotBidder(long state) {
        return -(draw(state, 1) >>> 62) >> 63;
    }

    private static void prices(long[] state, int rows, long out) {
        for (int r = 0; r < rows; r++) {
            Mem.putLong(out + 8L * r, Draws.price(draw(state[r], 1)));
        }
    }

    /** Half the bids come through one of the hot channels. */
    private static void channelTexts(long[] state, int rows, long views, long out) {
        for (int r = 0; r < rows; r++) {
            int c = below(draw(state[r], 2), 2 * TextPools.COLD_CHANNELS);
            int hot = c & (TextPools.HOT_CHANNELS - 1);
            int cold = TextPools.HOT_CHANNELS + c;
            int isCold = (c - TextPools.COLD_CHANNELS) >> 31;
            long from = views + 16L * (hot + ((cold - hot) & isCold));
            Mem.putLong(out + 16L * r, Mem.getLong(from));
            Mem.putLong(out + 16L * r + 8, Mem.getLong(from + 8));
        }
    }

    private static void extras(long[] state, int rows, long letters, long out) {
        for (int r = 0; r < rows; r++) {
            int length = EXTRA_LEAST + below(draw(state[r], 3), 2 * EXTRA_SPREAD);
            long bytes = letters + below(draw(state[r], 4), TextPools.POOL - 1024);
            Columns.putLongView(out + 16L * r, bytes, length);
        }
    }
}

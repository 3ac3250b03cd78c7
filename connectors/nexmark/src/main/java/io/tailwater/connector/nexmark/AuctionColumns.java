package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;

import static io.tailwater.connector.nexmark.Draws.GAMMA;
import static io.tailwater.connector.nexmark.Draws.below;
import static io.tailwater.connector.nexmark.Draws.draw;

/**
 * Auctions. Their draws are: hot seller?, [which], category, initial bid, reserve, expiry, length and place of the item's name, of the description, of
 * the filler. The one in brackets is only drawn for a cold seller.
 */
final class AuctionColumns implements Columns {
    private static final int ID = 0;
    private static final int ITEM_NAME = 1;
    private static final int DESCRIPTION = 2;
    private static final int INITIAL_BID = 3;
    private static final int RESERVE = 4;
    private static final int DATE_TIME = 5;
    private static final int EXPIRES = 6;
    private static final int SELLER = 7;
    private static final int CATEGORY = 8;
    private static final int EXTRA = 9;

    private static final int CATEGORIES = 5;
    private static final long FIRST_CATEGORY = 10;
    /** An auction is open for about as long as it takes 100 others to begin. */
    private static final int HORIZON_EVENTS = Draws.IN_FLIGHT_AUCTIONS * EventKind.EPOCH / 3;

    private static final int MEAN_BYTES = 500;
    private static final int FIXED_BYTES = 48;

    private final int[] slots;
    private final TextPools pools;
    private final long rate;

    AuctionColumns(int[] slots, TextPools pools, long rate) {
        this.slots = slots;
        this.pools = pools;
        this.rate = rate;
    }

    @Override
    public void fill(BatchBuilder out, Window window) {
        if (slots[ID] >= 0) {
            ids(window, out.data(slots[ID]));
        }
        if (slots[DATE_TIME] >= 0) {
            window.times(out.data(slots[DATE_TIME]));
        }
        window.seedStates();
        if (slots[SELLER] >= 0) {
            sellers(window, out.data(slots[SELLER]));
        }
        passSeller(window.states(), window.rows());
        if (slots[CATEGORY] >= 0) {
            categories(window, out.data(slots[CATEGORY]));
        }
        if (slots[INITIAL_BID] >= 0) {
            initialBids(window, out.data(slots[INITIAL_BID]));
        }
        if (slots[RESERVE] >= 0) {
            reserves(window, out.data(slots[RESERVE]));
        }
        if (slots[EXPIRES] >= 0) {
            expiries(window, out.data(slots[EXPIRES]));
        }
        if (slots[ITEM_NAME] >= 0) {
            texts(window, true, out.data(slots[ITEM_NAME]));
        }
        if (slots[DESCRIPTION] >= 0) {
            texts(window, false, out.data(slots[DESCRIPTION]));
        }
        if (slots[EXTRA] >= 0) {
            extras(window, out.data(slots[EXTRA]));
        }
    }

    private static void ids(Window window, long out) {
        for (int r = 0; r < window.rows(); r++) {
            long nth = window.numbers()[r] - window.epochs()[r] * EventKind.EPOCH - 1;
            Mem.putLong(out + 8L * r, Draws.FIRST_ID + window.epochs()[r] * 3 + nth);
        }
    }

    private static void sellers(Window window, long out) {
        for (int r = 0; r < window.rows(); r++) {
            long epoch = window.epochs()[r];
            long state = window.states()[r];
            long hot = epoch / Draws.HOT_BATCH * Draws.HOT_BATCH;
            long cold = Draws.activePerson(epoch, draw(state, 2));
            Mem.putLong(out + 8L * r, Draws.FIRST_ID + cold + ((hot - cold) & isHotSeller(state)));
        }
    }

    private static void passSeller(long[] state, int rows) {
        for (int r = 0; r < rows; r++) {
            state[r] += GAMMA + (GAMMA & ~isHotSeller(state[r]));
        }
    }

    /** All ones for three in four: unless the top two bits are zero. */
    private static long isHotSeller(long state) {
        return -(draw(state, 1) >>> 62) >> 63;
    }

    private static void categories(Window window, long out) {
        for (int r = 0; r < window.rows(); r++) {
            Mem.putLong(out + 8L * r, FIRST_CATEGORY + below(draw(window.states()[r], 1), CATEGORIES));
        }
    }

    private static void initialBids(Window window, long out) {
        for (int r = 0; r < window.rows(); r++) {
            Mem.putLong(out + 8L * r, Draws.price(draw(window.states()[r], 2)));
        }
    }

    private static void reserves(Window window, long out) {
        for (int r = 0; r < window.rows(); r++) {
            long state = window.states()[r];
            Mem.putLong(out + 8L * r, Draws.price(draw(state, 2)) + Draws.price(draw(state, 3)));
        }
    }

    private void expiries(Window window, long out) {
        for (int r = 0; r < window.rows(); r++) {
            long number = window.numbers()[r];
            long begins = Draws.timestampMillis(number, rate);
            long horizon = Draws.timestampMillis(number + HORIZON_EVENTS, rate) - begins;
            int after = below(draw(window.states()[r], 4), (int) Math.max(horizon * 2, 1));
            Mem.putLong(out + 8L * r, (begins + 1 + after) * 1000);
        }
    }

    private void texts(Window window, boolean item, long out) {
        for (int r = 0; r < window.rows(); r++) {
            long text = item ? item(window.states()[r]) : description(window.states()[r]);
            StringView.put(out + 16L * r, pools.words() + (text >>> 32), (int) text);
        }
    }

    private void extras(Window window, long out) {
        for (int r = 0; r < window.rows(); r++) {
            long state = window.states()[r];
            int mean = MEAN_BYTES - FIXED_BYTES - (int) item(state) - (int) description(state);
            int spread = (mean * 2 + 5) / 10;
            int length = mean - spread + below(draw(state, 9), 2 * spread);
            long bytes = pools.letters() + below(draw(state, 10), TextPools.POOL - 1024);
            Columns.putLongView(out + 16L * r, bytes, length);
        }
    }

    private long item(long state) {
        return trimmed(3 + below(draw(state, 5), 17), draw(state, 6));
    }

    private long description(long state) {
        return trimmed(3 + below(draw(state, 7), 97), draw(state, 8));
    }

    /** A slice of the words without spaces at its ends: offset in the high half, length in the low one. */
    private long trimmed(int length, long draw) {
        long from = below(draw, TextPools.POOL - 128);
        long to = from + length;
        while (to > from && Mem.getByte(pools.words() + to - 1) == ' ') {
            to--;
        }
        while (from < to && Mem.getByte(pools.words() + from) == ' ') {
            from++;
        }
        return from << 32 | (to - from);
    }
}

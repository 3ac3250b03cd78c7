package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;

import static io.tailwater.connector.nexmark.Draws.below;
import static io.tailwater.connector.nexmark.Draws.draw;

/** People. Their draws are: name, length and place of the email's user and of its host, both halves of the card, city, state, filler. */
final class PersonColumns implements Columns {
    private static final int ID = 0;
    private static final int NAME = 1;
    private static final int EMAIL_ADDRESS = 2;
    private static final int CREDIT_CARD = 3;
    private static final int CITY = 4;
    private static final int STATE = 5;
    private static final int DATE_TIME = 6;
    private static final int EXTRA = 7;

    private static final int NAMES = TextPools.FIRST_NAMES.length * TextPools.LAST_NAMES.length;
    private static final int CARD_DIGITS = 19;
    private static final byte[] DOT_COM = {'.', 'c', 'o', 'm'};

    private static final int MEAN_BYTES = 200;
    /** Id, card, state, and what an email address has besides user and host. */
    private static final int FIXED_BYTES = 8 + CARD_DIGITS + 2 + 5;

    private final int[] slots;
    private final TextPools pools;
    private final byte[] scratch = new byte[CARD_DIGITS];

    PersonColumns(int[] slots, TextPools pools) {
        this.slots = slots;
        this.pools = pools;
    }

    @Override
    public void fill(BatchBuilder out, Window window) {
        if (slots[ID] >= 0) {
            for (int r = 0; r < window.rows(); r++) {
                Mem.putLong(out.data(slots[ID]) + 8L * r, Draws.FIRST_ID + window.epochs()[r]);
            }
        }
        if (slots[DATE_TIME] >= 0) {
            window.times(out.data(slots[DATE_TIME]));
        }
        window.seedStates();
        if (slots[NAME] >= 0) {
            picks(window, 1, NAMES, pools.names(), out.data(slots[NAME]));
        }
        if (slots[CITY] >= 0) {
            picks(window, 8, TextPools.CITIES.length, pools.cities(), out.data(slots[CITY]));
        }
        if (slots[STATE] >= 0) {
            picks(window, 9, TextPools.STATES.length, pools.states(), out.data(slots[STATE]));
        }
        for (int r = 0; r < window.rows(); r++) {
            long state = window.states()[r];
            if (slots[EMAIL_ADDRESS] >= 0) {
                email(out, r, state);
            }
            if (slots[CREDIT_CARD] >= 0) {
                creditCard(out, r, state);
            }
            if (slots[EXTRA] >= 0) {
                extra(out.data(slots[EXTRA]) + 16L * r, state);
            }
        }
    }

    private static void picks(Window window, int draw, int bound, long views, long out) {
        for (int r = 0; r < window.rows(); r++) {
            int pick = below(draw(window.states()[r], draw), bound);
            StringView.copySlot(views + 16L * pick, out + 16L * r);
        }
    }

    private void email(BatchBuilder out, int row, long state) {
        int userLength = userLength(state);
        int hostLength = hostLength(state);
        Mem.copyToArray(pools.letters() + below(draw(state, 3), TextPools.POOL - 16), scratch, 0, userLength);
        scratch[userLength] = '@';
        Mem.copyToArray(
                pools.letters() + below(draw(state, 5), TextPools.POOL - 16), scratch, userLength + 1, hostLength);
        int dot = userLength + 1 + hostLength;
        System.arraycopy(DOT_COM, 0, scratch, dot, DOT_COM.length);
        out.putBytes(slots[EMAIL_ADDRESS], row, scratch, 0, dot + DOT_COM.length);
    }

    private void creditCard(BatchBuilder out, int row, long state) {
        long number = below(draw(state, 6), 100_000_000) * 100_000_000L + below(draw(state, 7), 100_000_000);
        for (int p = CARD_DIGITS - 1; p >= 0; p--) {
            if (p == 4 || p == 9 || p == 14) {
                scratch[p] = ' ';
            } else {
                scratch[p] = (byte) ('0' + number % 10);
                number /= 10;
            }
        }
        out.putBytes(slots[CREDIT_CARD], row, scratch, 0, CARD_DIGITS);
    }

    private void extra(long slot, long state) {
        int name = StringView.length(pools.names() + 16L * below(draw(state, 1), NAMES));
        int city = StringView.length(pools.cities() + 16L * below(draw(state, 8), TextPools.CITIES.length));
        int mean = MEAN_BYTES - FIXED_BYTES - name - userLength(state) - hostLength(state) - city;
        int spread = (mean * 2 + 5) / 10;
        int length = mean - spread + below(draw(state, 10), 2 * spread);
        long bytes = pools.letters() + below(draw(state, 11), TextPools.POOL - 1024);
        Columns.putLongView(slot, bytes, length);
    }

    private static int userLength(long state) {
        return 3 + below(draw(state, 2), 4);
    }

    private static int hostLength(long state) {
        return 3 + below(draw(state, 4), 2);
    }
}

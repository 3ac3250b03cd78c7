package io.tailwater.connector.nexmark;

/**
 * The random numbers behind an event: SplitMix64 (Steele et al. 2014), one stream for each event. Draw {@code n} of event {@code i} is {@code
 * mix(state(seed, i) + n * GAMMA)}, so any draw can be had without those before it: that is what makes reading some columns only cheap.
 */
final class Draws {
    static final long GAMMA = 0x9E3779B97F4A7C15L;

    /** 2015-07-15T00:00:00Z, the base time of the Beam suite, in milliseconds. */
    static final long BASE_TIME_MILLIS = 1_436_918_400_000L;

    static final long FIRST_ID = 1000;
    /** Hot ids change each so many people or auctions. */
    static final int HOT_BATCH = 100;
    /** References to people and auctions lead by up to so many, so that some come before what they refer to. */
    static final int ID_LEAD = 10;

    static final int ACTIVE_PEOPLE = 1000;
    static final int IN_FLIGHT_AUCTIONS = 100;

    private static final int PRICE_BITS = 12;
    private static final long[] PRICES = prices();

    private Draws() {}

    private static long[] prices() {
        long[] table = new long[(1 << PRICE_BITS) + 1];
        for (int i = 0; i < table.length; i++) {
            table[i] = StrictMath.round(StrictMath.pow(10.0, 6.0 * i / (1 << PRICE_BITS)) * 100.0 * 65536.0);
        }
        return table;
    }

    static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** What the draws of event {@code i} start from. */
    static long state(long seed, long i) {
        return mix(seed + mix(i + GAMMA));
    }

    /** Draw {@code n}, counted from 1. */
    static long draw(long state, long n) {
        return mix(state + n * GAMMA);
    }

    /** A draw as a number from 0 to {@code bound} - 1. */
    static int below(long draw, int bound) {
        return (int) (((draw >>> 32) * bound) >>> 32);
    }

    /** A draw as a price: log-uniform between 100 and 100,000,000, linear between 4,097 points of 100 * 10^(6u). */
    static long price(long draw) {
        int k = (int) (draw >>> (64 - PRICE_BITS));
        long fraction = (draw >>> 28) & 0xFFFFFF;
        long low = PRICES[k];
        return (low + (((PRICES[k + 1] - low) * fraction) >> 24) + 32768) >> 16;
    }

    /** A base-0 person id out of the last 1,000 people, plus a few who are yet to come. */
    static long activePerson(long epoch, long draw) {
        long people = epoch + 1;
        long active = Math.min(people, ACTIVE_PEOPLE);
        return people - active + below(draw, (int) active + ID_LEAD);
    }

    static long timestampMillis(long i, long rate) {
        return BASE_TIME_MILLIS + i * 1000L / rate;
    }
}

package io.tailwater.connector.nexmark;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The texts that events of one seed are cut from, off-heap and never freed: views of them need no owner, so text costs its 16-byte view and
 * no copy. At most {@link #MAX_SEEDS} live in a process, about 3 MB each. Immutable; thread-safe.
 */
final class TextPools {
    static final int MAX_SEEDS = 32;
    /** Bytes of {@link #letters} and of {@link #words}. */
    static final int POOL = 1 << 20;

    static final String[] FIRST_NAMES = {
        "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"
    };
    static final String[] LAST_NAMES = {
        "Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"
    };
    static final String[] CITIES = {
        "Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne"
    };
    static final String[] STATES = {"AZ", "CA", "ID", "OR", "WA", "WY"};
    private static final String[] HOT_CHANNEL_NAMES = {"Google", "Facebook", "Baidu", "Apple"};
    static final int HOT_CHANNELS = HOT_CHANNEL_NAMES.length;
    static final int COLD_CHANNELS = 10_000;

    private static final Map<Long, TextPools> BY_SEED = new HashMap<>();

    private final long letters;
    private final long words;
    private final long names;
    private final long cities;
    private final long states;
    private final long channels;
    private final long urls;

    private long rng;

    private TextPools(long seed) {
        rng = Draws.mix(seed ^ 0x6E65786D61726BL);
        byte[] letterBytes = new byte[POOL];
        byte[] wordBytes = new byte[POOL];
        for (int i = 0; i < POOL; i++) {
            letterBytes[i] = (byte) ('a' + below(26));
            wordBytes[i] = below(13) == 0 ? (byte) ' ' : (byte) ('a' + below(26));
        }
        letters = copy(letterBytes);
        words = copy(wordBytes);
        String[] fullNames = new String[FIRST_NAMES.length * LAST_NAMES.length];
        for (int n = 0; n < fullNames.length; n++) {
            fullNames[n] = FIRST_NAMES[n / LAST_NAMES.length] + " " + LAST_NAMES[n % LAST_NAMES.length];
        }
        names = views(fullNames);
        cities = views(CITIES);
        states = views(STATES);
        String[] channelNames = new String[HOT_CHANNELS + COLD_CHANNELS];
        String[] channelUrls = new String[channelNames.length];
        for (int c = 0; c < channelNames.length; c++) {
            int cold = c - HOT_CHANNELS;
            channelNames[c] = cold < 0 ? HOT_CHANNEL_NAMES[c] : "channel-" + cold;
            channelUrls[c] = url(cold);
        }
        channels = views(channelNames);
        urls = views(channelUrls);
    }

    /** The pools of a seed, made at its first use (some 20 ms). */
    static synchronized TextPools of(long seed) {
        TextPools known = BY_SEED.get(seed);
        if (known != null) {
            return known;
        }
        if (BY_SEED.size() == MAX_SEEDS) {
            throw new StreamException(
                    ErrorCode.OUT_OF_MEMORY,
                    "nexmark streams of more than " + MAX_SEEDS + " different seeds were read by this process",
                    -1,
                    "Use one of the seeds that were read before, or restart the server.",
                    null);
        }
        TextPools made = new TextPools(seed);
        BY_SEED.put(seed, made);
        return made;
    }

    private String url(int cold) {
        StringBuilder url = new StringBuilder("https://www.nexmark.com/");
        for (int directory = 0; directory < 3; directory++) {
            int length = 3 + below(2);
            for (int i = 0; i < length; i++) {
                url.append(below(13) == 0 ? '_' : (char) ('a' + below(26)));
            }
            url.append('/');
        }
        url.append("item.htm?query=1");
        if (cold >= 0 && below(10) > 0) {
            url.append("&channel_id=").append(Math.abs(Integer.reverse(cold)));
        }
        return url.toString();
    }

    private int below(int bound) {
        return Draws.below(Draws.mix(rng += Draws.GAMMA), bound);
    }

    private static long copy(byte[] bytes) {
        long address = Mem.allocate(bytes.length);
        Mem.copyFromArray(bytes, 0, address, bytes.length);
        return address;
    }

    /** An array of views of these texts. */
    private static long views(String[] texts) {
        long views = Mem.allocate((long) texts.length * StringView.SIZE);
        byte[] all = String.join("", texts).getBytes(StandardCharsets.US_ASCII);
        long bytes = copy(all);
        for (int i = 0; i < texts.length; i++) {
            StringView.put(views + (long) i * StringView.SIZE, bytes, texts[i].length());
            bytes += texts[i].length();
        }
        return views;
    }

    /** Address of {@link #POOL} letters: every "extra" and both parts of an email address are slices of it. */
    long letters() {
        return letters;
    }

    /** Address of {@link #POOL} letters with about one space in 13: item names and descriptions are slices of it. */
    long words() {
        return words;
    }

    /** Views of all full names: first * number of last names + last. */
    long names() {
        return names;
    }

    /** Views of {@link #CITIES}. */
    long cities() {
        return cities;
    }

    /** Views of {@link #STATES}. */
    long states() {
        return states;
    }

    /** Views of the names of the hot channels, then of the cold ones. */
    long channels() {
        return channels;
    }

    /** Views of the urls that go with {@link #channels}. */
    long urls() {
        return urls;
    }
}

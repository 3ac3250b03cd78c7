package io.tailwater.storage.snapshot;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file in an application's directory: {@code <epoch>-<tick>-<random>.<kind>}. The random number keeps writers apart that know nothing of each
 * other, and a new file from one that is gone. Immutable.
 *
 * @param kind {@link #STATE} or {@link #MANIFEST}
 */
public record SnapshotName(long epoch, long tick, long random, String kind) {
    public static final String STATE = "state";
    public static final String MANIFEST = "manifest";

    /** From old to new: who was replaced may have got further, but counts less. */
    public static final Comparator<SnapshotName> OLD_TO_NEW = Comparator.comparingLong(SnapshotName::epoch)
            .thenComparingLong(SnapshotName::tick)
            .thenComparingLong(SnapshotName::random);

    private static final Pattern FORM = Pattern.compile("(\\d{1,18})-(\\d{1,18})-([0-9a-f]{16})\\.(state|manifest)");
    private static final Pattern IN_STORE = Pattern.compile("[A-Za-z0-9_%-][A-Za-z0-9_%.-]*/" + FORM.pattern());

    public SnapshotName {
        if (epoch < 0 || tick < 0) {
            throw new IllegalArgumentException("tick " + tick + " of epoch " + epoch);
        }
    }

    /** Null for a name that is not of this form. */
    public static @Nullable SnapshotName parse(String name) {
        Matcher matcher = FORM.matcher(name);
        return matcher.matches()
                ? new SnapshotName(
                        Long.parseLong(matcher.group(1)),
                        Long.parseLong(matcher.group(2)),
                        Long.parseUnsignedLong(matcher.group(3), 16),
                        matcher.group(4))
                : null;
    }

    /** Refuses a name that leads anywhere but into an application's directory. */
    static String checked(String nameInStore) {
        if (!IN_STORE.matcher(nameInStore).matches()) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED, "\"" + nameInStore + "\" is not the name of a file of a snapshot");
        }
        return nameInStore;
    }

    @Override
    public String toString() {
        return String.format(java.util.Locale.ROOT, "%d-%d-%016x.%s", epoch, tick, random, kind);
    }
}

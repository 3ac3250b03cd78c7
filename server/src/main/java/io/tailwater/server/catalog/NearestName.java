package io.tailwater.server.catalog;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** The name that a mistyped one probably meant. */
public final class NearestName {
    private NearestName() {}

    /** The candidate with the fewest edits, if that is at most a third of its length and at least one edit is allowed. Case does not count. */
    public static Optional<String> of(String wrong, Collection<String> candidates) {
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int distance = edits(wrong.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < bestDistance && distance <= Math.max(1, candidate.length() / 3)) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return Optional.ofNullable(best);
    }

    /** {@code Did you mean ...?}, else {@code otherwise}. */
    public static String hint(String wrong, Collection<String> candidates, String otherwise) {
        return of(wrong, candidates)
                .map(name -> "Did you mean \"" + name + "\"?")
                .orElse(otherwise);
    }

    private static int edits(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}

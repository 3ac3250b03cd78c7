package io.tailwater.planner.validate;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Finds the name somebody meant. */
public final class Suggestions {
    private Suggestions() {}

    /** The candidate nearest to {@code name} by edit distance, without regard to case, if it is near enough to be worth saying. */
    public static Optional<String> nearest(String name, Collection<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        SortedSet<String> sorted = new TreeSet<>(candidates);
        String best = null;
        int bestDistance = Math.max(1, wanted.length() / 3) + 1;
        for (String candidate : sorted) {
            if (candidate.equals(name)) {
                continue;
            }
            int distance = distance(wanted, candidate.toLowerCase(Locale.ROOT));
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Edits (insert, delete, replace) between two words. */
    static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, Math.min(previous[j], current[j - 1]) + 1);
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[b.length()];
    }
}

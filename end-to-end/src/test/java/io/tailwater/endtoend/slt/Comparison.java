package io.tailwater.endtoend.slt;

import io.tailwater.endtoend.slt.Script.Query;
import io.tailwater.endtoend.slt.Script.Sort;

import java.util.List;

/** Compares what a query gave with what its script expects. Pure functions. */
final class Comparison {
    private Comparison() {}

    /** Empty if {@code actual} is what is expected; {@code unordered} for rows read from a view, which have no order. */
    static String differs(Query query, Rows actual, boolean unordered) {
        if (!query.types().equals(actual.types())) {
            return "expected columns of types " + query.types() + " but they are " + actual.types();
        }
        Sort sort = unordered && query.sort() == Sort.NOSORT ? Sort.ROWSORT : query.sort();
        if (isHash(query)) {
            return differs(query.expected(), List.of(actual.hash(sort)));
        }
        if (query.sort() == Sort.VALUESORT) {
            return differs(query.expected(), actual.lines(sort));
        }
        List<String> expected =
                unordered ? Rows.parse(query.types(), query.expected()).lines(sort) : query.expected();
        return differs(expected, actual.lines(sort));
    }

    /** As {@link #differs}, for an engine that has other types and writes numbers in another way. */
    static String differsInValues(Query query, Rows actual) {
        Rows canonical = actual.canonical(query.types());
        if (isHash(query)) {
            return "a result that is a hash cannot be compared with another engine's";
        }
        if (query.sort() == Sort.VALUESORT) {
            return "values without their columns cannot be compared with another engine's";
        }
        Rows expected = Rows.parse(query.types(), query.expected()).canonical(query.types());
        return differs(expected.lines(query.sort()), canonical.lines(query.sort()));
    }

    static boolean isHash(Query query) {
        return query.expected().size() == 1 && query.expected().get(0).matches("\\d+ values hashing to [0-9a-f]{32}");
    }

    private static String differs(List<String> expected, List<String> actual) {
        if (expected.equals(actual)) {
            return "";
        }
        return "expected:\n" + lines(expected) + "actual:\n" + lines(actual);
    }

    private static String lines(List<String> lines) {
        return lines.isEmpty() ? "    (no rows)\n" : "    " + String.join("\n    ", lines) + "\n";
    }
}

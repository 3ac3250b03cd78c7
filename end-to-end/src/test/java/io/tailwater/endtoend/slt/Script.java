package io.tailwater.endtoend.slt;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;

/**
 * A script: records divided by blank lines, in the format of sqllogictest, with rows as DuckDB and others write them (one line a row, values divided by tabs).
 *
 * <pre>
 * # a comment
 * statement ok
 * CREATE TABLE t (a INT PRIMARY KEY)
 *
 * statement count 2
 * INSERT INTO t VALUES (1), (2)
 *
 * statement error 23505 duplicate key
 * INSERT INTO t VALUES (1)
 *
 * onlyif batch
 * query I rowsort
 * SELECT a FROM t
 * ----
 * 1
 * 2
 * </pre>
 *
 * <p>A query names the types of its columns: {@code I} whole number, {@code R} other number, {@code T} text, {@code B} boolean, {@code D} date or time, {@code ?}
 * anything else. Rows are {@code nosort}, {@code rowsort} or {@code valuesort}. NULL is {@code NULL} and the empty text {@code (empty)}; a long result may be
 * {@code 120 values hashing to} and the MD5 of its values, each followed by a line feed. {@code onlyif} and {@code skipif} before a record name a {@link Way} or
 * {@code streaming}, {@code tailwater} or {@code duckdb}. {@code restart} restarts the server, in the way that restarts. Immutable.
 *
 * @param name shown in failures
 * @param lines the text
 */
record Script(String name, List<String> lines, List<Entry> entries) {
    Script {
        lines = List.copyOf(lines);
        entries = List.copyOf(entries);
    }

    /** One record of a script. */
    sealed interface Entry {
        /** The line of the record's first word, from 1. */
        int line();

        Conditions conditions();
    }

    /** When a record runs. */
    record Conditions(Set<String> all, Set<String> none) {
        Conditions {
            all = Set.copyOf(all);
            none = Set.copyOf(none);
        }

        boolean hold(Set<String> labels) {
            return labels.containsAll(all) && none.stream().noneMatch(labels::contains);
        }
    }

    /**
     * A statement without rows.
     *
     * @param sqlState what it must fail with, or null if it must succeed
     * @param message what the failure's message must contain
     * @param count the rows it must have changed, or -1
     */
    record Statement(
            int line,
            Conditions conditions,
            String sql,
            @Nullable String sqlState,
            String message,
            long count) implements Entry {}

    /** How the rows of a query are put in order before they are compared. */
    enum Sort {
        NOSORT,
        ROWSORT,
        VALUESORT
    }

    /**
     * A query and its rows.
     *
     * @param types a letter for each column
     * @param expected the lines after {@code ----}
     * @param firstExpected index in {@link Script#lines} of the first of them
     */
    record Query(
            int line,
            Conditions conditions,
            String sql,
            String types,
            Sort sort,
            List<String> expected,
            int firstExpected)
            implements Entry {
        Query {
            expected = List.copyOf(expected);
        }
    }

    /** The server restarts here. */
    record Restart(int line, Conditions conditions) implements Entry {}
}

package io.tailwater.server.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Draws statements on two keyed tables, {@code a(id, g, v, s, d)} and {@code b(id, g, w, s)}, and queries over them, in the SQL that both Tailwater and DuckDB
 * understand. All columns but the keys may be NULL; values are few, so that they repeat and meet.
 */
final class RandomTables {
    private static final int KEYS = 24;

    private final Random random;
    private final String suffix;

    RandomTables(long seed, String suffix) {
        this.random = new Random(seed);
        this.suffix = suffix;
    }

    String a() {
        return "a" + suffix;
    }

    String b() {
        return "b" + suffix;
    }

    /** @param key what makes {@code id} a key, or empty */
    List<String> create(String key) {
        return List.of(
                "CREATE TABLE " + a() + " (id BIGINT" + key + ", g INTEGER, v BIGINT, s VARCHAR, d DECIMAL(12, 2))",
                "CREATE TABLE " + b() + " (id BIGINT" + key + ", g INTEGER, w BIGINT, s VARCHAR)");
    }

    /** A statement, and for DuckDB, which here has no keys, a query that counts the rows which would break them: none may. */
    record Write(String sql, String breaksKey) {}

    Write write() {
        boolean first = random.nextBoolean();
        String table = first ? a() : b();
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3, 4 -> {
                return insert(table, first);
            }
            case 5, 6 -> {
                return new Write("DELETE FROM " + table + " WHERE " + predicate(first, ""), "SELECT 0");
            }
            case 7, 8 -> {
                return new Write(
                        "UPDATE " + table + " SET " + assignment(first) + " WHERE " + predicate(first, ""), "SELECT 0");
            }
            default -> {
                String change = random.nextBoolean() ? "id + " + (1 + random.nextInt(5)) : (2 * KEYS) + " - id";
                String condition = predicate(first, "");
                String moved = "(CASE WHEN " + condition + " THEN " + change + " ELSE id END)";
                return new Write(
                        "UPDATE " + table + " SET id = " + change + " WHERE " + condition,
                        "SELECT COUNT(*) - COUNT(DISTINCT " + moved + ") FROM " + table);
            }
        }
    }

    private Write insert(String table, boolean first) {
        List<String> rows = new ArrayList<>();
        TreeSet<Integer> keys = new TreeSet<>();
        boolean twice = false;
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            int key = random.nextInt(KEYS);
            twice |= !keys.add(key);
            rows.add("(" + key + ", " + group() + ", " + number() + ", " + text() + (first ? ", " + decimal() : "")
                    + ")");
        }
        String list = keys.toString().substring(1, keys.toString().length() - 1);
        return new Write(
                "INSERT INTO " + table + " VALUES " + String.join(", ", rows),
                twice ? "SELECT 1" : "SELECT COUNT(*) FROM " + table + " WHERE id IN (" + list + ")");
    }

    private String assignment(boolean first) {
        String number = first ? "v" : "w";
        return switch (random.nextInt(5)) {
            case 0 -> number + " = " + number + " + " + random.nextInt(10);
            case 1 -> number + " = " + number();
            case 2 -> "s = " + text() + ", g = " + group();
            case 3 -> "g = g + 1, " + number + " = g";
            default -> "s = s || 'x'";
        };
    }

    private String group() {
        return random.nextInt(6) == 0 ? "NULL" : Integer.toString(random.nextInt(4));
    }

    private String number() {
        return random.nextInt(6) == 0 ? "NULL" : Integer.toString(random.nextInt(40) - 10);
    }

    private String text() {
        String[] some = {"NULL", "''", "'a'", "'ab'", "'b'", "'a text of more than twelve bytes'", "'ä'", "'it''s'"};
        return some[random.nextInt(some.length)];
    }

    private String decimal() {
        return random.nextInt(6) == 0
                ? "NULL"
                : (random.nextInt(200) - 100) + "." + String.format(java.util.Locale.ROOT, "%02d", random.nextInt(100));
    }

    /** @param alias of the table, with a dot, or empty */
    private String predicate(boolean first, String alias) {
        String number = alias + (first ? "v" : "w");
        return switch (random.nextInt(10)) {
            case 0 -> number + " > " + random.nextInt(20);
            case 1 -> alias + "g = " + random.nextInt(4);
            case 2 -> alias + "s IS NULL";
            case 3 -> "MOD(" + alias + "id, 3) = " + random.nextInt(3);
            case 4 -> number + " BETWEEN " + random.nextInt(10) + " AND " + (10 + random.nextInt(10));
            case 5 -> alias + "s LIKE 'a%'";
            case 6 -> alias + "id < " + random.nextInt(KEYS);
            case 7 -> "(" + predicate(first, alias) + " OR " + predicate(first, alias) + ")";
            case 8 -> "(" + predicate(first, alias) + " AND " + predicate(first, alias) + ")";
            default -> "NOT (" + predicate(first, alias) + ")";
        };
    }

    /** A query whose rows, as a bag, both must agree on. */
    String query() {
        return switch (random.nextInt(15)) {
            case 0 -> "SELECT id, v, s, d FROM " + a() + " WHERE " + predicate(true, "");
            case 1 ->
                "SELECT g, COUNT(*) AS n, COUNT(v) AS c, SUM(v) AS sm, MIN(s) AS lo, MAX(v) AS hi, SUM(d) AS sd FROM "
                        + a() + " WHERE " + predicate(true, "") + " GROUP BY g";
            case 2 -> "SELECT COUNT(*) AS n, SUM(w) AS sm, MIN(w) AS lo, MAX(s) AS hi FROM " + b();
            case 3 ->
                "SELECT x.id AS i, y.id AS j, x.s AS s, y.w AS w FROM " + a() + " x JOIN " + b()
                        + " y ON x.g = y.g AND " + predicate(true, "x.");
            case 4 ->
                "SELECT x.id AS i, x.v AS v, y.w AS w, y.s AS s FROM " + a() + " x LEFT JOIN " + b()
                        + " y ON x.id = y.id WHERE " + predicate(true, "x.");
            case 5 -> "SELECT DISTINCT g, s FROM " + a() + " WHERE " + predicate(true, "");
            case 6 ->
                "SELECT g, v AS n FROM " + a() + " WHERE " + predicate(true, "") + " UNION ALL SELECT g, w AS n FROM "
                        + b();
            case 7 ->
                "SELECT y.g AS g, COUNT(*) AS n, SUM(x.v + y.w) AS sm, MAX(x.d) AS hi FROM " + a() + " x JOIN " + b()
                        + " y ON x.id = y.id GROUP BY y.g HAVING COUNT(*) > " + random.nextInt(2);
            case 8, 9 ->
                "SELECT g, s FROM " + a() + " WHERE " + predicate(true, "") + setOperation() + "SELECT g, s FROM " + b()
                        + " WHERE " + predicate(false, "");
            case 10 -> "SELECT v AS n FROM " + a() + setOperation() + "SELECT w AS n FROM " + b();
            case 11, 12 ->
                "SELECT id, g, v" + (random.nextBoolean() ? ", rn" : "")
                        + " FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v " + direction()
                        + ", id) AS rn FROM " + a() + " WHERE " + predicate(true, "") + ") t WHERE rn <= "
                        + (1 + random.nextInt(3));
            case 13 ->
                "SELECT id, w FROM " + b() + " ORDER BY w " + direction() + ", id LIMIT " + (1 + random.nextInt(6))
                        + (random.nextBoolean() ? " OFFSET " + random.nextInt(4) : "");
            default ->
                "SELECT n, COUNT(*) AS m FROM (SELECT g, COUNT(*) AS n FROM " + a() + " GROUP BY g) t GROUP BY n";
        };
    }

    private String setOperation() {
        return (random.nextBoolean() ? " INTERSECT " : " EXCEPT ") + (random.nextBoolean() ? "ALL " : "");
    }

    private String direction() {
        return (random.nextBoolean() ? "DESC" : "ASC") + (random.nextBoolean() ? " NULLS FIRST" : " NULLS LAST");
    }

    boolean now(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }
}

package io.tailwater.endtoend.slt;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the runner must know of a statement's text, without a parser of SQL. Pure functions. */
final class SqlTexts {
    private static final Pattern TOKEN = Pattern.compile(
            "--[^\\n]*|/\\*.*?\\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[A-Za-z_][A-Za-z0-9_$]*|[0-9][0-9.eE]*|\\s+|.",
            Pattern.DOTALL);
    private static final Pattern CREATE = Pattern.compile(
            "^\\s*CREATE\\s+(?:OR\\s+REPLACE\\s+)?(?:STREAM|TABLE|(?:MATERIALIZED\\s+)?VIEW)\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?"
                    + "(?:[a-z_]+\\.)?(\"[^\"]+\"|[A-Za-z_][A-Za-z0-9_]*).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern VALUES =
            Pattern.compile("^\\s*(?:INSERT|UPSERT)\\s+INTO\\s+.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private SqlTexts() {}

    /** A piece of SQL at a depth of parentheses. */
    private record Token(String text, int start, int depth) {
        boolean is(String word) {
            return text.equalsIgnoreCase(word);
        }

        boolean isSpace() {
            return text.isBlank() || text.startsWith("--") || text.startsWith("/*");
        }
    }

    /** The relation a CREATE statement creates, in lower case; empty for other statements. */
    static String created(String sql) {
        Matcher matcher = CREATE.matcher(sql);
        return matcher.matches() ? plain(matcher.group(1)) : "";
    }

    /** All names in a statement, in lower case: those of relations among them. */
    static Set<String> names(String sql) {
        Set<String> out = new HashSet<>();
        for (Token token : tokens(sql)) {
            char first = token.text().charAt(0);
            if (Character.isLetter(first) || first == '_' || first == '"') {
                out.add(plain(token.text()));
            }
        }
        return out;
    }

    /** The first word of a statement, in upper case. */
    static String firstWord(String sql) {
        for (Token token : tokens(sql)) {
            if (!token.isSpace() && !token.is("(")) {
                return token.text().toUpperCase(Locale.ROOT);
            }
        }
        return "";
    }

    /** A query without the ORDER BY that would be its last clause; with LIMIT, OFFSET or FETCH after it the order matters and stays. */
    static String withoutOrder(String sql) {
        List<Token> tokens = tokens(sql);
        int order = -1;
        for (Token token : tokens) {
            if (token.depth() == 0) {
                if (token.is("ORDER")) {
                    order = token.start();
                } else if (token.is("LIMIT") || token.is("OFFSET") || token.is("FETCH")) {
                    order = -1;
                }
            }
        }
        return order < 0 ? sql : sql.substring(0, order).stripTrailing();
    }

    /** An INSERT of several rows of VALUES as INSERTs of one row each; any other statement as it is. */
    static List<String> singleRows(String sql) {
        if (!VALUES.matcher(sql).matches()) {
            return List.of(sql);
        }
        List<Token> tokens = tokens(sql);
        int head = -1;
        List<String> rows = new ArrayList<>();
        int open = -1;
        for (Token token : tokens) {
            if (head < 0) {
                head = token.depth() == 0 && token.is("VALUES") ? token.start() + "VALUES".length() : -1;
            } else if (token.depth() == 0 && token.is("(")) {
                open = token.start();
            } else if (token.depth() == 0 && token.is(")")) {
                rows.add(sql.substring(open, token.start() + 1));
            } else if (token.depth() == 0 && !token.isSpace() && !token.is(",")) {
                return List.of(sql);
            }
        }
        if (head < 0) {
            return List.of(sql);
        }
        String start = sql.substring(0, head) + " ";
        return rows.stream().map(row -> start + row).toList();
    }

    private static String plain(String name) {
        String out =
                name.startsWith("\"") ? name.substring(1, name.length() - 1).replace("\"\"", "\"") : name;
        return out.toLowerCase(Locale.ROOT);
    }

    /** The tokens; parentheses have the depth of what is around them. */
    private static List<Token> tokens(String sql) {
        List<Token> out = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(sql);
        int depth = 0;
        while (matcher.find()) {
            String text = matcher.group();
            if (text.equals(")")) {
                depth--;
            }
            out.add(new Token(text, matcher.start(), depth));
            if (text.equals("(")) {
                depth++;
            }
        }
        return out;
    }
}

package io.tailwater.jdbc;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;

/** JDBC's escapes in SQL text, <code>{d '...'}</code>, <code>{fn NAME(...)}</code> and the like, made plain SQL. Quotes and comments are left alone. */
final class JdbcEscapes {
    private static final Map<String, String> FUNCTIONS = Map.ofEntries(
            Map.entry("UCASE", "UPPER"),
            Map.entry("LCASE", "LOWER"),
            Map.entry("LENGTH", "CHAR_LENGTH"),
            Map.entry("CHARACTER_LENGTH", "CHAR_LENGTH"),
            Map.entry("IFNULL", "COALESCE"),
            Map.entry("CEILING", "CEIL"),
            Map.entry("TRUNCATE", "TRUNC"),
            Map.entry("LOG", "LN"));
    /** Functions that SQL writes without parentheses. */
    private static final Map<String, String> CONSTANTS = Map.of(
            "NOW", "LOCALTIMESTAMP",
            "CURDATE", "CURRENT_DATE",
            "CURRENT_DATE", "CURRENT_DATE",
            "CURTIME", "LOCALTIME",
            "CURRENT_TIME", "LOCALTIME",
            "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP");

    private final String sql;
    private final StringBuilder out = new StringBuilder();
    private int at;

    private JdbcEscapes(String sql) {
        this.sql = sql;
    }

    static String translate(String sql) throws SQLException {
        if (sql.indexOf('{') < 0) {
            return sql;
        }
        JdbcEscapes escapes = new JdbcEscapes(sql);
        escapes.copyUntil(false);
        return escapes.out.toString();
    }

    /** Copies, translating, up to the end of the text or, inside an escape, its closing brace. */
    private void copyUntil(boolean insideEscape) throws SQLException {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\'' || c == '"' || c == '`') {
                copyTo(after(String.valueOf(c), at + 1));
            } else if (sql.startsWith("--", at)) {
                copyTo(after("\n", at));
            } else if (sql.startsWith("/*", at)) {
                copyTo(after("*/", at + 2));
            } else if (c == '{') {
                at++;
                escape();
            } else if (c == '}' && insideEscape) {
                at++;
                return;
            } else {
                out.append(c);
                at++;
            }
        }
        if (insideEscape) {
            throw new SQLException("JDBC escape without closing brace", "42601");
        }
    }

    private int after(String end, int from) {
        int found = sql.indexOf(end, from);
        return found < 0 ? sql.length() : found + end.length();
    }

    private void copyTo(int end) {
        out.append(sql, at, end);
        at = end;
    }

    private void escape() throws SQLException {
        String word = word();
        switch (word.toLowerCase(Locale.ROOT)) {
            case "d":
                out.append("DATE ");
                break;
            case "t":
                out.append("TIME ");
                break;
            case "ts":
                out.append("TIMESTAMP ");
                break;
            case "oj":
                break;
            case "escape":
                out.append("ESCAPE ");
                break;
            case "limit":
                out.append("LIMIT ");
                break;
            case "fn":
                function();
                return;
            default:
                throw new SQLException("unknown JDBC escape {" + word, "42601");
        }
        copyUntil(true);
    }

    private void function() throws SQLException {
        String name = word();
        String upper = name.toUpperCase(Locale.ROOT);
        String constant = CONSTANTS.get(upper);
        skipBlanks();
        if (constant != null && sql.startsWith("(", at)) {
            int close = after(")", at);
            if (sql.substring(at + 1, close - 1).isBlank()) {
                out.append(constant);
                at = close;
                copyUntil(true);
                return;
            }
        }
        out.append(FUNCTIONS.getOrDefault(upper, name));
        copyUntil(true);
    }

    private String word() {
        skipBlanks();
        int start = at;
        while (at < sql.length() && (Character.isLetterOrDigit(sql.charAt(at)) || sql.charAt(at) == '_')) {
            at++;
        }
        String word = sql.substring(start, at);
        skipBlanks();
        return word;
    }

    private void skipBlanks() {
        while (at < sql.length() && Character.isWhitespace(sql.charAt(at))) {
            at++;
        }
    }
}

package io.tailwater.cli.shell;

import io.tailwater.jdbc.TailwaterSQLException;
import org.jspecify.annotations.Nullable;

import java.sql.SQLException;

/** Shows an error as a user wants to see it: what, where in the statement, and what to do. */
final class ErrorText {
    /** Longest part of a statement's line that is shown round the position. */
    private static final int EXCERPT = 100;

    private ErrorText() {}

    /**
     * Lines that tell the error.
     *
     * @param sql the statement, or null if the error has nothing to do with one
     */
    static String of(SQLException error, @Nullable String sql) {
        StringBuilder out = new StringBuilder("ERROR: ");
        TailwaterSQLException details = details(error);
        String message = details == null ? String.valueOf(error.getMessage()) : details.primaryMessage();
        out.append(message);
        if (error.getSQLState() != null) {
            out.append(" [").append(error.getSQLState()).append(']');
        }
        if (details != null) {
            if (sql != null && details.position() >= 0 && details.position() <= sql.length()) {
                out.append('\n').append(place(sql, details.position()));
            }
            details.hint().ifPresent(hint -> out.append("\nHINT:  ").append(hint));
        }
        return out.toString();
    }

    private static @Nullable TailwaterSQLException details(SQLException error) {
        for (Throwable t = error; t != null; t = t.getCause()) {
            if (t instanceof TailwaterSQLException found) {
                return found;
            }
        }
        return null;
    }

    /** The line that holds the position, with a caret under it. */
    static String place(String sql, int position) {
        int lineStart = sql.lastIndexOf('\n', position - 1) + 1;
        int lineEnd = sql.indexOf('\n', position);
        lineEnd = lineEnd < 0 ? sql.length() : lineEnd;
        long number = sql.substring(0, lineStart).chars().filter(c -> c == '\n').count() + 1;
        int from = Math.max(lineStart, Math.min(position - EXCERPT / 2, lineEnd - EXCERPT));
        int to = Math.min(lineEnd, from + EXCERPT);
        String prefix = "LINE " + number + ": " + (from > lineStart ? "..." : "");
        // Tabs keep the caret in its place only if it is led by the same ones.
        String before = sql.substring(from, position).replaceAll("[^\t]", " ");
        return prefix + sql.substring(from, to).stripTrailing() + (to < lineEnd ? "..." : "") + "\n"
                + " ".repeat(prefix.length()) + before + "^";
    }
}

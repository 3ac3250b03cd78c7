package io.tailwater.planner.validate;

import org.apache.calcite.sql.parser.SqlParserPos;

/** Calcite counts lines and columns from 1; a {@code StreamException} counts characters from 0. */
public final class Positions {
    private Positions() {}

    /** Offset of a line and column in the text, or -1 if there is none. */
    public static int offset(String sql, int line, int column) {
        if (line <= 0 || column <= 0) {
            return -1;
        }
        int at = 0;
        for (int l = 1; l < line; l++) {
            int next = nextLine(sql, at);
            if (next < 0) {
                return -1;
            }
            at = next;
        }
        return Math.min(at + column - 1, sql.length());
    }

    public static int offset(String sql, SqlParserPos position) {
        return offset(sql, position.getLineNum(), position.getColumnNum());
    }

    /** Offset after the last character. */
    public static int end(String sql, SqlParserPos position) {
        return offset(sql, position.getEndLineNum(), position.getEndColumnNum()) + 1;
    }

    private static int nextLine(String sql, int from) {
        for (int i = from; i < sql.length(); i++) {
            char c = sql.charAt(i);
            if (c == '\n') {
                return i + 1;
            }
            if (c == '\r') {
                return i + 1 < sql.length() && sql.charAt(i + 1) == '\n' ? i + 2 : i + 1;
            }
        }
        return -1;
    }
}

package io.tailwater.jdbc;

import io.tailwater.jdbc.wire.CallFailure;
import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;

/** Makes SQLExceptions, each with its SQLSTATE. */
final class SqlErrors {
    private SqlErrors() {}

    /**
     * @param sql the statement, to name the place of the error in it; null for none
     */
    static SQLException of(CallFailure failure, @Nullable String sql) {
        String message = String.valueOf(failure.getMessage());
        if (failure.sqlState().equals("HYT00")) {
            return new SQLTimeoutException(message, "HYT00", failure);
        }
        String full = message;
        int position = failure.position();
        if (sql != null && position >= 0 && position <= sql.length()) {
            full += "\n  Position: " + place(sql, position);
        }
        String hint = failure.hint();
        if (hint != null) {
            full += "\n  Hint: " + hint;
        }
        return new TailwaterSQLException(message, full, failure.sqlState(), position, hint, failure.getCause());
    }

    private static String place(String sql, int position) {
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < position; i++) {
            if (sql.charAt(i) == '\n') {
                line++;
                lineStart = i + 1;
            }
        }
        return "line " + line + ", column " + (position - lineStart + 1);
    }

    static SQLException closed(String what) {
        return new SQLException(what + " is closed", what.equals("connection") ? "08003" : "55000");
    }

    static SQLException unsupported(String what) {
        return new SQLFeatureNotSupportedException(what + " is not supported", "0A000");
    }

    static SQLException invalidArgument(String message) {
        return new SQLException(message, "22023");
    }

    static SQLException outOfRange(Object value, String type) {
        return new SQLException("value " + value + " is out of range for " + type, "22003");
    }

    static SQLException cannotConvert(Object value, String type) {
        return new SQLException("cannot convert " + value.getClass().getSimpleName() + " to " + type, "07006");
    }

    static SQLException malformed(String value, String type) {
        String shown = value.length() > 100 ? value.substring(0, 100) + "..." : value;
        return new SQLException("\"" + shown + "\" is not a valid " + type, "22018");
    }
}

package io.tailwater.connector.jdbc;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/** Opens connections, and says in our terms what went wrong on them. Stateless. */
final class Database {
    private static final int CONNECT_SECONDS = 10;

    private Database() {}

    /** A connection without auto-commit. */
    static Connection connect(JdbcOptions options, String name) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", name);
        properties.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
        properties.setProperty("loginTimeout", Integer.toString(CONNECT_SECONDS));
        properties.setProperty("tcpKeepAlive", "true");
        if (options.user() != null) {
            properties.setProperty("user", options.user());
        }
        if (options.password() != null) {
            properties.setProperty("password", options.password());
        }
        Connection connection = new Driver().connect(options.url(), properties);
        if (connection == null) {
            throw new AssertionError("a URL that was checked: " + options.shortUrl());
        }
        try {
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    /** Whether the same may succeed later without anybody changing anything: the server is away, goes down, is short of something, or chose us to end a deadlock. */
    static boolean passes(SQLException e) {
        String state = e.getSQLState();
        return state != null
                && (state.startsWith("08")
                        || state.startsWith("57P0")
                        || state.startsWith("53")
                        || state.equals("40001")
                        || state.equals("40P01"));
    }

    static StreamException failure(JdbcOptions options, String doing, SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return new StreamException(
                passes(e) ? ErrorCode.CONNECTION_FAILURE : code(state),
                "cannot " + doing + " (" + options.shortUrl() + "): " + e.getMessage(),
                -1,
                hint(state),
                e);
    }

    private static ErrorCode code(String state) {
        for (ErrorCode code : ErrorCode.values()) {
            if (code.sqlState().equals(state)) {
                return code;
            }
        }
        return state.startsWith("28") || state.equals("42501")
                ? ErrorCode.INVALID_AUTHORIZATION
                : ErrorCode.DATA_EXCEPTION;
    }

    private static @Nullable String hint(String state) {
        if (state.startsWith("28")) {
            return "Check the options user and password.";
        }
        return state.startsWith("08") ? "Check the option url, and that PostgreSQL runs there." : null;
    }

    static String quoted(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }
}

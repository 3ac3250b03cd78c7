package io.tailwater.cli.shell;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** The shell's one connection; opened again when it was lost. Owned by one thread. */
final class Database implements AutoCloseable {
    private final String url;
    private @Nullable Connection connection;

    Database(String url) {
        this.url = url;
    }

    String url() {
        return url;
    }

    /** The connection, opened if there is none. */
    Connection connection() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = DriverManager.getConnection(url);
            connection = open;
        }
        return open;
    }

    /** Whether an error means that the connection is gone. Then the next {@link #connection} opens another. */
    boolean lost(SQLException error) {
        Connection open = connection;
        if (open == null) {
            return false;
        }
        String state = error.getSQLState();
        if (state == null || !state.startsWith("08")) {
            return false;
        }
        connection = null;
        try {
            open.close();
        } catch (SQLException e) {
            error.addSuppressed(e);
        }
        return true;
    }

    @Override
    public void close() throws SQLException {
        Connection open = connection;
        connection = null;
        if (open != null) {
            open.close();
        }
    }
}

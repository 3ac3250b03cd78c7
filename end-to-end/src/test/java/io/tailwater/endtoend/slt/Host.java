package io.tailwater.endtoend.slt;

import io.tailwater.common.settings.Settings;
import io.tailwater.server.StandaloneServer;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in this process and a connection to it; both can be had anew. Owned by its caller; not thread-safe. */
final class Host implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 60;

    /** Of one start after another. */
    private static final int[] WORKERS = {2, 3, 1, 4};

    private final Path directory;
    private StandaloneServer server;
    private Connection connection;
    private int restarts;

    private Host(Path directory, StandaloneServer server, Connection connection) {
        this.directory = directory;
        this.server = server;
        this.connection = connection;
    }

    static Host start(Path directory) throws SQLException {
        StandaloneServer server = serve(directory, WORKERS[0]);
        return new Host(directory, server, connect(server));
    }

    private static StandaloneServer serve(Path directory, int workers) {
        return StandaloneServer.start(Settings.of(Map.of(
                "data.dir",
                directory.toString(),
                "sql.port",
                "0",
                "http.port",
                "0",
                "internal.port",
                "0",
                "executor.workers",
                String.valueOf(workers),
                "executor.memory",
                "512 MB",
                "tick.min",
                "1 ms",
                // One after the other: a restart goes on from the middle of whatever was going on.
                "snapshot.interval",
                "1 ms")));
    }

    private static Connection connect(StandaloneServer server) throws SQLException {
        return DriverManager.getConnection("jdbc:tailwater://127.0.0.1:" + server.port() + "/public");
    }

    /** A statement, to be closed. */
    Statement statement() throws SQLException {
        Statement statement = connection.createStatement();
        statement.setQueryTimeout(TIMEOUT_SECONDS);
        return statement;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = statement()) {
            statement.execute(sql);
        }
    }

    Rows query(String sql) throws SQLException {
        try (Statement statement = statement();
                ResultSet result = statement.executeQuery(sql)) {
            return Rows.of(result);
        }
    }

    /** Stops the server and starts one on the same directory, with another number of workers; the session is a new one. */
    void restart() throws SQLException {
        connection.close();
        server.close();
        restarts++;
        server = serve(directory, WORKERS[restarts % WORKERS.length]);
        connection = connect(server);
    }

    /** Drops all there is; the session is a new one. */
    void clear() throws SQLException {
        List<String> drops = new ArrayList<>();
        for (List<String> row : query(
                        "SELECT kind, table_name FROM information_schema.tables WHERE table_schema = 'public'")
                .rows()) {
            drops.add("DROP " + row.get(0) + " IF EXISTS \"" + row.get(1).replace("\"", "\"\"") + "\" CASCADE");
        }
        for (String drop : drops) {
            execute(drop);
        }
        connection.close();
        connection = connect(server);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        server.close();
    }
}

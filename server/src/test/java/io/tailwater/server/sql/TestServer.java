package io.tailwater.server.sql;

import io.tailwater.common.settings.Settings;
import io.tailwater.server.StandaloneServer;

import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;

/** A whole server on a directory, spoken to without a network. */
final class TestServer implements AutoCloseable {
    private final StandaloneServer server;

    private TestServer(StandaloneServer server) {
        this.server = server;
    }

    static TestServer open(Path directory) {
        return open(directory, 2);
    }

    static TestServer open(Path directory, int workers) {
        return new TestServer(StandaloneServer.start(Settings.of(Map.of(
                "data.dir",
                directory.toString(),
                "sql.port",
                "0",
                "http.port",
                "0",
                "internal.port",
                "0",
                "executor.workers",
                Integer.toString(workers),
                "executor.memory",
                "512 MB"))));
    }

    TestSession session() {
        return session(ZoneOffset.UTC);
    }

    TestSession session(ZoneId zone) {
        return new TestSession(server.sql().open("test", "", zone));
    }

    @Override
    public void close() {
        server.close();
    }
}

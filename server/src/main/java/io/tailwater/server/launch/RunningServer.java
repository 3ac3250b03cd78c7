package io.tailwater.server.launch;

import io.tailwater.server.sql.SqlService;

/** A server that accepts clients. Thread-safe. */
public interface RunningServer extends AutoCloseable {
    /** Port of the SQL endpoint, the one picked if the setting was 0. */
    int port();

    /** Sessions without the wire. */
    SqlService sql();

    /** Stops cleanly: nothing acknowledged is lost. Idempotent. */
    @Override
    void close();
}

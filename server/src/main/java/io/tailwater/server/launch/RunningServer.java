package io.tailwater.server.launch;

import io.tailwater.server.sql.SqlService;

/** A server that accepts clients. Thread-safe. */
public interface RunningServer extends AutoCloseable {
    /** Port of the SQL endpoint, the one picked if the setting was 0. */
    int port();

    /** Sessions without the wire. */
    SqlService sql();

    /** Nanoseconds of the ticks that ended since the last call; only the latest are kept. For measuring. */
    long[] takeTickNanos();

    /** Stops cleanly: nothing acknowledged is lost. Idempotent. */
    @Override
    void close();
}

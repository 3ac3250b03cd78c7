package io.tailwater.server.flight;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.sql.SqlSession;
import org.jspecify.annotations.Nullable;

import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A SQL session and what a client holds in it. It lives while a connection uses it; see {@link FlightSessions}. Thread-safe.
 */
final class ClientSession {
    /** More prepared statements than this are a leak in the client. */
    private static final int MOST_PREPARED = 10_000;

    private static final int MOST_RESULTS = 1_000;

    private final String id;
    private final SqlSession sql;
    private final ZoneId zone;
    private final Map<String, PreparedHandle> prepared = new ConcurrentHashMap<>();
    private final Set<ResultPump> results = ConcurrentHashMap.newKeySet();
    private final Set<Object> connections = new HashSet<>();
    private volatile boolean closed;
    private volatile long lastUsedNanos;
    private volatile String schema;

    ClientSession(String id, SqlSession sql, ZoneId zone, long nowNanos) {
        this.id = id;
        this.sql = sql;
        this.zone = zone;
        this.lastUsedNanos = nowNanos;
        this.schema = sql.schema();
    }

    /** A statement that was prepared, and the parameters bound to it by a standard client. */
    static final class PreparedHandle {
        final String text;
        final SqlSession.Prepared description;
        volatile List<List<@Nullable Object>> bound = List.of();

        PreparedHandle(String text, SqlSession.Prepared description) {
            this.text = text;
            this.description = description;
        }
    }

    String id() {
        return id;
    }

    SqlSession sql() {
        return sql;
    }

    ZoneId zone() {
        return zone;
    }

    /** The default schema, after the last change through the endpoint. */
    String schema() {
        return schema;
    }

    void set(String key, String value) {
        sql.set(key, value);
        if (key.equals("schema")) {
            schema = value;
        }
    }

    void prepare(String handle, PreparedHandle statement) {
        if (prepared.size() >= MOST_PREPARED) {
            throw new StreamException(
                    ErrorCode.TOO_MANY_CONNECTIONS,
                    "the session holds " + MOST_PREPARED + " prepared statements already",
                    -1,
                    "Close statements that are done with.",
                    null);
        }
        prepared.put(handle, statement);
    }

    PreparedHandle prepared(String handle) {
        PreparedHandle found = prepared.get(handle);
        if (found == null) {
            throw new StreamException(ErrorCode.UNDEFINED_OBJECT, "no prepared statement " + handle);
        }
        return found;
    }

    void closePrepared(String handle) {
        prepared.remove(handle);
    }

    int preparedStatements() {
        return prepared.size();
    }

    /** Notes a running result, which then ends with the session. */
    void began(ResultPump result) {
        if (results.size() >= MOST_RESULTS) {
            throw new StreamException(
                    ErrorCode.TOO_MANY_CONNECTIONS,
                    "the session has " + MOST_RESULTS + " open results already",
                    -1,
                    "Close results that are done with.",
                    null);
        }
        results.add(result);
        if (closed) {
            result.cancel();
        }
    }

    void ended(ResultPump result, long nowNanos) {
        results.remove(result);
        lastUsedNanos = nowNanos;
    }

    /** Cancels the running result of this ticket; false if there is none. */
    boolean cancel(byte[] ticket) {
        for (ResultPump result : results) {
            if (result.isFor(ticket)) {
                result.cancel();
                return true;
            }
        }
        return false;
    }

    int runningResults() {
        return results.size();
    }

    void usedBy(Object connection, long nowNanos) {
        lastUsedNanos = nowNanos;
        synchronized (connections) {
            connections.add(connection);
        }
    }

    /** Returns whether no connection uses it any more. */
    boolean leftBy(Object connection) {
        synchronized (connections) {
            return connections.remove(connection) && connections.isEmpty();
        }
    }

    boolean isIdleSince(long nanos) {
        return results.isEmpty() && lastUsedNanos - nanos < 0;
    }

    /** Ends all that runs in it. Called once, by {@link FlightSessions}. */
    void close() {
        closed = true;
        results.forEach(ResultPump::cancel);
        prepared.clear();
        sql.close();
    }
}

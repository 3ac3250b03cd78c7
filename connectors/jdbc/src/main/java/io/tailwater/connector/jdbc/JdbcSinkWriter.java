package io.tailwater.connector.jdbc;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps a tick's rows until its end and writes them in one transaction. While PostgreSQL is away it waits and then does the whole transaction again, which is
 * harmless also if the lost one took effect. Owned by one worker; {@link #cancel} and {@link #waitsFor} are thread-safe.
 */
final class JdbcSinkWriter implements SinkWriter {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcSinkWriter.class);
    private static final long LEAST_PAUSE_MILLIS = 50;
    private static final long MOST_PAUSE_MILLIS = 2_000;

    private final Schema schema;
    private final JdbcOptions options;
    private final Connector.WriteContext context;
    private final List<ColumnBatch> rows = new ArrayList<>();
    private @Nullable TickTransaction session;

    private final Object lock = new Object();
    // Below: guarded by the lock.
    private @Nullable Connection connection;
    private @Nullable String waitsFor;
    private boolean cancelled;

    JdbcSinkWriter(Schema schema, JdbcOptions options, Connector.WriteContext context) {
        this.schema = schema;
        this.options = options;
        this.context = context;
    }

    @Override
    public void write(ColumnBatch batch) {
        rows.add(batch.retain());
    }

    @Override
    public long endTick(long tick) {
        if (!rows.isEmpty()) {
            writeUntilDone(tick);
            forgetRows();
        }
        return tick;
    }

    private void writeUntilDone(long tick) {
        long pause = LEAST_PAUSE_MILLIS;
        while (true) {
            try {
                session().write(tick, rows);
                goOn();
                return;
            } catch (SQLException e) {
                disconnect();
                StreamException failure =
                        Database.failure(options, "write tick " + tick + " to table " + options.table(), e);
                if (isCancelled()) {
                    throw ended(e);
                }
                if (!Database.passes(e)) {
                    throw failure;
                }
                pause(failure, pause);
                pause = Math.min(2 * pause, MOST_PAUSE_MILLIS);
            }
        }
    }

    private TickTransaction session() throws SQLException {
        TickTransaction open = session;
        if (open != null) {
            return open;
        }
        if (isCancelled()) {
            throw ended(null);
        }
        Connection opened = Database.connect(options, "tailwater " + context.job());
        synchronized (lock) {
            connection = opened;
        }
        open = TickTransaction.begin(opened, schema, options, context);
        session = open;
        return open;
    }

    private void disconnect() {
        session = null;
        Connection open;
        synchronized (lock) {
            open = connection;
            connection = null;
        }
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                LOG.debug("a connection that had failed could not be closed", e);
            }
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the caller tries again, whatever ended the wait
    private void pause(StreamException reason, long millis) {
        synchronized (lock) {
            if (waitsFor == null) {
                LOG.warn("job {} waits: {}", context.job(), reason.getMessage());
            }
            waitsFor = "waits for PostgreSQL: " + reason.getMessage();
            if (cancelled) {
                throw ended(reason);
            }
            try {
                lock.wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw ended(e);
            }
            if (cancelled) {
                throw ended(reason);
            }
        }
    }

    private void goOn() {
        synchronized (lock) {
            if (waitsFor != null) {
                waitsFor = null;
                LOG.info("job {} goes on: PostgreSQL is there again", context.job());
            }
        }
    }

    private StreamException ended(@Nullable Throwable cause) {
        return new StreamException(
                ErrorCode.QUERY_CANCELED,
                "job " + context.job() + " was ended while it wrote to " + options.shortUrl(),
                -1,
                null,
                cause);
    }

    private boolean isCancelled() {
        synchronized (lock) {
            return cancelled;
        }
    }

    @Override
    public void cancel() {
        Connection open;
        synchronized (lock) {
            cancelled = true;
            open = connection;
            lock.notifyAll();
        }
        if (open != null) {
            try {
                // Whatever is read from the socket or written to it ends at once.
                open.abort(Runnable::run);
            } catch (SQLException e) {
                throw Database.failure(options, "abort the connection", e);
            }
        }
    }

    @Override
    public @Nullable String waitsFor() {
        synchronized (lock) {
            return waitsFor;
        }
    }

    private void forgetRows() {
        rows.forEach(ColumnBatch::close);
        rows.clear();
    }

    @Override
    public void close() {
        forgetRows();
        disconnect();
    }
}

package io.tailwater.server.flight;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.server.sql.SqlService;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.flight.grpc.ContextPropagatingExecutorService;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Serves a {@link SqlService} on a port. Thread-safe. */
public final class FlightEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlightEndpoint.class);
    /** Sessions in which nothing happens for so long are closed, though their connection stands. */
    private static final Duration IDLE_TIMEOUT = Duration.ofHours(8);

    private static final int LARGEST_MESSAGE = 256 << 20;

    private final Server server;
    private final FlightSessions sessions;
    private final SqlProducer producer;
    private final BufferAllocator allocator;
    private final ExecutorService calls;
    private final ScheduledExecutorService housekeeping;

    private FlightEndpoint(
            Server server,
            FlightSessions sessions,
            SqlProducer producer,
            BufferAllocator allocator,
            ExecutorService calls,
            ScheduledExecutorService housekeeping) {
        this.server = server;
        this.sessions = sessions;
        this.producer = producer;
        this.allocator = allocator;
        this.calls = calls;
        this.housekeeping = housekeeping;
    }

    /**
     * Listens from when this returns.
     *
     * @param zone of sessions that name none
     * @param port 0 for a free one: see {@link #port}
     * @throws StreamException 55006 if the port is taken
     */
    public static FlightEndpoint start(SqlService service, String host, int port, ZoneId zone) {
        return start(service, host, port, zone, Clock.SYSTEM, IDLE_TIMEOUT);
    }

    @SuppressWarnings("deprecation") // ServerAuthHandler: FlightGrpcUtils takes nothing else.
    static FlightEndpoint start(
            SqlService service, String host, int port, ZoneId zone, Clock clock, Duration idleTimeout) {
        BufferAllocator allocator = new RootAllocator();
        // One thread for each statement that executes or waits for rows; the sessions' results bound them.
        ExecutorService calls = Executors.newCachedThreadPool(threads("flight-call"));
        ScheduledExecutorService housekeeping =
                Executors.newSingleThreadScheduledExecutor(threads("flight-housekeeping"));
        FlightSessions sessions = new FlightSessions(service, zone, clock, idleTimeout);
        SqlProducer producer = new SqlProducer(sessions, allocator, calls, clock);
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(host, port))
                .executor(calls)
                .addService(FlightGrpcUtils.createFlightService(
                        allocator, producer, ServerAuthHandler.NO_OP, new ContextPropagatingExecutorService(calls)))
                .intercept(sessions)
                .addTransportFilter(sessions)
                .maxInboundMessageSize(LARGEST_MESSAGE)
                // Clients may ask for a sign of life this often; we ask those that are silent.
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
        FlightEndpoint endpoint = new FlightEndpoint(server, sessions, producer, allocator, calls, housekeeping);
        try {
            server.start();
        } catch (IOException e) {
            endpoint.close();
            throw new StreamException(
                    ErrorCode.OBJECT_IN_USE,
                    "cannot listen on %s:%d: %s".formatted(host, port, cause(e)),
                    -1,
                    "Another process may have the port; choose another with --port, or 0 for a free one.",
                    e);
        }
        var unused = housekeeping.scheduleWithFixedDelay(sessions::closeIdle, 1, 1, TimeUnit.MINUTES);
        return endpoint;
    }

    private static String cause(IOException e) {
        return String.valueOf(
                e.getCause() == null ? e.getMessage() : e.getCause().getMessage());
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    public int port() {
        return server.getPort();
    }

    /** Sessions that clients hold. */
    public int openSessions() {
        return sessions.open();
    }

    /** Statements that execute or have rows left to send. */
    public int openResults() {
        return sessions.runningResults();
    }

    public int openPreparedStatements() {
        return sessions.preparedStatements();
    }

    /** Bytes of Arrow memory in use, for leak checks. */
    long allocatedBytes() {
        return allocator.getAllocatedMemory();
    }

    void closeIdleSessions() {
        sessions.closeIdle();
    }

    /** Ends all sessions and what runs in them. Idempotent. */
    @Override
    public void close() {
        housekeeping.shutdownNow();
        producer.refuse();
        sessions.closeAll();
        server.shutdown();
        try {
            // What was just cancelled gets a moment to tell its client why.
            if (!server.awaitTermination(200, TimeUnit.MILLISECONDS)) {
                server.shutdownNow();
                if (!server.awaitTermination(5, TimeUnit.SECONDS)) {
                    LOG.warn("Connections of the SQL endpoint did not end in time");
                }
            }
            calls.shutdown();
            if (!calls.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("Statements did not end in time after their sessions were closed");
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            server.shutdownNow();
            calls.shutdownNow();
            return;
        }
        allocator.close();
    }
}

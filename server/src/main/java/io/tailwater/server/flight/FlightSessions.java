package io.tailwater.server.flight;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.server.sql.SqlService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which call belongs to which session.
 *
 * <p>Our driver opens sessions and names them in a header. A standard client names one by the cookie {@code arrow_flight_session_id} or the bearer
 * token it got, and otherwise has one per connection, opened at the first call that needs it. A session ends when the last connection that used it
 * does, when it is closed, or when nothing happened in it for long. Thread-safe.
 */
final class FlightSessions extends ServerTransportFilter implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(FlightSessions.class);
    private static final Metadata.Key<String> SESSION = ascii("tailwater-session");
    private static final Metadata.Key<String> COOKIE = ascii("cookie");
    private static final Metadata.Key<String> SET_COOKIE = ascii("set-cookie");
    private static final Metadata.Key<String> AUTHORIZATION = ascii("authorization");
    private static final String COOKIE_NAME = "arrow_flight_session_id=";

    private static final Attributes.Key<Connection> CONNECTION = Attributes.Key.create("connection");
    private static final Context.Key<Caller> CALLER = Context.key("caller");
    /** How much of an answer may wait in the server for a slow reader, before its query has to wait. */
    private static final int READY_BYTES = 1 << 20;

    private static final int MOST_SESSIONS = 10_000;

    private final SqlService service;
    private final ZoneId defaultZone;
    private final Clock clock;
    private final Duration idleTimeout;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, ClientSession> sessions = new ConcurrentHashMap<>();

    FlightSessions(SqlService service, ZoneId defaultZone, Clock clock, Duration idleTimeout) {
        this.service = service;
        this.defaultZone = defaultZone;
        this.clock = clock;
        this.idleTimeout = idleTimeout;
    }

    private static Metadata.Key<String> ascii(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /** One HTTP/2 connection, and the session of its calls that name none. */
    private static final class Connection {
        private @Nullable ClientSession own;
    }

    /** Who makes the call at hand. */
    private final class Caller {
        private final Connection connection;
        private final @Nullable String id;
        private final boolean mustExist;
        private final String user;

        Caller(Connection connection, @Nullable String id, boolean mustExist, String user) {
            this.connection = connection;
            this.id = id;
            this.mustExist = mustExist;
            this.user = user;
        }

        ClientSession session() {
            ClientSession named = id == null ? null : sessions.get(id);
            if (named != null) {
                named.usedBy(connection, clock.nanoTime());
                return named;
            }
            if (mustExist) {
                throw new StreamException(
                        ErrorCode.CONNECTION_FAILURE, "the session has ended", -1, "Connect again.", null);
            }
            synchronized (connection) {
                ClientSession own = connection.own;
                if (own == null || !sessions.containsKey(own.id())) {
                    own = open(user, "", defaultZone, connection);
                    connection.own = own;
                }
                own.usedBy(connection, clock.nanoTime());
                return own;
            }
        }
    }

    /** Zone of sessions that name none. */
    ZoneId defaultZone() {
        return defaultZone;
    }

    /** The session of the call that this thread serves. */
    ClientSession current() {
        return CALLER.get().session();
    }

    /** Opens a session for the connection of the call that this thread serves. */
    ClientSession open(String user, String schema, ZoneId zone) {
        return open(user, schema, zone, CALLER.get().connection);
    }

    private ClientSession open(String user, String schema, ZoneId zone, Connection connection) {
        if (sessions.size() >= MOST_SESSIONS) {
            throw new StreamException(
                    ErrorCode.TOO_MANY_CONNECTIONS,
                    "too many sessions: " + MOST_SESSIONS + " are open",
                    -1,
                    "Close connections that are done with, or use a connection pool.",
                    null);
        }
        byte[] id = new byte[16];
        random.nextBytes(id);
        long now = clock.nanoTime();
        ClientSession session =
                new ClientSession(HexFormat.of().formatHex(id), service.open(user, schema, zone), zone, now);
        session.usedBy(connection, now);
        sessions.put(session.id(), session);
        return session;
    }

    void close(ClientSession session) {
        if (sessions.remove(session.id(), session)) {
            session.close();
        }
    }

    void closeAll() {
        sessions.values().forEach(this::close);
    }

    /** Closes sessions in which nothing runs and nothing happened for the idle time. */
    void closeIdle() {
        long since = clock.nanoTime() - idleTimeout.toNanos();
        for (ClientSession session : sessions.values()) {
            if (session.isIdleSince(since)) {
                LOG.info("Closing a session that was idle for {}", idleTimeout);
                close(session);
            }
        }
    }

    int open() {
        return sessions.size();
    }

    int runningResults() {
        return sessions.values().stream()
                .mapToInt(ClientSession::runningResults)
                .sum();
    }

    int preparedStatements() {
        return sessions.values().stream()
                .mapToInt(ClientSession::preparedStatements)
                .sum();
    }

    // ---- gRPC

    @Override
    public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(CONNECTION, new Connection()).build();
    }

    @Override
    public void transportTerminated(@Nullable Attributes attributes) {
        Connection connection = attributes == null ? null : attributes.get(CONNECTION);
        if (connection == null) {
            return;
        }
        for (ClientSession session : sessions.values()) {
            if (session.leftBy(connection)) {
                close(session);
            }
        }
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Connection connection = call.getAttributes().get(CONNECTION);
        if (connection == null) {
            throw new AssertionError("a call from " + call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
                    + " without a connection");
        }
        call.setOnReadyThreshold(READY_BYTES);
        Caller caller = caller(connection, headers);
        boolean handshake = "Handshake".equals(call.getMethodDescriptor().getBareMethodName());
        ServerCall<Q, R> answering = new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
            private boolean headersSent;

            @Override
            public void sendHeaders(Metadata answer) {
                headersSent = true;
                nameSession(caller, answer, handshake);
                super.sendHeaders(answer);
            }

            @Override
            public void close(io.grpc.Status status, Metadata trailers) {
                if (handshake && !headersSent && status.isOk()) {
                    sendHeaders(new Metadata());
                }
                super.close(status, trailers);
            }
        };
        Context context = Context.current().withValue(CALLER, caller);
        return Contexts.interceptCall(context, answering, headers, next);
    }

    private Caller caller(Connection connection, Metadata headers) {
        String given = headers.get(SESSION);
        if (given != null) {
            return new Caller(connection, given, true, "");
        }
        String authorization = headers.get(AUTHORIZATION);
        String user = "";
        String id = null;
        if (authorization != null && authorization.startsWith("Bearer ")) {
            id = authorization.substring("Bearer ".length());
        } else if (authorization != null && authorization.startsWith("Basic ")) {
            user = user(authorization.substring("Basic ".length()));
        }
        String cookies = headers.get(COOKIE);
        if (cookies != null) {
            for (String cookie : cookies.split(";")) {
                if (cookie.trim().startsWith(COOKIE_NAME)) {
                    id = cookie.trim().substring(COOKIE_NAME.length());
                }
            }
        }
        return new Caller(connection, id, false, user);
    }

    /** The name in a basic authorization; empty if it is malformed, as passwords are not looked at. */
    private static String user(String basic) {
        try {
            String pair = new String(Base64.getDecoder().decode(basic.trim()), StandardCharsets.UTF_8);
            return pair.substring(0, Math.max(0, pair.indexOf(':')));
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static void nameSession(Caller caller, Metadata answer, boolean handshake) {
        if (handshake) {
            answer.put(AUTHORIZATION, "Bearer " + caller.session().id());
            return;
        }
        synchronized (caller.connection) {
            ClientSession own = caller.connection.own;
            if (own != null && !caller.mustExist && !own.id().equals(caller.id)) {
                answer.put(SET_COOKIE, COOKIE_NAME + own.id());
            }
        }
    }
}

package io.tailwater.jdbc.wire;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.KnownLength;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** One HTTP/2 connection to one server, shared by all statements of a JDBC connection. Thread-safe. */
public final class FlightChannel implements AutoCloseable {
    private static final String SERVICE = "arrow.flight.protocol.FlightService";
    private static final Metadata.Key<String> SESSION =
            Metadata.Key.of("tailwater-session", Metadata.ASCII_STRING_MARSHALLER);
    /** The server may have this much on the way before it waits for the reader. */
    private static final int WINDOW_BYTES = 1 << 20;

    private static final MethodDescriptor<byte[], byte[]> DO_GET = method("DoGet");
    private static final MethodDescriptor<byte[], byte[]> DO_ACTION = method("DoAction");

    private final ManagedChannel channel;
    private final String host;
    private volatile Metadata headers = new Metadata();

    private FlightChannel(ManagedChannel channel, String host) {
        this.channel = channel;
        this.host = host;
    }

    /** Connects lazily: the first call finds out whether anyone is there. */
    public static FlightChannel to(String host, int port) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(host, port)
                .usePlaintext()
                .directExecutor()
                // A statement must run once: nothing is sent a second time behind the caller's back.
                .disableRetry()
                .disableServiceConfigLookUp()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .maxInboundMetadataSize(1 << 20)
                .flowControlWindow(WINDOW_BYTES)
                // A silent peer is found out within 15 s; a closed socket at once.
                .keepAliveTime(10, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS)
                // The server ends a session with its connection, so an idle one must stay.
                .idleTimeout(365, TimeUnit.DAYS)
                .userAgent("tailwater-jdbc")
                .build();
        return new FlightChannel(channel, host + ":" + port);
    }

    /** For messages. */
    public String host() {
        return host;
    }

    /** All later calls belong to this session. */
    public void useSession(String id) {
        Metadata with = new Metadata();
        with.put(SESSION, id);
        headers = with;
    }

    /** Runs an action and returns the body of its first result; empty if it gives none. */
    public byte[] action(String type, byte[] body, long timeoutNanos) throws CallFailure {
        byte[] request = new ProtoWriter().string(1, type).bytes(2, body).toBytes();
        FlightCall call = start(DO_ACTION, request);
        long deadline = System.nanoTime() + timeoutNanos;
        byte[] first = null;
        while (true) {
            byte[] result = call.take(deadline - System.nanoTime());
            if (result == null) {
                return first == null ? new byte[0] : first;
            }
            ProtoReader reader = new ProtoReader(result);
            while (first == null && reader.next()) {
                if (reader.field() == 1) {
                    java.nio.ByteBuffer value = reader.bytes();
                    first = new byte[value.remaining()];
                    value.get(first);
                }
            }
        }
    }

    /** Sends an action without waiting for its answer. */
    public void actionLater(String type, byte[] body) {
        ClientCall<byte[], byte[]> call =
                channel.newCall(DO_ACTION, CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS));
        call.start(new ClientCall.Listener<>() {}, copy(headers));
        call.sendMessage(new ProtoWriter().string(1, type).bytes(2, body).toBytes());
        call.halfClose();
        call.request(Integer.MAX_VALUE);
    }

    /** Asks for a stream of FlightData messages. */
    public FlightCall get(byte[] ticket) {
        return start(DO_GET, new ProtoWriter().bytes(1, ticket).toBytes());
    }

    private FlightCall start(MethodDescriptor<byte[], byte[]> method, byte[] request) {
        FlightCall call = new FlightCall(channel.newCall(method, CallOptions.DEFAULT));
        call.start(request, copy(headers));
        return call;
    }

    /** Ends every call that is still running. Idempotent. */
    @Override
    public void close() {
        channel.shutdownNow();
    }

    private static Metadata copy(Metadata from) {
        Metadata to = new Metadata();
        to.merge(from);
        return to;
    }

    private static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(Bytes.MARSHALLER)
                .setResponseMarshaller(Bytes.MARSHALLER)
                .build();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        static final Bytes MARSHALLER = new Bytes();

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                if (!(stream instanceof KnownLength)) {
                    return stream.readAllBytes();
                }
                byte[] message = new byte[stream.available()];
                int read = stream.readNBytes(message, 0, message.length);
                if (read != message.length) {
                    throw new EOFException("message of " + message.length + " bytes ended after " + read);
                }
                return message;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

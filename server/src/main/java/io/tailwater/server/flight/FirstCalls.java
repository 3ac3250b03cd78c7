package io.tailwater.server.flight;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A short visit to this process's own endpoint by the calls that our driver makes, so that no client's are the first of the process. */
public final class FirstCalls {
    private static final long LONGEST_SECONDS = 10;

    private FirstCalls() {}

    /**
     * Opens a session, reads the queries' rows to their end, and leaves.
     *
     * @param listening the address that the endpoint listens on
     * @throws StreamException 08006 if a call fails, most likely because the server stops
     */
    public static void make(String listening, int port, List<String> queries) {
        boolean anywhere = listening.isEmpty() || listening.equals("0.0.0.0") || listening.equals("::");
        ManagedChannel channel = NettyChannelBuilder.forAddress(anywhere ? "localhost" : listening, port)
                .usePlaintext()
                .build();
        try {
            var stub = FlightServiceGrpc.newBlockingStub(channel).withDeadlineAfter(LONGEST_SECONDS, TimeUnit.SECONDS);
            drain(stub.doAction(
                    Flight.Action.newBuilder().setType("tailwater.OpenSession").build()));
            for (String query : queries) {
                drain(stub.doGet(
                        Flight.Ticket.newBuilder().setTicket(ticket(query)).build()));
            }
        } catch (StatusRuntimeException e) {
            throw new StreamException(
                    ErrorCode.CONNECTION_FAILURE, e.getStatus().toString(), -1, null, e);
        } finally {
            channel.shutdownNow();
        }
    }

    private static void drain(Iterator<?> answer) {
        while (answer.hasNext()) {
            answer.next();
        }
    }

    private static ByteString ticket(String sql) {
        ByteString.Output message = ByteString.newOutput();
        CodedOutputStream out = CodedOutputStream.newInstance(message);
        try {
            out.writeString(1, sql);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("into memory", e);
        }
        return Any.newBuilder()
                .setTypeUrl(ExecuteTicket.TYPE_URL)
                .setValue(message.toByteString())
                .build()
                .toByteString();
    }
}

package io.tailwater.server.flight;

import com.google.protobuf.CodedOutputStream;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Executes a statement and sends what it gives to one client.
 *
 * <pre>
 *   executing --rows--> sending <--ready / not ready--> waiting for the client --end, failure, cancel--> over
 *       |--done, failure, cancel-----------------------------------------------------------------------> over
 * </pre>
 *
 * <p>It asks for rows only while the client can take them, so a slow reader holds up its own query and nothing else, and it uses a thread only
 * while it executes or asks. Events (ready, cancelled) schedule it; its steps never overlap.
 */
final class ResultPump {
    /** After this much quiet the client is told that the query lives, and how far it is. */
    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What to execute. */
    interface Work {
        Answer execute(CancelSignal cancel);
    }

    /**
     * What came of it.
     *
     * @param batchCounts update counts of the rows of parameters, separated by commas; empty if they were not several
     */
    record Answer(Outcome outcome, String batchCounts) {}

    private final byte[] ticket;
    private final Work work;
    private final ServerStreamListener listener;
    private final Executor executor;
    private final BufferAllocator allocator;
    private final MemoryAccount account;
    private final Runnable onEnd;
    private final CancelSignal signal = new CancelSignal();
    private final AtomicInteger scheduled = new AtomicInteger();
    private volatile boolean cancelled;
    private boolean executed;
    private volatile boolean over;
    private @Nullable ResultStream stream;
    private @Nullable VectorSchemaRoot root;

    /**
     * @param onEnd called once, when all is over and freed
     */
    ResultPump(
            byte[] ticket,
            Work work,
            ServerStreamListener listener,
            Executor executor,
            BufferAllocator allocator,
            MemoryAccount account,
            Runnable onEnd) {
        this.ticket = ticket;
        this.work = work;
        this.listener = listener;
        this.executor = executor;
        this.allocator = allocator;
        this.account = account;
        this.onEnd = onEnd;
    }

    void start() {
        listener.setOnReadyHandler(this::schedule);
        listener.setOnCancelHandler(this::cancel);
        schedule();
    }

    boolean isFor(byte[] otherTicket) {
        return Arrays.equals(ticket, otherTicket);
    }

    /** Ends the query soon, from any thread. */
    void cancel() {
        if (over) {
            return;
        }
        cancelled = true;
        signal.cancel();
        schedule();
    }

    private void schedule() {
        if (!over && scheduled.getAndIncrement() == 0) {
            executor.execute(this::run);
        }
    }

    private void run() {
        int seen;
        do {
            seen = scheduled.get();
            if (!over) {
                step();
            }
        } while (scheduled.addAndGet(-seen) != 0);
    }

    private void step() {
        try {
            if (!executed) {
                executed = true;
                execute();
            }
            send();
        } catch (StreamException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            // The query's own failures are StreamExceptions. The client must not wait for ever after any other.
            fail(e);
        }
    }

    private void execute() {
        if (cancelled) {
            return;
        }
        Answer answer = work.execute(signal);
        Outcome outcome = answer.outcome();
        if (outcome instanceof Outcome.Rows rows) {
            stream = rows.stream();
            signal.onCancel(rows.stream()::cancel);
            open(rows.schema(), rows.unbounded() ? Map.of("tailwater.unbounded", "true") : Map.of());
        } else if (outcome instanceof Outcome.Done done) {
            open(Schema.of(), remarks(done, answer.batchCounts()));
            end();
            listener.completed();
        } else {
            throw new AssertionError(outcome);
        }
    }

    /** What a statement without rows did, as metadata of a schema without columns. */
    private static Map<String, String> remarks(Outcome.Done done, String batchCounts) {
        Map<String, String> remarks = new HashMap<>();
        remarks.put("tailwater.done", "true");
        remarks.put("tailwater.update_count", String.valueOf(done.updateCount()));
        if (done.jobName() != null) {
            remarks.put("tailwater.job", done.jobName());
        }
        List<String> notices = done.notices();
        for (int i = 0; i < notices.size(); i++) {
            remarks.put("tailwater.notice." + i, notices.get(i));
        }
        if (!batchCounts.isEmpty()) {
            remarks.put("tailwater.update_counts", batchCounts);
        }
        return remarks;
    }

    private void open(Schema schema, Map<String, String> remarks) {
        VectorSchemaRoot opened = VectorSchemaRoot.create(ArrowTypes.schema(schema, remarks), allocator);
        root = opened;
        listener.start(opened);
    }

    private void send() {
        ResultStream rows = stream;
        VectorSchemaRoot out = root;
        if (over) {
            return;
        }
        if (rows == null || out == null) {
            // Cancelled before anything was executed.
            throw cancelledByClient();
        }
        while (cancelled || listener.isReady()) {
            if (cancelled) {
                throw cancelledByClient();
            }
            ResultStream.Next next = rows.next(HEARTBEAT_NANOS);
            if (next instanceof ResultStream.Next.Rows some) {
                try (ColumnBatch batch = some.batch()) {
                    if (batch.rows() > 0) {
                        BatchVectors.load(batch, out, account);
                        listener.putNext(progress(some.tick(), some.watermarkMicros()));
                    }
                }
            } else if (next instanceof ResultStream.Next.Quiet quiet) {
                out.clear();
                listener.putNext(progress(quiet.tick(), quiet.watermarkMicros()));
            } else {
                end();
                listener.completed();
                return;
            }
        }
    }

    private static StreamException cancelledByClient() {
        return new StreamException(ErrorCode.QUERY_CANCELED, "canceling statement due to user request");
    }

    /** {1 tick, 2 watermark}. The listener takes the buffer over. */
    private ArrowBuf progress(long tick, long watermark) {
        byte[] message = new byte[24];
        CodedOutputStream out = CodedOutputStream.newInstance(message);
        try {
            out.writeUInt64(1, tick);
            out.writeSInt64(2, watermark);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ArrowBuf buffer = allocator.buffer(message.length - out.spaceLeft());
        buffer.writeBytes(message, 0, message.length - out.spaceLeft());
        return buffer;
    }

    private void fail(Throwable failure) {
        if (over) {
            return;
        }
        end();
        listener.error(FlightErrors.of(failure));
    }

    private void end() {
        over = true;
        try {
            if (stream != null) {
                stream.close();
            }
        } finally {
            if (root != null) {
                root.close();
            }
            onEnd.run();
        }
    }
}

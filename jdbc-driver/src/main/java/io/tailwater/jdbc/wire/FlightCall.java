package io.tailwater.jdbc.wire;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A running call whose messages one thread takes one after the other. At most {@link #PREFETCH} messages wait here; beyond that the server is
 * held back by flow control. {@link #cancel} may come from any thread and wakes the taker at once.
 */
public final class FlightCall {
    private static final int PREFETCH = 4;

    private final ClientCall<byte[], byte[]> call;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<byte[]> messages = new ArrayDeque<>();
    private @Nullable Status status;
    private @Nullable Metadata trailers;
    private @Nullable CallFailure cancelled;

    FlightCall(ClientCall<byte[], byte[]> call) {
        this.call = call;
    }

    void start(byte[] request, Metadata headers) {
        call.start(new Listener(), headers);
        call.request(PREFETCH);
        call.sendMessage(request);
        call.halfClose();
    }

    /**
     * The next message, or null after the last one.
     *
     * @throws CallFailure if the call failed, was cancelled, or gave nothing in this time (HYT00, and the call is cancelled)
     */
    public byte @Nullable [] take(long timeoutNanos) throws CallFailure {
        byte[] message;
        lock.lock();
        try {
            long left = timeoutNanos;
            while (true) {
                if (cancelled != null) {
                    throw cancelled;
                }
                message = messages.poll();
                if (message != null) {
                    break;
                }
                if (status != null) {
                    if (status.isOk()) {
                        return null;
                    }
                    throw CallFailure.of(status, trailers);
                }
                if (left <= 0) {
                    throw new CallFailure("HYT00", "no answer from the server within the time-out");
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancel("57014", "the waiting thread was interrupted");
            throw new CallFailure("57014", "the waiting thread was interrupted");
        } catch (CallFailure e) {
            if (e.sqlState().equals("HYT00")) {
                cancel(e.sqlState(), String.valueOf(e.getMessage()));
            }
            throw e;
        } finally {
            lock.unlock();
        }
        call.request(1);
        return message;
    }

    /** Waits for any length of time. */
    public byte @Nullable [] take() throws CallFailure {
        return take(TimeUnit.DAYS.toNanos(3650));
    }

    /** Ends the call here and on the server; the taker fails with this state and message unless the call is over already. */
    public void cancel(String sqlState, String reason) {
        lock.lock();
        try {
            if (cancelled == null && (status == null || !messages.isEmpty())) {
                cancelled = new CallFailure(sqlState, reason);
            }
            messages.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        call.cancel(reason, null);
    }

    private final class Listener extends ClientCall.Listener<byte[]> {
        @Override
        public void onMessage(byte[] message) {
            lock.lock();
            try {
                if (cancelled == null) {
                    messages.add(message);
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void onClose(Status newStatus, Metadata newTrailers) {
            lock.lock();
            try {
                status = newStatus;
                trailers = newTrailers;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}

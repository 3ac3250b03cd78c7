package io.tailwater.connector.files;

import io.tailwater.api.connector.RateLimit;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Parses a file ahead of its reader: a side thread fills a queue of at most {@link #MAX_CHUNKS} chunks. The reader asks for what is there and never waits.
 * All state but the source is guarded by this object; the lock is held for a few instructions at a time.
 */
final class Prefetch implements AutoCloseable {
    static final int MAX_CHUNKS = 32;
    /** All prefetches of the process together keep no more, if there are not more of them than this. */
    private static final int MAX_CHUNKS_IN_ALL = 512;

    private static final AtomicInteger ACTIVE = new AtomicInteger();

    /** What lies ready from a position on. */
    record Found(long to, long rows, boolean last) {}

    private final ChunkSource source;
    private final Thread thread;
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
    private final SkipCount skipped;
    private Runnable wakeup;
    private long next;
    private long rowsParsed;
    private int generation;
    private boolean ended;
    private boolean closed;
    private @Nullable StreamException failure;

    /**
     * Starts at once.
     *
     * @param source owned
     */
    Prefetch(ChunkSource source, long from, SkipCount skipped, String name, Runnable wakeup) {
        this.source = source;
        this.skipped = skipped;
        this.wakeup = wakeup;
        this.next = from;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        ACTIVE.incrementAndGet();
        thread.start();
    }

    synchronized void onReady(Runnable call) {
        wakeup = call;
    }

    /**
     * At most {@code maxRows} rows from {@code from} on, in whole chunks where more than one fits. Passes each piece to {@code piece}, which borrows it.
     * Nothing there means that {@link #onReady} will be called, unless the limit allows none now.
     *
     * @throws StreamException if the record at {@code from} is malformed and that is fatal
     */
    synchronized Found find(long from, long maxRows, @Nullable RateLimit limit, Piece piece) {
        long allowed = limit == null ? maxRows : Math.min(maxRows, limit.allowed(rowsBefore(from)));
        if (allowed <= 0) {
            return new Found(from, 0, false);
        }
        long to = from;
        long rows = 0;
        boolean last = ended && from == next;
        for (Chunk chunk : chunks) {
            if (chunk.to() <= from || rows >= allowed) {
                continue;
            }
            if (chunk.from() > to) {
                break;
            }
            int first = chunk.rowsUntil(to);
            int count = chunk.rows() - first;
            if (rows + count > allowed) {
                if (rows > 0) {
                    break;
                }
                count = (int) allowed;
            }
            piece.accept(chunk, first, first + count);
            rows += count;
            to = chunk.endOf(first + count);
            last = chunk.last() && to == chunk.to();
        }
        if (to == from && !last) {
            nothingAt(from);
        }
        return new Found(to, rows, last);
    }

    /** How many rows lie between where the reading ahead began and {@code position}; 0 if that is not known, because it will begin again. */
    private long rowsBefore(long position) {
        long rows = rowsParsed;
        for (Iterator<Chunk> each = chunks.descendingIterator(); each.hasNext(); ) {
            Chunk chunk = each.next();
            if (chunk.to() <= position) {
                return rows;
            }
            rows -= chunk.rows();
            if (chunk.from() <= position) {
                return rows + chunk.rowsUntil(position);
            }
        }
        return position == next ? rowsParsed : 0;
    }

    /** Rows {@code first} to {@code end} of a chunk. */
    interface Piece {
        void accept(Chunk chunk, int first, int end);
    }

    private void nothingAt(long from) {
        if (from == next) {
            if (failure != null) {
                throw failure;
            }
            // Chunks that were bound but not read yet give way only if there is no room.
            if (chunks.size() >= room()) {
                chunks.removeFirst().close();
            }
        } else {
            // Back to where a reader was, or away from it: start again.
            generation++;
            next = from;
            rowsParsed = 0;
            ended = false;
            failure = null;
            while (!chunks.isEmpty()) {
                chunks.removeFirst().close();
            }
        }
        notifyAll();
    }

    /**
     * The chunks that hold {@code [from, to)}; the caller owns each. Those that do not reach beyond leave the queue. Null if they are not all there.
     */
    synchronized @Nullable List<Chunk> take(long from, long to) {
        long covered = from;
        for (Chunk chunk : chunks) {
            if (chunk.from() <= covered && covered < chunk.to()) {
                covered = chunk.to();
            }
        }
        if (covered < to) {
            return null;
        }
        List<Chunk> taken = new ArrayList<>();
        for (Iterator<Chunk> each = chunks.iterator(); each.hasNext(); ) {
            Chunk chunk = each.next();
            boolean done = chunk.to() <= to;
            if (chunk.to() > from && chunk.from() < to) {
                taken.add(done ? chunk : chunk.shared());
            } else if (done) {
                chunk.close();
            }
            if (done) {
                each.remove();
            }
        }
        notifyAll();
        return taken;
    }

    private static int room() {
        return Math.max(1, Math.min(MAX_CHUNKS, MAX_CHUNKS_IN_ALL / Math.max(1, ACTIVE.get())));
    }

    private void run() {
        try (source) {
            long from;
            int asked = -1;
            Chunk made = null;
            StreamException error = null;
            while (true) {
                Runnable call;
                synchronized (this) {
                    call = publish(asked, made, error);
                    made = null;
                    error = null;
                }
                if (call != null) {
                    call.run();
                }
                synchronized (this) {
                    while (!closed && (ended || failure != null || chunks.size() >= room())) {
                        wait();
                    }
                    if (closed) {
                        return;
                    }
                    from = next;
                    asked = generation;
                }
                try {
                    made = source.next(from, Long.MAX_VALUE);
                } catch (StreamException e) {
                    error = e;
                } catch (RuntimeException | AssertionError e) {
                    error = new StreamException(ErrorCode.INTERNAL_ERROR, "file reader failed: " + e, -1, null, e);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts a prefetch thread", e);
        }
    }

    /** Puts a result in place unless the reader has gone elsewhere. Returns whom to wake. */
    private @Nullable Runnable publish(int asked, @Nullable Chunk made, @Nullable StreamException error) {
        if (made == null && error == null) {
            return null;
        }
        if (closed || asked != generation) {
            if (made != null) {
                made.close();
            }
            return null;
        }
        if (error != null) {
            failure = error;
        } else if (made != null) {
            chunks.addLast(made);
            skipped.add(made);
            rowsParsed += made.rows();
            next = made.to();
            ended = made.last();
        }
        return wakeup;
    }

    /** Waits for the side thread to finish the chunk that it is at. */
    @Override
    public void close() {
        synchronized (this) {
            if (!closed) {
                ACTIVE.decrementAndGet();
            }
            closed = true;
            notifyAll();
        }
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            chunks.forEach(Chunk::close);
            chunks.clear();
        }
    }
}

package io.tailwater.storage.file;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.wire.DocumentContext;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Chronicle Queue, as far as it is used: one writer of one new cycle that never rolls. Owned by one frame file; one thread at a time. */
final class ChronicleAppender implements AutoCloseable {
    /** The cycle's file in the queue's directory. */
    static final String CYCLE = "19700102F.cq4";

    /** Messages must be smaller than a quarter of this: a mapped block overlaps the next by so much. */
    static final long BLOCK_BYTES = 64L << 20;

    private static final long CYCLE_MILLIS = 86_400_000;

    static {
        // Before its classes are loaded: it reports to its vendor, and watches disks with a thread of its own.
        System.setProperty("chronicle.analytics.disable", "true");
        System.setProperty("chronicle.disk.monitor.disable", "true");
    }

    private final ChronicleQueue queue;
    private final ExcerptAppender appender;
    private long written;

    private ChronicleAppender(ChronicleQueue queue, ExcerptAppender appender) {
        this.queue = queue;
        this.appender = appender;
    }

    /** A new queue in a directory that has no cycle yet. */
    static ChronicleAppender create(Path directory) throws IOException {
        return uninterrupted(() -> {
            // The queue's clock stands still, so it never rolls. The lock is ours alone: a wait for it would be a
            // fault.
            ChronicleQueue queue = ChronicleQueue.singleBuilder(directory)
                    .rollCycle(RollCycles.FAST_DAILY)
                    .timeProvider(() -> CYCLE_MILLIS)
                    .blockSize(BLOCK_BYTES)
                    .timeoutMS(1_000)
                    .checkInterrupts(false)
                    .build();
            try {
                ExcerptAppender appender = queue.createAppender();
                appender.singleThreadedCheckDisabled(true);
                return new ChronicleAppender(queue, appender);
            } catch (RuntimeException | Error e) {
                queue.close();
                throw e;
            }
        });
    }

    /**
     * Writes a document: four bytes, then {@code parts}, which are left as they are.
     *
     * @return where the parts begin in the cycle's file
     * @throws RuntimeException if nobody can tell what was written
     */
    long write(ByteBuffer[] parts) throws IOException {
        return uninterrupted(() -> {
            long at = document(parts);
            // Chronicle ignores a write at an index that is there already; our count says which one this must be.
            long sequence = RollCycles.FAST_DAILY.toSequenceNumber(appender.lastIndexAppended());
            if (sequence != written) {
                throw new IllegalStateException(
                        "document " + sequence + " was written where document " + written + " belongs");
            }
            written++;
            return at;
        });
    }

    private long document(ByteBuffer[] parts) {
        DocumentContext document = appender.writingDocument();
        try {
            Bytes<?> bytes = java.util.Objects.requireNonNull(document.wire()).bytes();
            bytes.writeInt(0);
            long at = bytes.writePosition();
            for (ByteBuffer part : parts) {
                int length = part.remaining();
                bytes.write(bytes.writePosition(), part, part.position(), length);
                bytes.writeSkip(length);
            }
            return at;
        } catch (RuntimeException | Error e) {
            document.rollbackOnClose();
            throw e;
        } finally {
            document.close();
        }
    }

    @Override
    public void close() throws IOException {
        uninterrupted(() -> {
            appender.close();
            queue.close();
            return 0L;
        });
    }

    private interface Action<T> {
        T run() throws IOException;
    }

    /** Its files, like all of NIO, are closed under all their users when a thread is interrupted in the middle of an operation. */
    private static <T> T uninterrupted(Action<T> action) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            return action.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

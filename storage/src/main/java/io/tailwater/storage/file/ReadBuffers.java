package io.tailwater.storage.file;

import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/** Buffers that frames are read into, a few kept for reuse. Thread-safe. */
final class ReadBuffers implements AutoCloseable {
    private static final int KEPT = 8;
    private static final int FIRST_BYTES = 1 << 14;
    /** Frames are fetched together up to this many bytes. */
    private static final int TARGET_BYTES = 1 << 20;
    /** A buffer that one huge frame blew up is not kept. */
    private static final int KEPT_BYTES = 4 << 20;

    private final ArrayDeque<MessageBuffer> idle = new ArrayDeque<>();
    private boolean closed;

    /** Delivers frames {@code [from, to)} of one segment. */
    void read(Segment segment, long from, long to, PartitionLog.FrameConsumer out) {
        MessageBuffer buffer = take();
        try {
            FrameIndex index = segment.index();
            int last = (int) (to - segment.base());
            int next = (int) (from - segment.base());
            while (next < last) {
                long start = index.position(next);
                int upTo = next + 1;
                // Frames that lie alike: what is aligned in the file is aligned in the buffer.
                while (upTo < last
                        && index.end(upTo) - start <= TARGET_BYTES
                        && (index.position(upTo) - start & 7) == 0) {
                    upTo++;
                }
                deliver(segment, next, upTo, buffer, out);
                next = upTo;
            }
        } finally {
            give(buffer);
        }
    }

    private static void deliver(
            Segment segment, int from, int to, MessageBuffer buffer, PartitionLog.FrameConsumer out) {
        long start = segment.index().position(from);
        int bytes = Math.toIntExact(segment.index().end(to - 1) - start);
        buffer.clear();
        buffer.reserve(bytes);
        ByteBuffer view = buffer.view(0, bytes);
        try {
            if (segment.file().read(view, start) < bytes) {
                throw IoErrors.corrupt(segment.framesPath(), start + view.position(), "the file ends within a frame");
            }
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + segment.framesPath(), e);
        }
        view.clear();
        for (int i = from; i < to; i++) {
            int at = (int) (segment.index().position(i) - start);
            int length = (int) (segment.index().end(i) - segment.index().position(i));
            ByteBuffer frame = view.slice(at, length).order(ByteOrder.LITTLE_ENDIAN);
            FrameHeader header = FrameHeader.read(frame.duplicate());
            if (header == null || !FrameHeader.verify(frame, length) || header.frame() != segment.base() + i) {
                throw IoErrors.corrupt(
                        segment.framesPath(),
                        start + at,
                        "frame " + (segment.base() + i) + " is not as it was written");
            }
            out.frame(header, buffer.address(at + FrameHeader.BYTES), header.bodyLength());
        }
    }

    private synchronized MessageBuffer take() {
        MessageBuffer out = idle.poll();
        return out != null ? out : new MessageBuffer(FIRST_BYTES);
    }

    private synchronized void give(MessageBuffer buffer) {
        buffer.clear();
        if (closed || idle.size() >= KEPT || buffer.capacity() > KEPT_BYTES) {
            buffer.close();
        } else {
            idle.push(buffer);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(MessageBuffer::close);
        idle.clear();
    }
}

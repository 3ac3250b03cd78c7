package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Walks a segment's file from its known end, adding every whole frame to it, until one is not as it was written. Single use. */
final class FrameScan {
    private static final int WINDOW = 1 << 20;

    private final FileIo.OpenFile file;
    private final Segment segment;
    private final long size;
    private ByteBuffer window;
    private long windowStart;

    FrameScan(FileIo.OpenFile file, Segment segment, long size) {
        this.file = file;
        this.segment = segment;
        this.size = size;
        // Most segments end where their index does: then there is nothing to look at.
        window = ByteBuffer.allocateDirect((int) Math.min(WINDOW, size - segment.position()))
                .order(ByteOrder.LITTLE_ENDIAN)
                .limit(0);
    }

    /** Returns why it ended. */
    String run() throws IOException {
        while (true) {
            long at = segment.position();
            if (at == size) {
                return "the file ends";
            }
            if (!load(at, FrameHeader.BYTES)) {
                return "part of a frame header";
            }
            FrameHeader header = FrameHeader.read(window.slice());
            if (header == null) {
                return "no frame header";
            }
            if (!load(at, header.frameBytes())) {
                return "part of a frame";
            }
            if (!FrameHeader.verify(window.slice(), header.frameBytes())) {
                return "a frame whose checksum does not match";
            }
            if (header.frame() != segment.end() || header.epoch() != segment.epoch()) {
                return "frame " + header.frame() + " of epoch " + header.epoch() + " where frame " + segment.end()
                        + " of epoch " + segment.epoch() + " belongs";
            }
            segment.found(header);
        }
    }

    /** Moves the window's position to {@code at}. Returns false if the file has fewer than {@code bytes} from there. */
    private boolean load(long at, long bytes) throws IOException {
        if (at + bytes > size) {
            return false;
        }
        if (at < windowStart || at + bytes > windowStart + window.limit()) {
            if (bytes > window.capacity()) {
                window = ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
            }
            window.clear();
            file.read(window, at);
            window.flip();
            windowStart = at;
        }
        window.position((int) (at - windowStart));
        return window.remaining() >= bytes;
    }
}

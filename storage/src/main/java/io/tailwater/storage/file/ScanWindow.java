package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A piece of a file in memory that moves forward while its frames are looked for. Owned by one scan. */
final class ScanWindow {
    private static final int BYTES = 1 << 20;

    private final FileIo.OpenFile file;
    private final long size;
    private ByteBuffer window;
    private long start;

    /** @param from nothing before it is looked at */
    ScanWindow(FileIo.OpenFile file, long from) throws IOException {
        this.file = file;
        this.size = file.size();
        // Most segments end where their index does: then there is nothing to look at.
        window = ByteBuffer.allocateDirect((int) Math.max(0, Math.min(BYTES, size - from)))
                .order(ByteOrder.LITTLE_ENDIAN)
                .limit(0);
    }

    /** Bytes of the file. */
    long size() {
        return size;
    }

    /** The int at {@code at}, or 0 if the file has fewer than four bytes there. */
    int intAt(long at) throws IOException {
        return load(at, 4) ? window.getInt(window.position()) : 0;
    }

    /** Where the first byte at or past {@code at} lies that is not zero, or -1. */
    long firstNonZero(long at) throws IOException {
        long next = at;
        while (next < size) {
            long bytes = Math.min(BYTES, size - next);
            if (!load(next, bytes)) {
                return -1;
            }
            for (int i = 0; i < bytes; i++) {
                if (window.get(window.position() + i) != 0) {
                    return next + i;
                }
            }
            next += bytes;
        }
        return -1;
    }

    /** Adds the frame that should lie at {@code at} to the segment. Returns null, or what is wrong with it. */
    @Nullable String frame(Segment segment, long at) throws IOException {
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
        segment.found(header, at);
        return null;
    }

    /** Moves the window's position to {@code at}. Returns false if the file has fewer than {@code bytes} from there. */
    private boolean load(long at, long bytes) throws IOException {
        if (at + bytes > size) {
            return false;
        }
        if (at < start || at + bytes > start + window.limit()) {
            if (bytes > window.capacity()) {
                window = ByteBuffer.allocateDirect((int) Math.max(bytes, Math.min(BYTES, size - at)))
                        .order(ByteOrder.LITTLE_ENDIAN);
            }
            window.clear();
            file.read(window, at);
            window.flip();
            start = at;
        }
        window.position((int) (at - start));
        return window.remaining() >= bytes;
    }
}

package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.FrameInfo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Where each frame of a segment lies and what it holds: 36 bytes a frame, on the heap. One thread adds, any number read entries below {@link
 * #count}.
 */
final class FrameIndex {
    private static final long MAGIC = 0x0158444957544CL;
    private static final int HEADER = 32;
    private static final int ENTRY = 36;

    /** The arrays together, so that a reader never sees a new array before it is filled. */
    private static final class Columns {
        final long[] positions;
        final long[] minTimes;
        final long[] maxTimes;
        final int[] rows;
        final int[] lengths;
        final int[] flags;

        Columns(int capacity) {
            positions = new long[capacity];
            minTimes = new long[capacity];
            maxTimes = new long[capacity];
            rows = new int[capacity];
            lengths = new int[capacity];
            flags = new int[capacity];
        }

        Columns(Columns from, int capacity) {
            positions = Arrays.copyOf(from.positions, capacity);
            minTimes = Arrays.copyOf(from.minTimes, capacity);
            maxTimes = Arrays.copyOf(from.maxTimes, capacity);
            rows = Arrays.copyOf(from.rows, capacity);
            lengths = Arrays.copyOf(from.lengths, capacity);
            flags = Arrays.copyOf(from.flags, capacity);
        }
    }

    private volatile Columns arrays = new Columns(16);
    private volatile int count;
    private volatile long totalRows;
    private volatile long totalBytes;

    int count() {
        return count;
    }

    long totalRows() {
        return totalRows;
    }

    /** Bytes of all frames, headers and padding included. */
    long totalBytes() {
        return totalBytes;
    }

    void add(long position, FrameHeader header) {
        int at = count;
        Columns to = arrays;
        if (at == to.positions.length) {
            to = new Columns(to, 2 * at);
            arrays = to;
        }
        to.positions[at] = position;
        to.minTimes[at] = header.minTime();
        to.maxTimes[at] = header.maxTime();
        to.rows[at] = header.rows();
        to.lengths[at] = header.bodyLength();
        to.flags[at] = header.flags();
        long rows = totalRows;
        totalRows = rows + header.rows();
        long bytes = totalBytes;
        totalBytes = bytes + header.frameBytes();
        count = at + 1;
    }

    /** Forgets entries at and past {@code newCount}. Nobody may be reading them. */
    void truncate(int newCount) {
        Columns from = arrays;
        long rows = totalRows;
        long bytes = totalBytes;
        for (int i = newCount; i < count; i++) {
            rows -= from.rows[i];
            bytes -= end(i) - from.positions[i];
        }
        totalRows = rows;
        totalBytes = bytes;
        count = newCount;
    }

    long position(int i) {
        return arrays.positions[i];
    }

    /** Where the frame after {@code i} begins. */
    long end(int i) {
        Columns from = arrays;
        return from.positions[i] + FrameHeader.BYTES + ((from.lengths[i] + 7L) & -8);
    }

    FrameInfo info(int i, long base, long epoch) {
        Columns from = arrays;
        return new FrameInfo(
                base + i, epoch, from.flags[i], from.rows[i], from.minTimes[i], from.maxTimes[i], from.lengths[i]);
    }

    /** The index as a file: magic, base, count, crc, entries. */
    ByteBuffer toBytes(long base) {
        int n = count;
        Columns from = arrays;
        ByteBuffer out = ByteBuffer.allocate(HEADER + ENTRY * n).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(MAGIC).putLong(base).putLong(n).putLong(0);
        for (int i = 0; i < n; i++) {
            out.putLong(from.positions[i]).putLong(from.minTimes[i]).putLong(from.maxTimes[i]);
            out.putInt(from.rows[i]).putInt(from.lengths[i]).putInt(from.flags[i]);
        }
        out.flip();
        out.putLong(24, crc(out));
        return out;
    }

    /** Adds what {@link #toBytes} wrote. Returns false, with nothing added, if the bytes are not whole. */
    boolean load(ByteBuffer in, long base) {
        in.order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() < HEADER
                || in.getLong(0) != MAGIC
                || in.getLong(8) != base
                || in.remaining() != HEADER + ENTRY * in.getLong(16)
                || in.getLong(24) != crc(in)) {
            return false;
        }
        int n = (int) in.getLong(16);
        Columns to = new Columns(Math.max(16, n));
        in.position(HEADER);
        long rows = 0;
        long bytes = 0;
        for (int i = 0; i < n; i++) {
            to.positions[i] = in.getLong();
            to.minTimes[i] = in.getLong();
            to.maxTimes[i] = in.getLong();
            to.rows[i] = in.getInt();
            to.lengths[i] = in.getInt();
            to.flags[i] = in.getInt();
            rows += to.rows[i];
            bytes += FrameHeader.BYTES + ((to.lengths[i] + 7L) & -8);
        }
        arrays = to;
        totalRows = rows;
        totalBytes = bytes;
        count = n;
        return true;
    }

    /** Over all but the crc's own place. */
    private static long crc(ByteBuffer buffer) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().position(0).limit(24));
        crc.update(buffer.duplicate().position(HEADER));
        return crc.getValue();
    }
}

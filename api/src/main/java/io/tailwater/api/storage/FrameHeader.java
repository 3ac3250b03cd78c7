package io.tailwater.api.storage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * What a frame says about itself. On disk and on the wire it is {@link #BYTES} little-endian bytes, followed by the body and zeros up to a multiple
 * of 8:
 *
 * <pre>
 *  0 magic          4 crc32c of all that follows, body included
 *  8 body length   12 format version (2)   14 flags (2)
 * 16 leader epoch  24 frame number
 * 32 producer id   40 producer epoch   48 producer sequence
 * 56 rows          60 schema version
 * 64 min event time   72 max event time (microseconds, {@link #NO_TIME} without a time column)
 * </pre>
 *
 * Immutable.
 *
 * @param epoch the leader epoch under which the frame was appended
 * @param flags one of {@link #DATA}, {@link #COMMIT}, {@link #EPOCH}, {@link #CONTROL}
 * @param frame offset in the partition; set by the log
 * @param producer 0 for none
 * @param bodyLength bytes of the body, padding aside; set by the log
 */
public record FrameHeader(
        long epoch,
        int flags,
        int schemaVersion,
        long frame,
        long producer,
        long producerEpoch,
        long sequence,
        int rows,
        long minTime,
        long maxTime,
        int bodyLength) {
    public static final int BYTES = 80;
    public static final int DATA = 1;
    public static final int COMMIT = 2;
    public static final int EPOCH = 4;
    public static final int CONTROL = 8;
    public static final long NO_TIME = Long.MIN_VALUE;
    /** Upper bound of a body: a length field beyond it is garbage. */
    public static final int MAX_BODY = 1 << 30;

    private static final int MAGIC = 0x31465754;
    private static final int FORMAT = 1;
    private static final byte[] ZEROS = new byte[8];

    /** Rows: {@code minTime} and {@code maxTime} are {@link #NO_TIME} if no row has an event time. */
    public static FrameHeader data(long epoch, int schemaVersion, int rows, long minTime, long maxTime) {
        return new FrameHeader(epoch, DATA, schemaVersion, 0, 0, 0, 0, rows, minTime, maxTime, 0);
    }

    /** A record of an application log. */
    public static FrameHeader control(long epoch, int recordVersion) {
        return new FrameHeader(epoch, CONTROL, recordVersion, 0, 0, 0, 0, 0, NO_TIME, NO_TIME, 0);
    }

    public FrameHeader producedBy(long id, long idEpoch, long number) {
        return new FrameHeader(
                epoch, flags, schemaVersion, frame, id, idEpoch, number, rows, minTime, maxTime, bodyLength);
    }

    public FrameHeader at(long number, int length) {
        return new FrameHeader(
                epoch, flags, schemaVersion, number, producer, producerEpoch, sequence, rows, minTime, maxTime, length);
    }

    /** Bytes of header, body and padding. */
    public long frameBytes() {
        return BYTES + ((bodyLength + 7L) & -8);
    }

    /** Writes the header at {@code out}'s position, which moves past it. {@code body} holds the {@link #bodyLength} bytes of the body, and is left as it was. */
    public void write(ByteBuffer out, ByteBuffer body) {
        if (body.remaining() != bodyLength) {
            throw new AssertionError("a body of " + body.remaining() + " bytes under a header that says " + bodyLength);
        }
        int at = out.position();
        ByteBuffer to = out.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(MAGIC).putInt(0).putInt(bodyLength).putShort((short) FORMAT).putShort((short) flags);
        to.putLong(epoch)
                .putLong(frame)
                .putLong(producer)
                .putLong(producerEpoch)
                .putLong(sequence);
        to.putInt(rows).putInt(schemaVersion).putLong(minTime).putLong(maxTime);
        to.putInt(at + 4, crc(to.duplicate().position(at + 8).limit(at + BYTES), body.duplicate()));
        out.position(at + BYTES);
    }

    /**
     * Reads the header at {@code in}'s position, which moves past it.
     *
     * @return null if there is no frame header: wrong magic, an impossible length, or fewer bytes than a header
     */
    public static @org.jspecify.annotations.Nullable FrameHeader read(ByteBuffer in) {
        ByteBuffer from = in.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (from.remaining() < BYTES || from.getInt() != MAGIC) {
            return null;
        }
        from.getInt();
        int bodyLength = from.getInt();
        int format = from.getShort();
        int flags = from.getShort();
        if (bodyLength < 0 || bodyLength > MAX_BODY || format != FORMAT) {
            return null;
        }
        long epoch = from.getLong();
        long frame = from.getLong();
        long producer = from.getLong();
        long producerEpoch = from.getLong();
        long sequence = from.getLong();
        int rows = from.getInt();
        int schemaVersion = from.getInt();
        FrameHeader out = new FrameHeader(
                epoch,
                flags,
                schemaVersion,
                frame,
                producer,
                producerEpoch,
                sequence,
                rows,
                from.getLong(),
                from.getLong(),
                bodyLength);
        in.position(in.position() + BYTES);
        return out;
    }

    /** Whether a frame's bytes, header and padded body at {@code frame}'s position, are what was written. */
    public static boolean verify(ByteBuffer frame, long frameBytes) {
        int at = frame.position();
        if (frame.remaining() < frameBytes) {
            return false;
        }
        ByteBuffer from = frame.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        CRC32C crc = new CRC32C();
        crc.update(from.duplicate().position(at + 8).limit(at + (int) frameBytes));
        return from.getInt(at) == MAGIC && from.getInt(at + 4) == (int) crc.getValue();
    }

    private static int crc(ByteBuffer header, ByteBuffer body) {
        CRC32C crc = new CRC32C();
        crc.update(header);
        int padding = -body.remaining() & 7;
        crc.update(body);
        crc.update(ZEROS, 0, padding);
        return (int) crc.getValue();
    }
}

package io.tailwater.api.storage;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * One partition: frames numbered densely from 0, of which the oldest may have been removed. Thread-safe: one appends at a time, any number read.
 *
 * <p>Every method fails with a StreamException: XX001 names file and offset of what is corrupt; 53100 means that the disk is full and nothing was
 * appended; 58030 is any other failure of the disk. After a failed {@link #sync} the partition refuses all appends and syncs, because nobody can
 * tell any more what the disk holds; it must be opened afresh.
 */
public interface PartitionLog extends AutoCloseable {
    String name();

    /** The oldest frame that is still there; {@link #end} if none is. */
    long start();

    /** Frames appended so far: the number the next one gets. They survive the end of this process, not of the machine. */
    long end();

    /** Frames that survive the loss of power, exclusive. At most {@link #end}. */
    long durableEnd();

    /** The leader epoch of the last segment, 0 for a log that was never written. */
    long epoch();

    /**
     * Appends one frame and returns its number. The bytes have reached the operating system when it returns; {@link #sync} makes them durable.
     *
     * @param header number and length are set by the log. A higher epoch than the log's begins a new segment; a lower one is refused with 55000
     * @param body between position and limit; borrowed, left as it was
     */
    long append(FrameHeader header, ByteBuffer body);

    /** Makes all that was appended before the call durable. */
    void sync();

    /** What is known of a frame in {@code [start, end)}. */
    FrameInfo info(long frame);

    /**
     * Reads whole frames in order, each checked against its crc.
     *
     * @param from in {@code [start, end]}
     * @param to exclusive, in {@code [from, end]}
     */
    void read(long from, long to, FrameConsumer out);

    /** Removes frames at the old end, as whole segments only: none at or past {@code frame}. Returns the new {@link #start}. */
    long removeBefore(long frame);

    /**
     * Makes frames at and past {@code frame} not exist, durably. Appending goes on there. Only for a log whose tail its owner knows to be void.
     */
    void truncate(long frame);

    /** What the log is made of, oldest first. */
    List<SegmentInfo> segments();

    /** Lets the next frame begin a new segment, so that the last one can be removed some day. Nothing happens to an empty one. */
    void roll();

    /** Bytes of all frames that are there. */
    long bytes();

    /** Rows of all frames that are there. */
    long rows();

    /** Asks to be told when {@link #durableEnd} has moved. Called by whoever synced: it may only enqueue. */
    void onDurable(Runnable listener);

    /** Syncs and closes. Twice is harmless. */
    @Override
    void close();

    /**
     * Frames that can only be removed together.
     *
     * @param begunMicros when the wall clock said that it was begun
     * @param sealedMicros when its last frame was there, or -1 if more may come
     */
    record SegmentInfo(long base, long end, long bytes, long begunMicros, long sealedMicros) {}

    /** Takes frames from {@link #read}. */
    interface FrameConsumer {
        /**
         * Called once per frame, in order.
         *
         * @param body address of the body, a multiple of 8; borrowed until the method returns
         * @param length {@link FrameHeader#bodyLength}
         */
        void frame(FrameHeader header, long body, int length);
    }
}

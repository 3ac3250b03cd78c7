package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The file in which the frames of one segment lie, in order, and a durable position: written after each sync and not synced itself, so it may lag, never
 * lead. What a crash left behind the last whole frame is not part of the segment. Owned by the segment, whose partition guards it; any thread may read
 * from {@link #file}.
 */
sealed interface FrameFile permits PlainFrameFile, ChronicleFrameFile {
    Path path();

    /** For positional reads of whole frames. */
    FileIo.OpenFile file();

    /** Where the first frame may lie at the earliest. */
    long first();

    /** Everything before it was acknowledged. */
    long durable();

    /**
     * Adds every whole frame from the segment's position on to it, until one is not as it was written.
     *
     * @return why it ended
     */
    String scan(Segment segment) throws IOException;

    /** Whether a frame may be appended behind those that {@link #scan} found. If not, the partition goes on in a new segment. */
    boolean appendable();

    /**
     * Takes away what follows {@code position}, which a crash left unfinished, or sees to it that nothing ever follows it.
     *
     * @return the bytes taken away
     */
    long cut(long position) throws IOException;

    /**
     * Writes a frame behind all others.
     *
     * @param parts header, body and padding
     * @param position end of the frame before
     * @return where the frame lies
     * @throws IOException if nothing was appended; {@link TailLost} if nobody can tell
     */
    long append(FrameHeader header, ByteBuffer[] parts, long position) throws IOException;

    /** Makes durable what was appended before the call, which ends at {@code durable}. */
    void sync(long durable) throws IOException;

    /** Nothing will be appended any more behind {@code position}, which is durable. Frees what was only needed for that. */
    void finish(long position) throws IOException;

    void close() throws IOException;

    /** Neither written nor removed: nobody can tell what the file holds past its end. */
    final class TailLost extends IOException {
        private static final long serialVersionUID = 1L;

        TailLost(Throwable cause) {
            super(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
        }
    }
}

package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * One cycle of Chronicle Queue: each frame is a document of its queue, behind four bytes that keep it aligned. The durable position is in the file {@code
 * durable} beside it.
 *
 * <pre>
 * 19700102F.cq4   Chronicle's documents: int length and flags, content; metadata documents are its index
 * metadata.cq4t   Chronicle's locks; of no use to anyone but the process that appends, which makes it
 * durable         magic, durable position
 * </pre>
 *
 * What Chronicle Queue does not promise is done here: it appends to files only that this process has made, and its own readers are not used. So a lock that
 * names a dead process is never asked for, a cycle never rolls, a hole that lost pages left stops no reader and is never appended behind, an index that says
 * more than the disk holds is never believed. Blocks are written with zeros before Chronicle maps them, so that a full disk is a refusal and not a SIGBUS.
 */
final class ChronicleFrameFile implements FrameFile {
    static final String SUFFIX = ".cq4";

    /** Greatest frame, header and padding included. */
    static final long MAX_FRAME = ChronicleAppender.BLOCK_BYTES / 4 - (1 << 20);

    /** Zeros that are written ahead at a time. */
    static final int AHEAD_BYTES = 1 << 20;

    private static final String LOCKS = "metadata.cq4t";
    private static final String DURABLE = "durable";
    private static final int LOCK_BYTES = 128 << 10;
    private static final long MAGIC = 0x01524D44435754L;
    /** Chronicle writes index pages of 32 KB at its end now and then. */
    private static final int INDEX_ROOM = 128 << 10;

    private static final int LENGTH = 0x3FFF_FFFF;
    private static final int METADATA = 0x4000_0000;
    private static final int UNFINISHED = 0x8000_0000;
    /** Between a document's header and its frame. */
    private static final int GAP = 4;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(AHEAD_BYTES);

    private final Path path;
    private final FileIo.OpenFile file;
    private final FileIo.OpenFile durableFile;
    private final long durableAtOpen;
    private final ByteBuffer slot = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    private @Nullable ChronicleAppender appender;
    private long allocated;

    private ChronicleFrameFile(
            Path path,
            FileIo.OpenFile file,
            FileIo.OpenFile durableFile,
            long durableAtOpen,
            @Nullable ChronicleAppender appender) {
        this.path = path;
        this.file = file;
        this.durableFile = durableFile;
        this.durableAtOpen = durableAtOpen;
        this.appender = appender;
    }

    /** Makes an empty queue; what it holds is durable, its names are not. */
    static ChronicleFrameFile create(FileIo io, Path directory) throws IOException {
        try (FileIo.OpenFile locks = io.open(directory.resolve(LOCKS))) {
            locks.write(new ByteBuffer[] {ZEROS.duplicate().limit(LOCK_BYTES)}, 0);
        }
        ByteBuffer durable = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
        durable.putLong(0, MAGIC).putLong(8, 0);
        try (FileIo.OpenFile out = io.open(directory.resolve(DURABLE))) {
            out.write(new ByteBuffer[] {durable}, 0);
            out.sync();
        }
        // Before there is a cycle: an appender that finds one of zeros waits for whoever might be about to fill it.
        ChronicleAppender appender = ChronicleAppender.create(directory);
        try {
            ChronicleFrameFile made = opened(io, directory, appender);
            try {
                made.reserve(AHEAD_BYTES);
                made.file.sync();
                return made;
            } catch (IOException e) {
                made.file.close();
                made.durableFile.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            appender.close();
            throw e;
        }
    }

    static ChronicleFrameFile open(FileIo io, Path directory) throws IOException {
        return opened(io, directory, null);
    }

    private static ChronicleFrameFile opened(FileIo io, Path directory, @Nullable ChronicleAppender appender)
            throws IOException {
        Path path = directory.resolve(ChronicleAppender.CYCLE);
        FileIo.OpenFile file = io.open(path);
        FileIo.OpenFile durableFile = null;
        try {
            durableFile = io.open(directory.resolve(DURABLE));
            ByteBuffer durable = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
            if (durableFile.read(durable, 0) < 16 || durable.getLong(0) != MAGIC) {
                throw IoErrors.corrupt(directory.resolve(DURABLE), 0, "not a durable position");
            }
            return new ChronicleFrameFile(path, file, durableFile, durable.getLong(8), appender);
        } catch (IOException | RuntimeException e) {
            file.close();
            if (durableFile != null) {
                durableFile.close();
            }
            throw e;
        }
    }

    /** The durable position is kept from before the first append on. */
    static boolean neverUsed(FileIo io, Path directory) throws IOException {
        ByteBuffer durable = Segment.readAll(io, directory.resolve(DURABLE));
        return durable == null || durable.remaining() < 16 || durable.getLong(8) == 0;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public FileIo.OpenFile file() {
        return file;
    }

    @Override
    public long first() {
        return 0;
    }

    @Override
    public long durable() {
        return durableAtOpen;
    }

    @Override
    public String scan(Segment segment) throws IOException {
        ScanWindow window = new ScanWindow(file, segment.position());
        long at = segment.position();
        while (true) {
            int document = window.intAt(at);
            long next = at + 4 + (document & LENGTH);
            if (document == 0) {
                long lost = window.firstNonZero(at);
                return lost < 0 ? "the file ends" : "a hole, behind which something is at " + lost;
            }
            if ((document & UNFINISHED) != 0) {
                return "an unfinished document";
            }
            if (next > window.size()) {
                return "a document of " + (document & LENGTH) + " bytes, past the end of the file";
            }
            if ((document & METADATA) != 0) {
                at = next + 3 & -4;
                continue;
            }
            String damage = window.frame(segment, at + 4 + GAP);
            if (damage != null) {
                return damage;
            }
            at = segment.position();
            if (at != next) {
                return "a document of " + (document & LENGTH) + " bytes that is not one frame";
            }
        }
    }

    @Override
    public boolean appendable() {
        return appender != null;
    }

    @Override
    public long cut(long position) throws IOException {
        // Chronicle has not opened a file that was found, and never will.
        long size = file.size();
        if (position < size) {
            file.truncate(position);
        }
        return size - position;
    }

    @Override
    public long append(FrameHeader header, ByteBuffer[] parts, long position) throws IOException {
        ChronicleAppender out = appender;
        if (out == null) {
            throw new AssertionError("append to " + path + ", which was not made by this process");
        }
        if (header.frameBytes() > MAX_FRAME) {
            throw new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX,
                    "a frame of " + header.frameBytes() + " bytes; with storage.segments = chronicle the limit is "
                            + MAX_FRAME,
                    -1,
                    "Write fewer or smaller rows at once, or set storage.segments to file.",
                    null);
        }
        reserve(position + header.frameBytes() + INDEX_ROOM);
        try {
            return out.write(parts);
        } catch (IOException | RuntimeException | InternalError e) {
            // An InternalError is how the JVM reports a mapped page that the disk could not give.
            throw new TailLost(e);
        }
    }

    /** Has the file system give us blocks up to {@code end}, or refuse while nothing is lost. Nothing was written there yet. */
    private void reserve(long end) throws IOException {
        while (allocated < end) {
            file.write(new ByteBuffer[] {ZEROS.duplicate()}, allocated);
            allocated += AHEAD_BYTES;
        }
    }

    @Override
    public void sync(long durable) throws IOException {
        // Pages that were written through a mapping are the file's pages: forcing the file forces them. Chronicle's own
        // sync() promises less.
        file.sync();
        slot.putLong(0, durable);
        durableFile.write(new ByteBuffer[] {slot.duplicate()}, 8);
    }

    @Override
    public void finish(long position) throws IOException {
        ChronicleAppender open = appender;
        if (open != null) {
            appender = null;
            open.close();
            // Zeros written ahead, and what a cut of the segment made void.
            file.truncate(position);
        }
    }

    @Override
    public void close() throws IOException {
        ChronicleAppender open = appender;
        appender = null;
        try {
            if (open != null) {
                open.close();
            }
        } finally {
            try {
                file.close();
            } finally {
                durableFile.close();
            }
        }
    }
}

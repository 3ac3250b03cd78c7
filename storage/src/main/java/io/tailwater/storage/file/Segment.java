package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * A run of frames of one leader epoch in a directory {@code seg-<base>-<epoch>}:
 *
 * <pre>
 * meta    magic, version, crc32c, base, epoch, sealed end or -1; replaced by rename, always synced
 * frames  64 bytes: magic, durable position; then frames
 * index   FrameIndex of a prefix of the frames; optional, written when the segment is sealed or closed
 * </pre>
 *
 * The durable position is written after each sync and not synced itself: it may lag, never lead. So a damaged frame below it was acknowledged, and
 * one above it is the torn tail of a crash. A directory without a meta was being made when the process died.
 *
 * <p>Owned by its partition, whose locks guard it; frames below the index's count may be read by any thread.
 */
final class Segment {
    static final int FILE_HEADER = 64;
    /** Prefix of a directory that is being removed. */
    static final String GONE = ".gone-";

    private static final Logger LOG = LoggerFactory.getLogger(Segment.class);
    private static final long FRAMES_MAGIC = 0x01534D52465754L;
    private static final long META_MAGIC = 0x014154454D5754L;
    private static final int META_BYTES = 48;
    private static final int META_VERSION = 1;

    private final FileIo io;
    private final Path directory;
    private final long base;
    private final long epoch;
    private final FileIo.OpenFile file;
    private final FrameIndex index = new FrameIndex();
    private final ByteBuffer slot = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    private volatile long position = FILE_HEADER;
    private long sealedEnd;
    private int indexedFrames;

    private Segment(FileIo io, Path directory, long base, long epoch, long sealedEnd, FileIo.OpenFile file) {
        this.io = io;
        this.directory = directory;
        this.base = base;
        this.epoch = epoch;
        this.sealedEnd = sealedEnd;
        this.file = file;
    }

    static String directoryName(long base, long epoch) {
        return "seg-" + base + "-" + epoch;
    }

    /** Makes an empty segment, durably: when it returns, losing power does not lose it. */
    static Segment create(FileIo io, Path partition, long base, long epoch) throws IOException {
        Path directory = partition.resolve(directoryName(base, epoch));
        io.delete(directory);
        io.createDirectories(directory);
        FileIo.OpenFile file = io.open(directory.resolve("frames"));
        Segment made = new Segment(io, directory, base, epoch, -1, file);
        try {
            ByteBuffer header = ByteBuffer.allocateDirect(FILE_HEADER).order(ByteOrder.LITTLE_ENDIAN);
            header.putLong(0, FRAMES_MAGIC).putLong(8, FILE_HEADER);
            file.write(new ByteBuffer[] {header}, 0);
            file.sync();
            made.writeMeta();
            io.syncDirectory(partition);
            return made;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Opens a segment, cutting off the torn tail of a crash.
     *
     * @return null if the directory was being made when the process died, and so never held an acknowledged frame
     * @throws io.tailwater.common.error.StreamException XX001 if acknowledged frames are damaged
     */
    static @org.jspecify.annotations.Nullable Segment open(FileIo io, Path directory, boolean last) throws IOException {
        ByteBuffer meta = readAll(io, directory.resolve("meta"));
        if (meta == null) {
            ByteBuffer frames = last ? readAll(io, directory.resolve("frames")) : null;
            if (last && (frames == null || frames.remaining() <= FILE_HEADER)) {
                return null;
            }
            throw IoErrors.corrupt(directory.resolve("meta"), 0, "missing");
        }
        if (meta.remaining() != META_BYTES
                || meta.getLong(0) != META_MAGIC
                || meta.getInt(8) != META_VERSION
                || meta.getInt(12) != metaCrc(meta)) {
            throw IoErrors.corrupt(directory.resolve("meta"), 0, "not a segment description of this version");
        }
        Segment opened = new Segment(
                io,
                directory,
                meta.getLong(16),
                meta.getLong(24),
                meta.getLong(32),
                io.open(directory.resolve("frames")));
        try {
            opened.load();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.file.close();
            throw e;
        }
    }

    private static @org.jspecify.annotations.Nullable ByteBuffer readAll(FileIo io, Path path) throws IOException {
        Path directory = path.getParent();
        if (directory == null || !io.list(directory).contains(path.getFileName().toString())) {
            return null;
        }
        try (FileIo.OpenFile in = io.open(path)) {
            ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(in.size())).order(ByteOrder.LITTLE_ENDIAN);
            in.read(out, 0);
            return out.flip();
        }
    }

    private static int metaCrc(ByteBuffer meta) {
        CRC32C crc = new CRC32C();
        crc.update(meta.duplicate().position(16).limit(META_BYTES));
        return (int) crc.getValue();
    }

    private void writeMeta() throws IOException {
        ByteBuffer meta = ByteBuffer.allocate(META_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        meta.putLong(0, META_MAGIC).putInt(8, META_VERSION);
        meta.putLong(16, base).putLong(24, epoch).putLong(32, sealedEnd);
        meta.putInt(12, metaCrc(meta));
        replace("meta", meta);
    }

    private void replace(String name, ByteBuffer content) throws IOException {
        Path fresh = directory.resolve(name + ".new");
        io.delete(fresh);
        try (FileIo.OpenFile out = io.open(fresh)) {
            out.write(new ByteBuffer[] {content}, 0);
            out.sync();
        }
        io.rename(fresh, directory.resolve(name));
        io.syncDirectory(directory);
    }

    private void load() throws IOException {
        ByteBuffer header = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
        if (file.read(header, 0) < 16 || header.getLong(0) != FRAMES_MAGIC) {
            throw IoErrors.corrupt(framesPath(), 0, "not a frames file");
        }
        long durable = header.getLong(8);
        long size = file.size();
        ByteBuffer stored = readAll(io, directory.resolve("index"));
        if (stored != null && index.load(stored, base) && index.count() > 0) {
            position = index.end(index.count() - 1);
            indexedFrames = index.count();
        }
        if (position > size) {
            throw IoErrors.corrupt(framesPath(), size, "the file ends, but its index goes on to " + position);
        }
        String damage = new FrameScan(file, this, size).run();
        if (sealedEnd >= 0) {
            if (end() < sealedEnd) {
                throw IoErrors.corrupt(framesPath(), position, damage + ", in a sealed segment");
            }
            cutTo(sealedEnd);
        } else if (position < durable) {
            throw IoErrors.corrupt(framesPath(), position, damage + ", below the acknowledged end " + durable);
        } else {
            if (position < size) {
                LOG.warn(
                        "{}: cut {} bytes at {} that a crash left unfinished ({})",
                        framesPath(),
                        size - position,
                        position,
                        damage);
                file.truncate(position);
            }
            if (position != durable || position < size) {
                // What survived in the page cache is acknowledged from now on, and what was cut must not come back.
                sync(position);
            }
        }
    }

    /** Forgets frames at and past {@code frame} without touching the file. */
    private void cutTo(long frame) {
        int count = (int) (frame - base);
        index.truncate(count);
        position = count == 0 ? FILE_HEADER : index.end(count - 1);
    }

    /** One more frame, which {@link FrameScan} found at {@link #position}. */
    void found(FrameHeader header) {
        long at = position;
        index.add(at, header);
        position = at + header.frameBytes();
    }

    /** Writes a frame; on failure nothing was appended. */
    void append(FrameHeader header, ByteBuffer[] parts) throws IOException {
        try {
            file.write(parts, position);
        } catch (IOException e) {
            // A whole frame left behind would come to life at the next start although its writer was told otherwise.
            try {
                file.truncate(position);
            } catch (IOException again) {
                e.addSuppressed(again);
                throw new TailLost(e);
            }
            throw e;
        }
        found(header);
    }

    /** Neither written nor removed: nobody can tell what the file holds past its end. */
    static final class TailLost extends IOException {
        private static final long serialVersionUID = 1L;

        TailLost(IOException cause) {
            super(cause);
        }
    }

    void sync(long durable) throws IOException {
        file.sync();
        slot.putLong(0, durable);
        file.write(new ByteBuffer[] {slot.duplicate()}, 8);
    }

    /** Ends the segment at {@code frame} for ever. Its frames are durable when it returns. */
    void seal(long frame) throws IOException {
        cutTo(frame);
        sync(position);
        sealedEnd = frame;
        writeIndex();
        writeMeta();
    }

    /** Lets the next start skip the frames that are there now. */
    void writeIndex() throws IOException {
        if (index.count() != indexedFrames) {
            replace("index", index.toBytes(base));
            indexedFrames = index.count();
        }
    }

    void close() throws IOException {
        file.close();
    }

    void delete() throws IOException {
        file.close();
        // Gone at once, however far the removal of its files gets.
        Path gone = directory.resolveSibling(GONE + directory.getFileName());
        io.delete(gone);
        io.rename(directory, gone);
        io.delete(gone);
    }

    Path framesPath() {
        return directory.resolve("frames");
    }

    long base() {
        return base;
    }

    long end() {
        return base + index.count();
    }

    long epoch() {
        return epoch;
    }

    boolean sealed() {
        return sealedEnd >= 0;
    }

    /** Where the next frame goes. */
    long position() {
        return position;
    }

    FrameIndex index() {
        return index;
    }

    FileIo.OpenFile file() {
        return file;
    }
}

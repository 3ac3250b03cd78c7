package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * A run of frames of one leader epoch in a directory {@code seg-<base>-<epoch>}:
 *
 * <pre>
 * meta    magic, version, crc32c, base, epoch, sealed end or -1, when it was begun and sealed; replaced by rename, always synced
 * frames  or what else the {@link FrameFile} of this segment is made of
 * index   FrameIndex of a prefix of the frames; optional, written when the segment is sealed or closed
 * </pre>
 *
 * A damaged frame below the file's durable position was acknowledged, and one above it is the torn tail of a crash. A directory without a meta was being
 * made when the process died.
 *
 * <p>Owned by its partition, whose locks guard it; frames below the index's count may be read by any thread.
 */
final class Segment {
    /** Prefix of a directory that is being removed. */
    static final String GONE = ".gone-";

    private static final Logger LOG = LoggerFactory.getLogger(Segment.class);
    private static final long META_MAGIC = 0x014154454D5754L;
    private static final int META_BYTES = 56;
    private static final int META_VERSION = 1;

    private final FileIo io;
    private Path directory;
    private final long base;
    private final long epoch;
    private final FrameFile frames;
    private final FrameIndex index = new FrameIndex();
    private volatile long position;
    private final long begunMicros;
    private volatile long sealedMicros;
    private volatile long sealedEnd;
    private int indexedFrames;

    private Segment(FileIo io, Path directory, long base, long epoch, Life life, FrameFile frames) {
        this.io = io;
        this.directory = directory;
        this.base = base;
        this.epoch = epoch;
        this.sealedEnd = life.sealedEnd();
        this.begunMicros = life.begunMicros();
        this.sealedMicros = life.sealedMicros();
        this.frames = frames;
        this.position = frames.first();
    }

    /** When a segment began and ended, as wall clocks said; -1 for what has not happened. */
    private record Life(long sealedEnd, long begunMicros, long sealedMicros) {}

    static String directoryName(long base, long epoch) {
        return "seg-" + base + "-" + epoch;
    }

    /** Makes an empty segment, durably: when it returns, losing power does not lose it. */
    static Segment create(FileIo io, Path partition, long base, long epoch, FileSegmentStore.Options options)
            throws IOException {
        Path directory = partition.resolve(directoryName(base, epoch));
        io.delete(directory);
        io.createDirectories(directory);
        FrameFile frames = options.format().create(io, directory);
        try {
            Segment made = new Segment(
                    io, directory, base, epoch, new Life(-1, options.clock().wallMicros(), -1), frames);
            made.writeMeta();
            io.syncDirectory(partition);
            return made;
        } catch (IOException e) {
            frames.close();
            throw e;
        }
    }

    /**
     * Opens a segment of whichever format, cutting off the torn tail of a crash.
     *
     * @return null if the directory was being made when the process died, and so never held an acknowledged frame
     * @throws io.tailwater.common.error.StreamException XX001 if acknowledged frames are damaged
     */
    static @Nullable Segment open(FileIo io, Path directory, boolean last) throws IOException {
        List<String> names = io.list(directory);
        ByteBuffer meta = readAll(io, directory.resolve("meta"));
        if (meta == null) {
            if (last && SegmentFormat.neverUsed(io, directory, names)) {
                return null;
            }
            throw IoErrors.corrupt(directory.resolve("meta"), 0, "missing");
        }
        Segment opened = open(io, directory, names, meta);
        try {
            opened.load();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static Segment open(FileIo io, Path directory, List<String> names, ByteBuffer meta) throws IOException {
        if (meta.remaining() != META_BYTES
                || meta.getLong(0) != META_MAGIC
                || meta.getInt(8) != META_VERSION
                || meta.getInt(12) != metaCrc(meta)) {
            throw IoErrors.corrupt(directory.resolve("meta"), 0, "not a segment description of this version");
        }
        Life life = new Life(meta.getLong(32), meta.getLong(40), meta.getLong(48));
        FrameFile frames = SegmentFormat.open(io, directory, names);
        return new Segment(io, directory, meta.getLong(16), meta.getLong(24), life, frames);
    }

    /**
     * Opens a segment to look at: nothing is changed, its index is not believed. {@code out} is told what is damaged, and what lies behind the last frame without
     * being damage: the torn tail of a crash, or what is just being written.
     *
     * @param io need not be able to write
     * @return null if the directory is being made, or was when the process died
     */
    static @Nullable Segment look(FileIo io, Path directory, boolean last, Findings out) throws IOException {
        List<String> names = io.list(directory);
        ByteBuffer meta = readAll(io, directory.resolve("meta"));
        if (meta == null) {
            if (last && SegmentFormat.neverUsed(io, directory, names)) {
                return null;
            }
            throw IoErrors.corrupt(directory.resolve("meta"), 0, "missing");
        }
        Segment found = open(io, directory, names, meta);
        try {
            long durable = found.frames.durable();
            String stop = found.frames.scan(found);
            if (found.sealedEnd >= 0 && found.end() >= found.sealedEnd) {
                found.cutTo(found.sealedEnd);
            } else if (found.sealedEnd >= 0) {
                out.damage(found.position, stop + ", in a sealed segment whose end is frame " + found.sealedEnd);
            } else if (found.position < durable) {
                out.damage(found.position, stop + ", below the acknowledged end " + durable);
            } else if (found.frames.file().size() > found.position) {
                out.tail(found.position, stop);
            }
            return found;
        } catch (IOException | RuntimeException e) {
            found.close();
            throw e;
        }
    }

    /** What {@link #look} says of a segment's frames. */
    interface Findings {
        void damage(long position, String reason);

        void tail(long position, String reason);
    }

    static @Nullable ByteBuffer readAll(FileIo io, Path path) throws IOException {
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
        meta.putLong(40, begunMicros).putLong(48, sealedMicros);
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
        long durable = frames.durable();
        long size = frames.file().size();
        ByteBuffer stored = readAll(io, directory.resolve("index"));
        if (stored != null && index.load(stored, base) && index.count() > 0) {
            position = index.end(index.count() - 1);
            indexedFrames = index.count();
        }
        if (position > size) {
            throw IoErrors.corrupt(framesPath(), size, "the file ends, but its index goes on to " + position);
        }
        String damage = frames.scan(this);
        if (sealedEnd >= 0) {
            if (end() < sealedEnd) {
                throw IoErrors.corrupt(framesPath(), position, damage + ", in a sealed segment");
            }
            cutTo(sealedEnd);
        } else if (position < durable) {
            throw IoErrors.corrupt(framesPath(), position, damage + ", below the acknowledged end " + durable);
        } else {
            long cut = frames.cut(position);
            if (cut > 0) {
                LOG.warn(
                        "{}: cut {} bytes at {} that a crash left behind the last frame ({})",
                        framesPath(),
                        cut,
                        position,
                        damage);
            }
            if (position != durable || cut > 0) {
                // What survived in the page cache is acknowledged from now on, and what was cut must not come back.
                sync(position);
            }
        }
    }

    /** Forgets frames at and past {@code frame} without touching the file. */
    private void cutTo(long frame) {
        int count = (int) (frame - base);
        index.truncate(count);
        position = count == 0 ? frames.first() : index.end(count - 1);
    }

    /** One more frame, which lies at {@code at} behind all others. */
    void found(FrameHeader header, long at) {
        index.add(at, header);
        position = at + header.frameBytes();
    }

    /** Whether a frame may be appended, as far as the files know. */
    boolean appendable() {
        return sealedEnd < 0 && frames.appendable();
    }

    /** Writes a frame; on failure nothing was appended. */
    void append(FrameHeader header, ByteBuffer[] parts) throws IOException {
        found(header, frames.append(header, parts, position));
    }

    void sync(long durable) throws IOException {
        frames.sync(durable);
    }

    /** Ends the segment at {@code frame} for ever. Its frames are durable when it returns. */
    void seal(long frame, long wallMicros) throws IOException {
        cutTo(frame);
        sync(position);
        sealedEnd = frame;
        sealedMicros = wallMicros;
        writeIndex();
        writeMeta();
        // Only now: before, what follows might still have counted.
        frames.finish(position);
    }

    /** Ends appending, and lets the next start skip the frames that are there now. */
    void conclude() throws IOException {
        writeIndex();
        frames.finish(position);
    }

    PartitionLog.SegmentInfo info() {
        return new PartitionLog.SegmentInfo(base, end(), bytes(), begunMicros, sealedMicros);
    }

    /** Lets a start skip the frames that are there now. They must be durable. */
    void writeIndex() throws IOException {
        if (index.count() != indexedFrames) {
            replace("index", index.toBytes(base));
            indexedFrames = index.count();
        }
    }

    /** Leaves its name to its successor, which begins at the same frame. Its files know which segment it is; its name now only sorts it first. */
    void stepAside() throws IOException {
        Path aside = directory.resolveSibling(directoryName(base, epoch - 1));
        if (!directory.equals(aside)) {
            io.rename(directory, aside);
            directory = aside;
            io.syncDirectory(Objects.requireNonNull(aside.getParent()));
        }
    }

    void close() throws IOException {
        frames.close();
    }

    void delete() throws IOException {
        frames.close();
        // Gone at once, however far the removal of its files gets.
        Path gone = directory.resolveSibling(GONE + directory.getFileName());
        io.delete(gone);
        io.rename(directory, gone);
        // Before its files go: without them it could not come back.
        io.syncDirectory(Objects.requireNonNull(gone.getParent()));
        io.delete(gone);
    }

    Path framesPath() {
        return frames.path();
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
        return frames.file();
    }

    /** Bytes of all frames. */
    long bytes() {
        return index.totalBytes();
    }
}

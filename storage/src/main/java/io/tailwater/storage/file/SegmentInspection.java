package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameInfo;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A segment to look at, each of its frames checked: nothing is changed, whoever else may be using it, and what is damaged is told. The frames before a damage are
 * there. Owned by one thread; not thread-safe.
 */
public final class SegmentInspection implements AutoCloseable {
    private final Segment segment;
    private final ReadBuffers buffers = new ReadBuffers();
    private final @Nullable StreamException damage;
    private final @Nullable String tail;

    private SegmentInspection(Segment segment, @Nullable StreamException damage, @Nullable String tail) {
        this.segment = segment;
        this.damage = damage;
        this.tail = tail;
    }

    /** A frame and where it lies. */
    public record FrameAt(long position, FrameInfo info) {}

    /**
     * Opens a segment.
     *
     * @param last of its partition
     * @return empty if the directory is being made, or was when the process died
     * @throws StreamException XX001 if its description is missing or damaged, or its file no file of frames; 58030 if it cannot be read
     */
    public static Optional<SegmentInspection> open(FileIo io, Path directory, boolean last) {
        Notes notes = new Notes();
        try {
            Segment segment = Segment.look(new ReadingIo(io), directory, last, notes);
            if (segment == null) {
                return Optional.empty();
            }
            StreamException damage =
                    notes.damage == null ? null : IoErrors.corrupt(segment.framesPath(), notes.damagedAt, notes.damage);
            return Optional.of(new SegmentInspection(segment, damage, notes.tail));
        } catch (NoSuchFileException e) {
            throw IoErrors.corrupt(directory, 0, "missing: " + e.getFile());
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + directory, e);
        }
    }

    private static final class Notes implements Segment.Findings {
        private long damagedAt;
        private @Nullable String damage;
        private @Nullable String tail;

        @Override
        public void damage(long position, String reason) {
            damagedAt = position;
            damage = reason;
        }

        @Override
        public void tail(long position, String reason) {
            tail = "from " + position + " on: " + reason;
        }
    }

    public PartitionLog.SegmentInfo info() {
        return segment.info();
    }

    public long epoch() {
        return segment.epoch();
    }

    public boolean sealed() {
        return segment.sealed();
    }

    public long rows() {
        return segment.index().totalRows();
    }

    /** What is wrong with the first frame that is not as it was acknowledged. */
    public Optional<StreamException> damage() {
        return Optional.ofNullable(damage);
    }

    /** What lies behind the last frame: a crash left it, or it is just being written. */
    public Optional<String> tail() {
        return Optional.ofNullable(tail);
    }

    public long frames() {
        return segment.index().count();
    }

    /**
     * A frame by its place in the segment.
     *
     * @param number from 0 to {@link #frames}
     */
    public FrameAt frame(int number) {
        FrameIndex index = segment.index();
        return new FrameAt(index.position(number), index.info(number, segment.base(), segment.epoch()));
    }

    /** Delivers all frames with their bodies. */
    public void read(PartitionLog.FrameConsumer out) {
        buffers.read(segment, segment.base(), segment.end(), out);
    }

    @Override
    public void close() {
        buffers.close();
        try {
            segment.close();
        } catch (IOException e) {
            throw IoErrors.of("cannot close " + segment.framesPath(), e);
        }
    }

    /** Files that nobody can change through it. */
    private record ReadingIo(FileIo io) implements FileIo {
        private static AssertionError change(Path path) {
            return new AssertionError("an inspection would change " + path);
        }

        @Override
        public OpenFile open(Path path) throws IOException {
            return io.openToRead(path);
        }

        @Override
        public OpenFile create(Path path) {
            throw change(path);
        }

        @Override
        public OpenFile openToRead(Path path) throws IOException {
            return io.openToRead(path);
        }

        @Override
        public long modifiedMicros(Path path) throws IOException {
            return io.modifiedMicros(path);
        }

        @Override
        public void createDirectories(Path path) {
            throw change(path);
        }

        @Override
        public void syncDirectory(Path path) {
            throw change(path);
        }

        @Override
        public void rename(Path from, Path to) {
            throw change(from);
        }

        @Override
        public void delete(Path path) {
            throw change(path);
        }

        @Override
        public List<String> list(Path directory) throws IOException {
            return io.list(directory);
        }

        @Override
        public Space space(Path path) throws IOException {
            return io.space(path);
        }
    }
}

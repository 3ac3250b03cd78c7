package io.tailwater.storage.file;

import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.FrameInfo;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A partition log of {@link Segment}s. Only the last one is ever appended to; all before it are sealed.
 *
 * <p>Locks, in the order they are taken: {@code life} (shared by readers, exclusive for whoever removes segments), {@code appending} (the tail),
 * {@code syncing} (one fsync at a time, so that appends go on during it). Thread-safe.
 */
final class FilePartition implements PartitionLog {
    private static final byte[] ZEROS = new byte[8];

    private final FileIo io;
    private final Path root;
    private final Path directory;
    private final String name;
    private final FileSegmentStore.Options options;
    private final SpaceGuard space;
    private final ReadBuffers buffers;
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();
    private final Object appending = new Object();
    private final Object syncing = new Object();
    private final AtomicLong told = new AtomicLong();
    private final CopyOnWriteArrayList<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final ByteBuffer header =
            ByteBuffer.allocateDirect(FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private volatile List<Segment> segments = List.of();
    private volatile long end;
    private volatile long durableEnd;
    private volatile @Nullable StreamException broken;
    private volatile boolean closed;

    private FilePartition(
            FileIo io,
            Path root,
            Path directory,
            String name,
            FileSegmentStore.Options options,
            SpaceGuard space,
            ReadBuffers buffers) {
        this.io = io;
        this.root = root;
        this.directory = directory;
        this.name = name;
        this.options = options;
        this.space = space;
        this.buffers = buffers;
    }

    static FilePartition open(
            FileIo io,
            Path root,
            Path directory,
            String name,
            FileSegmentStore.Options options,
            SpaceGuard space,
            ReadBuffers buffers)
            throws IOException {
        FilePartition opened = new FilePartition(io, root, directory, name, options, space, buffers);
        List<Segment> found = new ArrayList<>();
        try {
            opened.load(found);
        } catch (IOException | RuntimeException e) {
            for (Segment segment : found) {
                segment.close();
            }
            throw e;
        }
        return opened;
    }

    private void load(List<Segment> found) throws IOException {
        List<long[]> names = new ArrayList<>();
        for (String child : io.list(directory)) {
            if (child.startsWith(Segment.GONE)) {
                io.delete(directory.resolve(child));
            } else if (child.startsWith("seg-")) {
                names.add(parse(child));
            }
        }
        names.sort((a, b) -> a[0] != b[0] ? Long.compare(a[0], b[0]) : Long.compare(a[1], b[1]));
        for (int i = 0; i < names.size(); i++) {
            Path child = directory.resolve(Segment.directoryName(names.get(i)[0], names.get(i)[1]));
            Segment segment = Segment.open(io, child, i == names.size() - 1);
            if (segment == null) {
                io.delete(child);
                continue;
            }
            Segment before = found.isEmpty() ? null : found.get(found.size() - 1);
            if (before != null && before.end() == before.base() && before.end() == segment.base()) {
                // Its successor was made, and then the process died.
                found.remove(before);
                before.delete();
                before = found.isEmpty() ? null : found.get(found.size() - 1);
            }
            found.add(segment);
            if (before != null && (!before.sealed() || before.end() != segment.base())) {
                throw IoErrors.corrupt(
                        child,
                        0,
                        "the segment begins at frame " + segment.base() + ", the one before it ends at " + before.end()
                                + (before.sealed() ? "" : " without a seal"));
            }
        }
        segments = List.copyOf(found);
        end = found.isEmpty() ? 0 : found.get(found.size() - 1).end();
        durableEnd = end;
        told.set(end);
    }

    private long[] parse(String child) {
        try {
            String[] parts = child.split("-", 3);
            return new long[] {Long.parseLong(parts[1]), Long.parseLong(parts[2])};
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw IoErrors.corrupt(directory.resolve(child), 0, "not the name of a segment");
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long start() {
        List<Segment> now = segments;
        return now.isEmpty() ? end : now.get(0).base();
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public long durableEnd() {
        return durableEnd;
    }

    @Override
    public long epoch() {
        Segment last = last();
        return last == null ? 0 : last.epoch();
    }

    private @Nullable Segment last() {
        List<Segment> now = segments;
        return now.isEmpty() ? null : now.get(now.size() - 1);
    }

    private void usable() {
        StreamException failure = broken;
        if (failure != null) {
            throw new StreamException(
                    failure.code(),
                    "partition " + name + " takes no more data after a failure: " + failure.getMessage(),
                    -1,
                    "Check the disk, then restart the server: it will keep what is durable.",
                    failure);
        }
        if (closed) {
            throw new StreamException(ErrorCode.ADMIN_SHUTDOWN, "partition " + name + " is closed");
        }
    }

    private StreamException breakDown(StreamException failure) {
        broken = failure;
        return failure;
    }

    @Override
    public long append(FrameHeader given, ByteBuffer body) {
        if (body.remaining() > FrameHeader.MAX_BODY) {
            throw new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX,
                    "a frame of " + body.remaining() + " bytes; the limit is " + FrameHeader.MAX_BODY);
        }
        synchronized (appending) {
            usable();
            FrameHeader frame = given.at(end, body.remaining());
            space.admit(frame.frameBytes());
            try {
                Segment segment = tail(frame);
                frame.write(header.clear(), body);
                ByteBuffer padding = ByteBuffer.wrap(ZEROS, 0, -body.remaining() & 7);
                segment.append(frame, new ByteBuffer[] {header.flip(), body.duplicate(), padding});
            } catch (FrameFile.TailLost e) {
                throw breakDown(space.failure("cannot append to " + directory, e));
            } catch (IOException e) {
                throw space.failure("cannot append to " + directory, e);
            }
            end = frame.frame() + 1;
            return frame.frame();
        }
    }

    /** The segment that takes this frame; a new one for a new epoch, or when the last is full. */
    private Segment tail(FrameHeader frame) throws IOException {
        Segment last = last();
        if (last != null) {
            if (frame.epoch() < last.epoch()) {
                throw new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "append to partition %s under epoch %d refused: epoch %d has taken over"
                                .formatted(name, frame.epoch(), last.epoch()));
            }
            boolean full = last.index().count() > 0
                    && (last.bytes() + frame.frameBytes() > options.segmentBytes()
                            || last.index().count() >= options.segmentFrames());
            if (last.appendable() && frame.epoch() == last.epoch() && !full) {
                return last;
            }
            if (last.end() > last.base()) {
                if (!last.sealed()) {
                    conclude(last);
                }
            } else if (last.epoch() == frame.epoch()) {
                last.stepAside();
            }
        }
        if (segments.isEmpty()) {
            makeDirectory();
        }
        Segment fresh = Segment.create(io, directory, end, frame.epoch(), options);
        List<Segment> grown = new ArrayList<>(segments);
        grown.add(fresh);
        segments = List.copyOf(grown);
        if (last != null && last.end() == last.base()) {
            // Only now: where all before it is removed, nothing else knew the next frame's number and the epoch.
            grown.remove(last);
            segments = List.copyOf(grown);
            last.delete();
        }
        return fresh;
    }

    /** Directories are made with the first frame: most partitions of most streams never get one. */
    private void makeDirectory() throws IOException {
        io.createDirectories(directory);
        // Even if they are there: an earlier attempt may have failed before it had synced them.
        for (Path parent = directory.getParent();
                parent != null && parent.startsWith(root);
                parent = parent.getParent()) {
            io.syncDirectory(parent);
        }
    }

    /** Ends the last segment where it is. What a full disk is most likely to refuse comes first, while nothing has changed. */
    private void conclude(Segment last) throws IOException {
        syncTo(last, end, last.position());
        last.writeIndex();
        sealTail(last, end);
    }

    @Override
    public void roll() {
        synchronized (appending) {
            usable();
            Segment last = last();
            if (last != null && !last.sealed() && last.end() > last.base()) {
                try {
                    conclude(last);
                } catch (IOException e) {
                    throw space.failure("cannot end a segment of " + directory, e);
                }
            }
        }
    }

    @Override
    public List<SegmentInfo> segments() {
        return segments.stream().map(Segment::info).toList();
    }

    private void sealTail(Segment last, long at) {
        synchronized (syncing) {
            try {
                last.seal(at, options.clock().wallMicros());
            } catch (IOException e) {
                throw breakDown(space.failure("cannot seal " + last.framesPath(), e));
            }
            durableEnd = at;
        }
    }

    @Override
    public void sync() {
        Segment last;
        long target;
        long position;
        synchronized (appending) {
            usable();
            last = last();
            target = end;
            position = last == null ? 0 : last.position();
        }
        if (last != null && target > durableEnd) {
            syncTo(last, target, position);
        }
        tellListeners();
    }

    private void syncTo(Segment last, long target, long position) {
        synchronized (syncing) {
            if (target <= durableEnd) {
                return;
            }
            usable();
            try {
                last.sync(position);
            } catch (IOException e) {
                // The kernel forgets dirty pages once it has reported their loss: a second fsync would lie.
                throw breakDown(
                        IoErrors.of("fsync of " + last.framesPath() + " failed, nothing of it is acknowledged", e));
            }
            durableEnd = target;
        }
    }

    /** Also after a sync that had nothing to do: the seal of a segment makes frames durable without telling anyone. */
    private void tellListeners() {
        long now = durableEnd;
        if (told.getAndAccumulate(now, Math::max) < now) {
            listeners.forEach(Runnable::run);
        }
    }

    private Segment segmentOf(long frame) {
        List<Segment> now = segments;
        int low = 0;
        int high = now.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (now.get(middle).base() <= frame) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (now.isEmpty()
                || frame < now.get(low).base()
                || frame >= now.get(low).end()) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "frame " + frame + " of partition " + name + " is not there: it holds " + start() + " to " + end,
                    -1,
                    "Frames older than the retention are removed.",
                    null);
        }
        return now.get(low);
    }

    @Override
    public FrameInfo info(long frame) {
        Segment segment = segmentOf(frame);
        return segment.index().info((int) (frame - segment.base()), segment.base(), segment.epoch());
    }

    @Override
    public void read(long from, long to, FrameConsumer out) {
        if (from > to || to > end) {
            throw new IllegalArgumentException(
                    "frames " + from + " to " + to + " of " + name + ", which ends at " + end);
        }
        life.readLock().lock();
        try {
            if (closed) {
                throw new StreamException(ErrorCode.ADMIN_SHUTDOWN, "partition " + name + " is closed");
            }
            long next = from;
            while (next < to) {
                Segment segment = segmentOf(next);
                long upTo = Math.min(to, segment.end());
                buffers.read(segment, next, upTo, out);
                next = upTo;
            }
        } finally {
            life.readLock().unlock();
        }
    }

    @Override
    public long removeBefore(long frame) {
        life.writeLock().lock();
        try {
            synchronized (appending) {
                List<Segment> left = new ArrayList<>(segments);
                // The last segment stays: it knows the epoch and the next frame's number.
                while (left.size() > 1 && left.get(0).end() <= frame) {
                    try {
                        left.get(0).delete();
                    } catch (IOException e) {
                        throw IoErrors.of("cannot remove a segment of " + directory, e);
                    }
                    left.remove(0);
                    segments = List.copyOf(left);
                }
                return start();
            }
        } finally {
            life.writeLock().unlock();
        }
    }

    @Override
    public void truncate(long frame) {
        life.writeLock().lock();
        try {
            synchronized (appending) {
                usable();
                if (frame < start() || frame > end) {
                    throw new IllegalArgumentException(
                            "truncate at " + frame + ", the log holds " + start() + " to " + end);
                }
                List<Segment> left = new ArrayList<>(segments);
                try {
                    // Newest first, so that a crash in between leaves a log without a gap.
                    while (left.size() > 1 && left.get(left.size() - 1).base() >= frame) {
                        left.remove(left.size() - 1).delete();
                        segments = List.copyOf(left);
                        io.syncDirectory(directory);
                    }
                } catch (IOException e) {
                    throw breakDown(IoErrors.of("cannot truncate " + directory, e));
                }
                if (!left.isEmpty()) {
                    sealTail(left.get(left.size() - 1), frame);
                }
                end = frame;
                durableEnd = frame;
            }
        } finally {
            life.writeLock().unlock();
        }
    }

    @Override
    public long bytes() {
        long total = 0;
        for (Segment segment : segments) {
            total += segment.bytes();
        }
        return total;
    }

    @Override
    public long rows() {
        long total = 0;
        for (Segment segment : segments) {
            total += segment.index().totalRows();
        }
        return total;
    }

    @Override
    public void onDurable(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        life.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            Segment last = last();
            try {
                if (broken == null) {
                    sync();
                    if (last != null && !last.sealed()) {
                        last.conclude();
                    }
                }
            } catch (IOException e) {
                throw IoErrors.of("cannot close " + directory, e);
            } finally {
                closed = true;
                closeFiles();
            }
        } finally {
            life.writeLock().unlock();
        }
    }

    private void closeFiles() {
        for (Segment segment : segments) {
            try {
                segment.close();
            } catch (IOException e) {
                throw IoErrors.of("cannot close " + segment.framesPath(), e);
            }
        }
    }
}

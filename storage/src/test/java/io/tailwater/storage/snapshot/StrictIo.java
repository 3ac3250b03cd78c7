package io.tailwater.storage.snapshot;

import io.tailwater.storage.file.FileIo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Files as a careless network file system has them: names are never changed or used twice, content is written once and from front to back, and what others may read
 * is never written again. Anything else is an assertion error. {@link #durable} are the files that a loss of power could not take any more. Thread-safe.
 */
final class StrictIo implements FileIo {
    private final FileIo io;
    private final Set<Path> everMade = new HashSet<>();
    private final Set<Path> synced = new HashSet<>();
    private final Set<Path> durable = new HashSet<>();
    private final List<Path> durableDirectories = new ArrayList<>();

    StrictIo(FileIo io) {
        this.io = io;
    }

    synchronized Set<Path> durable() {
        return Set.copyOf(durable);
    }

    @Override
    public OpenFile open(Path path) {
        throw new AssertionError("opened for change: " + path);
    }

    @Override
    public void rename(Path from, Path to) {
        throw new AssertionError("renamed: " + from + " to " + to);
    }

    @Override
    public synchronized OpenFile create(Path path) throws IOException {
        OpenFile file = io.create(path);
        if (!everMade.add(path)) {
            throw new AssertionError("used again: " + path);
        }
        if (!durableDirectories.contains(path.getParent())) {
            throw new AssertionError("in a directory that may go: " + path);
        }
        return new OnceWritten(path, file);
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
    public void createDirectories(Path path) throws IOException {
        io.createDirectories(path);
    }

    @Override
    public synchronized void syncDirectory(Path path) throws IOException {
        io.syncDirectory(path);
        for (String name : io.list(path)) {
            durableDirectories.add(path.resolve(name));
        }
        for (Path file : synced) {
            if (Objects.equals(file.getParent(), path)) {
                durable.add(file);
            }
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        io.delete(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return io.list(directory);
    }

    @Override
    public Space space(Path path) throws IOException {
        return io.space(path);
    }

    private final class OnceWritten implements OpenFile {
        private final Path path;
        private final OpenFile file;
        private long end;
        private boolean finished;

        OnceWritten(Path path, OpenFile file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public void write(ByteBuffer[] buffers, long position) throws IOException {
            if (finished || position != end) {
                throw new AssertionError("written at " + position + " after " + end + ": " + path);
            }
            for (ByteBuffer buffer : buffers) {
                end += buffer.remaining();
            }
            file.write(buffers, position);
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            return file.read(into, position);
        }

        @Override
        public void sync() throws IOException {
            file.sync();
            finished = true;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            throw new AssertionError("cut: " + path);
        }

        @Override
        public void close() throws IOException {
            file.close();
            synchronized (StrictIo.this) {
                if (finished) {
                    synced.add(path);
                }
            }
        }
    }
}

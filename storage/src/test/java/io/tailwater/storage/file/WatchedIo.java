package io.tailwater.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The machine's files, and who is told after each sync of one. */
record WatchedIo(Consumer<Path> synced) implements FileIo {
    WatchedIo(List<Path> synced) {
        this(synced::add);
    }

    @Override
    public OpenFile open(Path path) throws IOException {
        return watched(path, DISK.open(path));
    }

    @Override
    public OpenFile create(Path path) throws IOException {
        return watched(path, DISK.create(path));
    }

    @Override
    public OpenFile openToRead(Path path) throws IOException {
        return DISK.openToRead(path);
    }

    @Override
    public long modifiedMicros(Path path) throws IOException {
        return DISK.modifiedMicros(path);
    }

    private OpenFile watched(Path path, OpenFile file) {
        return new OpenFile() {
            @Override
            public void write(ByteBuffer[] buffers, long position) throws IOException {
                file.write(buffers, position);
            }

            @Override
            public int read(ByteBuffer into, long position) throws IOException {
                return file.read(into, position);
            }

            @Override
            public void sync() throws IOException {
                file.sync();
                synced.accept(path);
            }

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public void truncate(long size) throws IOException {
                file.truncate(size);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public void createDirectories(Path path) throws IOException {
        DISK.createDirectories(path);
    }

    @Override
    public void syncDirectory(Path path) throws IOException {
        DISK.syncDirectory(path);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        DISK.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        DISK.delete(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return DISK.list(directory);
    }

    @Override
    public Space space(Path path) throws IOException {
        return DISK.space(path);
    }
}

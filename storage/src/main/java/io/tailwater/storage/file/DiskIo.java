package io.tailwater.storage.file;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The machine's files through NIO. Thread-safe. */
final class DiskIo implements FileIo {
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ);
    private static final Set<OpenOption> READ_WRITE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    @Override
    public OpenFile open(Path path) throws IOException {
        return new DiskFile(path, READ_WRITE, StandardOpenOption.CREATE);
    }

    @Override
    public OpenFile create(Path path) throws IOException {
        return new DiskFile(path, READ_WRITE, StandardOpenOption.CREATE_NEW);
    }

    @Override
    public OpenFile openToRead(Path path) throws IOException {
        return new DiskFile(path, READ, StandardOpenOption.READ);
    }

    @Override
    public long modifiedMicros(Path path) throws IOException {
        return Files.getLastModifiedTime(path).to(TimeUnit.MICROSECONDS);
    }

    @Override
    public void createDirectories(Path path) throws IOException {
        Files.createDirectories(path);
    }

    @Override
    public void syncDirectory(Path path) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                    channel.force(true);
                    return;
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            for (String name : list(path)) {
                delete(path.resolve(name));
            }
        }
        Files.deleteIfExists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(p -> p.getFileName().toString()).sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    @Override
    public Space space(Path path) throws IOException {
        // Not a FileStore, which reads the table of mounts first.
        File file = path.toFile();
        long total = file.getTotalSpace();
        if (total == 0) {
            throw new IOException("the file system of " + path + " does not tell its size");
        }
        return new Space(file.getUsableSpace(), total);
    }

    /**
     * A channel that comes back. NIO closes a channel under all its users when a thread is interrupted in the middle of an operation; threads of ours are
     * interrupted when queries are cancelled. So the interrupted thread opens the file again, repeats the operation, which writes the same bytes to the
     * same place, and keeps its interrupt for whoever waits for it.
     */
    private static final class DiskFile implements OpenFile {
        private final Path path;
        private final Set<OpenOption> options;
        private volatile FileChannel channel;
        private boolean closed;

        /** @param first what else holds for the first time it is opened */
        DiskFile(Path path, Set<OpenOption> options, OpenOption first) throws IOException {
            this.path = path;
            this.options = options;
            Set<OpenOption> all = new HashSet<>(options);
            all.add(first);
            this.channel = FileChannel.open(path, all);
        }

        private interface Operation {
            long run(FileChannel channel) throws IOException;
        }

        private long repeat(Operation operation) throws IOException {
            boolean interrupted = Thread.interrupted();
            try {
                while (true) {
                    FileChannel current = channel;
                    try {
                        return operation.run(current);
                    } catch (ClosedChannelException e) {
                        interrupted |= Thread.interrupted();
                        reopen(current);
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private synchronized void reopen(FileChannel broken) throws IOException {
            if (closed) {
                throw new ClosedChannelException();
            }
            if (channel == broken) {
                channel = FileChannel.open(path, options);
            }
        }

        @Override
        public void write(ByteBuffer[] buffers, long position) throws IOException {
            int[] positions = new int[buffers.length];
            long total = 0;
            for (int i = 0; i < buffers.length; i++) {
                positions[i] = buffers[i].position();
                total += buffers[i].remaining();
            }
            long wanted = total;
            repeat(current -> {
                for (int i = 0; i < buffers.length; i++) {
                    buffers[i].position(positions[i]);
                }
                long written = 0;
                // One gathering write is one system call; it uses the channel's own position, which nobody else does.
                current.position(position);
                while (written < wanted) {
                    written += current.write(buffers);
                }
                return written;
            });
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            int start = into.position();
            return (int) repeat(current -> {
                into.position(start);
                while (into.hasRemaining()) {
                    int n = current.read(into, position + (into.position() - start));
                    if (n < 0) {
                        break;
                    }
                }
                return (long) into.position() - start;
            });
        }

        @Override
        public void sync() throws IOException {
            repeat(current -> {
                current.force(false);
                return 0;
            });
        }

        @Override
        public long size() throws IOException {
            return repeat(FileChannel::size);
        }

        @Override
        public void truncate(long size) throws IOException {
            repeat(current -> {
                current.truncate(size);
                return 0;
            });
        }

        @Override
        public synchronized void close() throws IOException {
            closed = true;
            channel.close();
        }
    }
}

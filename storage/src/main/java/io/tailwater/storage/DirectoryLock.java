package io.tailwater.storage;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.IoErrors;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps a second process out of a directory. The lock is the operating system's and dies with its process, so a killed server leaves none behind; the
 * file names the holder for the message only. Thread-safe.
 */
final class DirectoryLock implements AutoCloseable {
    /**
     * Directories locked by this process. POSIX drops a process's lock when it closes any descriptor of the file, so a second attempt from within must be
     * refused before it opens the file.
     */
    private static final Set<Path> HELD = new HashSet<>();

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /**
     * @param directory exists
     * @throws StreamException 55006 if another server has it
     */
    static DirectoryLock acquire(Path directory) {
        try {
            Path real = directory.toRealPath();
            synchronized (HELD) {
                if (HELD.contains(real)) {
                    throw inUse(directory, "pid " + ProcessHandle.current().pid() + ", this process");
                }
                FileChannel channel = FileChannel.open(
                        real.resolve("lock"),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE);
                FileLock lock = channel.tryLock();
                if (lock == null) {
                    String holder = read(channel);
                    channel.close();
                    throw inUse(directory, holder);
                }
                channel.truncate(0);
                channel.write(
                        ByteBuffer.wrap(("pid " + ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)),
                        0);
                HELD.add(real);
                return new DirectoryLock(real, channel);
            }
        } catch (IOException e) {
            throw IoErrors.of("cannot lock " + directory, e);
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(64);
        channel.read(text, 0);
        String holder = StandardCharsets.US_ASCII.decode(text.flip()).toString();
        return holder.isEmpty() ? "its pid is not known" : holder;
    }

    private static StreamException inUse(Path directory, String holder) {
        return new StreamException(
                ErrorCode.OBJECT_IN_USE,
                "data directory " + directory + " is in use by another server (" + holder + ")",
                -1,
                "Stop that server, or give this one another data directory.",
                null);
    }

    @Override
    public void close() {
        synchronized (HELD) {
            if (HELD.remove(directory)) {
                try {
                    channel.close();
                } catch (IOException e) {
                    throw IoErrors.of("cannot unlock " + directory, e);
                }
            }
        }
    }
}

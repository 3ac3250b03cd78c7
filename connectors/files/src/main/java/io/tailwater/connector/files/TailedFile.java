package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * Which file is followed: its inode, which a rename keeps, and the checksum of its first bytes, which tells it from a later file with the same inode. It is the
 * split's name. Immutable.
 *
 * @param prefix how many first bytes the checksum is of
 * @param path where it was found first
 */
record TailedFile(long inode, int prefix, int crc, Path path) {
    private static final String TAIL = "tail:";
    private static final int MOST_PREFIX = 1 << 12;
    /** A first line longer than this is not waited for. */
    private static final int FIRST_LINE = 1 << 20;

    /** The file at a path, or null if it is gone or has no whole line yet. */
    static @Nullable TailedFile of(Path path) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            if (!hasLine(channel)) {
                return null;
            }
            int prefix = (int) Math.min(MOST_PREFIX, channel.size());
            return new TailedFile(inode(path), prefix, crc(channel, prefix), path);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw FileIdentity.failure(path, e);
        }
    }

    private static boolean hasLine(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 13);
        for (long at = 0; at < FIRST_LINE; at += bytes.limit()) {
            bytes.clear();
            int read = channel.read(bytes, at);
            if (read <= 0) {
                return false;
            }
            bytes.flip();
            for (int i = 0; i < read; i++) {
                if (bytes.get(i) == '\n') {
                    return true;
                }
            }
        }
        return true;
    }

    private static long inode(Path path) throws IOException {
        return ((Number) Files.getAttribute(path, "unix:ino")).longValue();
    }

    private static int crc(FileChannel channel, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
            // Once more: a read may be short.
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        return (int) crc.getValue();
    }

    static boolean isSplit(String split) {
        return split.startsWith(TAIL);
    }

    static TailedFile parse(String split) {
        String[] parts = split.substring(TAIL.length()).split(":", 4);
        try {
            return new TailedFile(
                    Long.parseLong(parts[0]),
                    Integer.parseInt(parts[1]),
                    Integer.parseUnsignedInt(parts[2], 16),
                    Path.of(parts[3]));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "no split of a followed file: " + split, -1, null, e);
        }
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return TAIL + inode + ":" + prefix + ":" + Integer.toHexString(crc) + ":" + path;
    }

    /** Whether the file at {@code other} is this one. */
    boolean isAt(Path other) {
        try {
            if (inode(other) != inode) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(other, StandardOpenOption.READ)) {
                return startsTheSame(channel);
            }
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw FileIdentity.failure(other, e);
        }
    }

    boolean startsTheSame(FileChannel channel) throws IOException {
        return channel.size() >= prefix && crc(channel, prefix) == crc;
    }

    /** Where the file is now, perhaps under another name in its directory, or null. */
    @Nullable Path locate() {
        if (isAt(path)) {
            return path;
        }
        Path directory = path.getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            return null;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (Files.isRegularFile(file) && isAt(file)) {
                    return file;
                }
            }
            return null;
        } catch (IOException e) {
            throw FileIdentity.failure(directory, e);
        }
    }
}

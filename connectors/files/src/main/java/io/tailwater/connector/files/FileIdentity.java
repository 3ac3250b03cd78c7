package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * What a file was when a query began to read it, and how much of it is read. It is the split's name, so it is kept as long as the query: after a
 * restart, a file that was truncated, replaced or rewritten is found out and not read as if it were the same. One that only grew is, to its old end.
 *
 * @param size bytes; the file is read up to here
 * @param modifiedMillis when it was last changed
 * @param crc of its first and its last 64 KiB
 */
record FileIdentity(long size, long modifiedMillis, int crc) {
    private static final int ENDS = 1 << 16;

    static FileIdentity of(Path path) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = channel.size();
            return new FileIdentity(size, Files.getLastModifiedTime(path).toMillis(), crc(channel, size));
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    /** Opens the file if it still is what it was. */
    FileChannel open(Path path) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(path, StandardOpenOption.READ);
            long now = channel.size();
            boolean touched = now == size && Files.getLastModifiedTime(path).toMillis() != modifiedMillis;
            if (now < size || touched || crc(channel, size) != crc) {
                channel.close();
                String how = now < size
                        ? "it had " + size + " bytes and has " + now + " now"
                        : touched ? "it was modified" : "its content differs";
                throw new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "file \"" + path + "\" has changed since this query began to read it: " + how,
                        -1,
                        "Restore the file, or drop the query and start it again.",
                        null);
            }
            return channel;
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    private static int crc(FileChannel channel, long size) throws IOException {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = ByteBuffer.allocate(ENDS);
        for (long at : new long[] {0, Math.max(0, size - ENDS)}) {
            bytes.clear().limit((int) Math.min(ENDS, size));
            while (bytes.hasRemaining() && channel.read(bytes, at + bytes.position()) >= 0) {
                // Once more: a read may be short.
            }
            crc.update(bytes.flip());
        }
        return (int) crc.getValue();
    }

    static StreamException failure(Path path, IOException cause) {
        if (cause instanceof java.nio.file.NoSuchFileException) {
            return new StreamException(
                    ErrorCode.UNDEFINED_FILE,
                    "file \"" + path + "\" does not exist",
                    -1,
                    "The path is one of the server's machine, relative to the directory that it was started in.",
                    cause);
        }
        return new StreamException(
                ErrorCode.IO_ERROR, "cannot read file \"" + path + "\": " + cause.getMessage(), -1, null, cause);
    }

    static FileIdentity parse(String split) {
        String[] parts = split.split(":", -1);
        try {
            return new FileIdentity(
                    Long.parseLong(parts[0]), Long.parseLong(parts[1]), Integer.parseUnsignedInt(parts[2], 16));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "no split of a file: " + split, -1, null, e);
        }
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return size + ":" + modifiedMillis + ":" + Integer.toHexString(crc);
    }
}

package io.tailwater.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The file operations that storage rests on, few enough that a test can make each of them fail. Thread-safe. */
public interface FileIo {
    /** The machine's own files. */
    FileIo DISK = new DiskIo();

    /** Opens a file for reading and writing, making it if it is not there. */
    OpenFile open(Path path) throws IOException;

    /**
     * Makes a file, of which there is none of that name, and opens it.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one: whoever made it has the name
     */
    OpenFile create(Path path) throws IOException;

    /**
     * Opens a file for reading only.
     *
     * @throws java.nio.file.NoSuchFileException if it is not there
     */
    OpenFile openToRead(Path path) throws IOException;

    /** When a file was last written, in microseconds of its file system's wall clock. */
    long modifiedMicros(Path path) throws IOException;

    /** Makes a directory and its parents. */
    void createDirectories(Path path) throws IOException;

    /** Makes a directory and its parents, durably as far as they were not there before. */
    static void createDurably(FileIo io, Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null || io.list(parent).contains(path.getFileName().toString())) {
            return;
        }
        createDurably(io, parent);
        io.createDirectories(path);
        io.syncDirectory(parent);
    }

    /** Makes the names in a directory durable. */
    void syncDirectory(Path path) throws IOException;

    /** Renames, replacing what is there. */
    void rename(Path from, Path to) throws IOException;

    /** Removes a file, or a directory with all that is in it. Nothing there is no error. */
    void delete(Path path) throws IOException;

    /** Names in a directory, sorted; none if it is not there. */
    List<String> list(Path directory) throws IOException;

    /** Bytes that may still be written on the volume of {@code path}, and all its bytes. */
    Space space(Path path) throws IOException;

    /** See {@link #space}. */
    record Space(long usable, long total) {}

    /** A file. Thread-safe; an interrupt of the calling thread does not disturb it. */
    interface OpenFile extends AutoCloseable {
        /** Writes all of the buffers, one after the other, from {@code position} on. A failure may leave any part of them written. */
        void write(ByteBuffer[] buffers, long position) throws IOException;

        /** Fills {@code into} as far as the file reaches. Returns the bytes read, 0 at the end. */
        int read(ByteBuffer into, long position) throws IOException;

        /** Makes all that was written durable, size included. */
        void sync() throws IOException;

        long size() throws IOException;

        void truncate(long size) throws IOException;

        @Override
        void close() throws IOException;
    }
}

package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Appends rows to a file as text. The position is the file's length: what lies behind the last committed one is cut off when the writer is opened again, so
 * that each row is there once, also after kill -9. A writer without a position starts the file anew. The file is locked while it is written.
 */
final class FileSinkWriter implements SinkWriter {
    private static final int FLUSH_BYTES = 1 << 16;

    private final Path path;
    private final RowFormat format;
    private final FileChannel channel;
    private final TextOutput out = new TextOutput();
    private long position;

    /**
     * Opens the file.
     *
     * @param resumeAt its committed length, or -1 for an empty file
     */
    FileSinkWriter(Path path, RowFormat format, long resumeAt) {
        this.path = path;
        this.format = format;
        FileChannel opened = null;
        try {
            opened = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            lock(opened);
            position = Math.max(0, resumeAt);
            if (opened.size() < position) {
                throw new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "file \"%s\" was truncated: %d bytes were written and %d are there"
                                .formatted(path, position, opened.size()),
                        -1,
                        "Restore the file, or drop the job and start it again.",
                        null);
            }
            opened.truncate(position);
        } catch (IOException e) {
            close(opened);
            throw failure(e);
        } catch (StreamException e) {
            close(opened);
            throw e;
        }
        channel = opened;
        if (position == 0) {
            format.begin(out);
        }
    }

    /** The file of one of several writers: {@code out.csv}, {@code out-1.csv}, {@code out-2.csv} ... */
    static Path pathOf(Path path, int worker) {
        if (worker == 0) {
            return path;
        }
        String name = String.valueOf(path.getFileName());
        int dot = name.lastIndexOf('.');
        int cut = dot > 0 ? dot : name.length();
        return path.resolveSibling(name.substring(0, cut) + "-" + worker + name.substring(cut));
    }

    private void lock(FileChannel opened) throws IOException {
        boolean locked;
        try {
            locked = opened.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            locked = false;
        }
        if (!locked) {
            throw new StreamException(
                    ErrorCode.OBJECT_IN_USE,
                    "file \"" + path + "\" is being written by another job",
                    -1,
                    "Use one file for each job.",
                    null);
        }
    }

    private StreamException failure(IOException e) {
        boolean full = String.valueOf(e.getMessage()).contains("No space left");
        return new StreamException(
                full ? ErrorCode.DISK_FULL : ErrorCode.IO_ERROR,
                "cannot write file \"" + path + "\": " + e.getMessage(),
                -1,
                null,
                e);
    }

    private void close(@org.jspecify.annotations.Nullable FileChannel opened) {
        if (opened != null) {
            try {
                opened.close();
            } catch (IOException e) {
                throw failure(e);
            }
        }
    }

    @Override
    public void write(ColumnBatch batch) {
        for (int row = 0; row < batch.rows(); row++) {
            long weight = batch.weight(row);
            if (weight < 0) {
                throw new StreamException(
                        ErrorCode.APPEND_ONLY_VIOLATION,
                        "a file takes new rows only, but this query takes rows back",
                        -1,
                        "Insert into a table with a primary key, or use EMIT ON WINDOW CLOSE.",
                        null);
            }
            for (long copy = 0; copy < weight; copy++) {
                format.row(out, batch, row);
            }
            if (out.length() >= FLUSH_BYTES) {
                flush();
            }
        }
    }

    @Override
    public long endTick(long tick) {
        flush();
        return position;
    }

    private void flush() {
        ByteBuffer bytes = ByteBuffer.wrap(out.array(), 0, out.length());
        try {
            while (bytes.hasRemaining()) {
                position += channel.write(bytes, position);
            }
        } catch (IOException e) {
            throw failure(e);
        }
        out.truncate(0);
    }

    /** Leaves out rows of a tick that did not end. */
    @Override
    public void close() {
        close(channel);
    }
}

package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Appends rows to a file as text. A tick's rows go to a hidden file beside it first, {@code .out.csv.inprogress}, and are copied to its end after the tick's COMMIT:
 * readers see no row that might not come to be. The position is the file's length after that. A writer that is opened at a position copies what a crash kept from being
 * copied, so that each row is there once, also after kill -9; without a position it starts the file anew. The file is locked while it is written.
 *
 * <p>The hidden file holds the length of the file that its rows follow (8 bytes), then the rows. It is written over from its start once its rows are copied.
 */
final class FileSinkWriter implements SinkWriter {
    private static final int FLUSH_BYTES = 1 << 16;
    private static final int HEAD_BYTES = 8;
    /** A hidden file that has grown beyond it is cut when its rows are copied. */
    private static final long MOST_KEPT_BYTES = 1 << 22;

    private final Path path;
    private final RowFormat format;
    private final FileChannel channel;
    private final Path pendingPath;
    private final FileChannel pending;
    private final TextOutput out = new TextOutput();
    /** Length of the file: all of it is committed. */
    private long shown;
    /** Bytes of rows in the hidden file. */
    private long pendingBytes;

    /**
     * Opens the file.
     *
     * @param resumeAt its committed length, or -1 for an empty file
     */
    FileSinkWriter(Path path, RowFormat format, long resumeAt) {
        this.path = path;
        this.format = format;
        pendingPath = path.resolveSibling("." + path.getFileName() + ".inprogress");
        FileChannel opened = null;
        FileChannel openedPending = null;
        try {
            opened = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            lock(opened);
            openedPending = FileChannel.open(
                    pendingPath, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            shown = Math.max(0, resumeAt);
            if (opened.size() < shown) {
                copyCommitted(openedPending, opened);
            }
            opened.truncate(shown);
        } catch (IOException e) {
            close(openedPending);
            close(opened);
            throw failure(e);
        } catch (StreamException e) {
            close(openedPending);
            close(opened);
            throw e;
        }
        channel = opened;
        pending = openedPending;
        if (shown == 0) {
            format.begin(out);
        }
    }

    /** A crash came between a COMMIT and the end of the copying. */
    private void copyCommitted(FileChannel from, FileChannel to) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        while (head.hasRemaining() && from.read(head, head.position()) >= 0) {
            // A file as short as that is refused below.
        }
        long base = head.hasRemaining() ? Long.MAX_VALUE : head.getLong(0);
        long there = to.size();
        if (base > there || base + from.size() - HEAD_BYTES < shown) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "file \"%s\" was truncated: %d bytes were written and %d are there".formatted(path, shown, there),
                    -1,
                    "Restore the file, or drop the job and start it again.",
                    null);
        }
        copy(from, HEAD_BYTES + there - base, to, there, shown - there);
    }

    private static void copy(FileChannel from, long at, FileChannel to, long toAt, long bytes) throws IOException {
        to.position(toAt);
        for (long done = 0; done < bytes; ) {
            long count = from.transferTo(at + done, bytes - done, to);
            if (count <= 0) {
                throw new IOException("its hidden companion is cut off");
            }
            done += count;
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
        return shown + pendingBytes;
    }

    private void flush() {
        ByteBuffer bytes = ByteBuffer.wrap(out.array(), 0, out.length());
        try {
            if (pendingBytes == 0 && bytes.hasRemaining()) {
                ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES).putLong(0, shown);
                while (head.hasRemaining()) {
                    pending.write(head, head.position());
                }
            }
            while (bytes.hasRemaining()) {
                pendingBytes += pending.write(bytes, HEAD_BYTES + pendingBytes);
            }
        } catch (IOException e) {
            throw failure(e);
        }
        out.truncate(0);
    }

    @Override
    public void committed(long tick) {
        if (pendingBytes == 0) {
            return;
        }
        try {
            copy(pending, HEAD_BYTES, channel, shown, pendingBytes);
            shown += pendingBytes;
            pendingBytes = 0;
            if (pending.size() > MOST_KEPT_BYTES) {
                pending.truncate(0);
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** Rows that were not shown stay where they are: perhaps they are committed. */
    @Override
    public void close() {
        close(pending);
        try {
            if (pendingBytes == 0) {
                Files.deleteIfExists(pendingPath);
            }
        } catch (IOException e) {
            throw failure(e);
        } finally {
            close(channel);
        }
    }
}

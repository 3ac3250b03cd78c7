package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.ipc.BatchDecoder;
import io.tailwater.api.batch.ipc.BatchEncoder;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes Parquet files {@code rows-<worker>-<number>.parquet} into a directory. Rows go to a spill file first; when there are enough of them, or the first is old enough, those
 * that are committed become a Parquet file, which gets its name when it is complete. So a file never holds rows of a tick that might not come to be. The position is (number of
 * the file to come, bytes of its spill): what lies behind a committed position is removed when the writer is opened again. A spill is kept until a tick after its file's is
 * committed.
 *
 * <p>Owned by one worker; a side thread completes files while no rows come, under this object's lock.
 */
final class ParquetSinkWriter implements SinkWriter {
    private static final int NUMBER_SHIFT = 40;
    private static final String POSITION = "tailwater.position";
    private static final Pattern NAME = Pattern.compile("\\.?rows-(\\d+)-(\\d+)\\.(parquet|spill|parquet\\.tmp)");

    private final Path directory;
    private final int worker;
    private final Schema schema;
    private final DataType[] types;
    private final long rollRows;
    private final long rollNanos;
    private final MemoryAccount memory;
    private final MessageBuffer buffer = new MessageBuffer(1 << 14);
    private final FileChannel lock;
    private final Thread roller;
    private @Nullable FileChannel spill;
    private long number;
    /** Bytes of the spill that committed ticks have written, ticks that ended, and all. */
    private long committed;

    private long ended;
    private long written;
    private long rows;
    private long firstRowAt;
    /** Spills of files with smaller numbers are no longer needed once the next tick is committed. */
    private long keepFrom;

    private boolean closed;
    private @Nullable StreamException failure;

    ParquetSinkWriter(
            Path directory, int worker, FileOptions options, Schema schema, long resumeAt, MemoryAccount memory) {
        this.directory = directory;
        this.worker = worker;
        this.schema = schema;
        this.memory = memory;
        types = BatchBuilder.types(schema);
        rollRows = options.rollRows();
        rollNanos = options.rollSeconds() * 1_000_000_000L;
        try {
            if (Files.exists(directory) && !Files.isDirectory(directory)) {
                throw new StreamException(
                        ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "Parquet is written as files of a directory, but \"" + directory + "\" is a file",
                        -1,
                        "Remove it, or name another path.",
                        null);
            }
            Files.createDirectories(directory);
            lock = FileChannel.open(
                    directory.resolve(".rows-" + worker + ".lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw failure(e);
        }
        try {
            lock();
            number = Math.max(0, resumeAt) >> NUMBER_SHIFT;
            keepFrom = number;
            resume(resumeAt < 0, Math.max(0, resumeAt) & ((1L << NUMBER_SHIFT) - 1));
        } catch (IOException e) {
            close(lock);
            throw failure(e);
        } catch (StreamException e) {
            close(lock);
            throw e;
        }
        roller = new Thread(this::rollInTime, "parquet-sink");
        roller.setDaemon(true);
        roller.start();
    }

    private void lock() throws IOException {
        boolean locked;
        try {
            locked = lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            locked = false;
        }
        if (!locked) {
            throw new StreamException(
                    ErrorCode.OBJECT_IN_USE,
                    "directory \"" + directory + "\" is being written by another job",
                    -1,
                    "Use one directory for each job.",
                    null);
        }
    }

    private Path file(long of) {
        return directory.resolve("rows-%d-%08d.parquet".formatted(worker, of));
    }

    private Path spillFile(long of) {
        return directory.resolve(".rows-%d-%08d.spill".formatted(worker, of));
    }

    /** Removes what lies behind the position. */
    private void resume(boolean anew, long position) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path path : files) {
                Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
                if (name.matches()) {
                    int of = Integer.parseInt(name.group(1));
                    boolean mine = of == worker
                            || (anew && worker == 0 && name.group(3).equals("parquet") && !locked(of));
                    if (mine
                            && (anew
                                    || Long.parseLong(name.group(2)) > number
                                    || name.group(3).endsWith("tmp"))) {
                        Files.delete(path);
                    }
                }
            }
        }
        if (Files.exists(file(number))) {
            if (positionOf(file(number)) == position) {
                number++;
                openSpill(0);
                return;
            }
            Files.delete(file(number));
        }
        openSpill(position);
    }

    /** Whether a writer of this job or another holds that worker's files. */
    private boolean locked(int of) {
        Path path = directory.resolve(".rows-" + of + ".lock");
        if (!Files.exists(path)) {
            return false;
        }
        try (FileChannel other = FileChannel.open(path, StandardOpenOption.WRITE)) {
            return other.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true;
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private static long positionOf(Path file) throws IOException {
        FileIdentity identity = FileIdentity.of(file);
        try (FileChannel channel = identity.open(file)) {
            String position =
                    new ParquetFile(file, channel, identity.size()).metadata().get(POSITION);
            return position == null ? -1 : Long.parseLong(position);
        }
    }

    private void openSpill(long position) throws IOException {
        FileChannel opened = FileChannel.open(
                spillFile(number), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        spill = opened;
        if (opened.size() < position) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "file \"%s\" was truncated: %d bytes were written and %d are there"
                            .formatted(spillFile(number), position, opened.size()),
                    -1,
                    "Drop the job and start it again.",
                    null);
        }
        opened.truncate(position);
        committed = position;
        ended = position;
        written = position;
        rows = 0;
        if (position > 0) {
            forEach(position, batch -> rows += batch.rows());
            firstRowAt = Clock.SYSTEM.nanoTime();
        }
    }

    @Override
    public synchronized void write(ColumnBatch batch) {
        throwIfFailed();
        for (int row = 0; row < batch.rows(); row++) {
            if (batch.weight(row) < 0) {
                throw new StreamException(
                        ErrorCode.APPEND_ONLY_VIOLATION,
                        "a file takes new rows only, but this query takes rows back",
                        -1,
                        "Insert into a table with a primary key, or use EMIT ON WINDOW CLOSE.",
                        null);
            }
        }
        buffer.clear();
        int start = buffer.reserve(8);
        BatchEncoder.Encoded message = BatchEncoder.encode(batch, batch.weights() != 0, buffer);
        ByteBuffer out = buffer.view(start, message.end());
        out.putLong(0, message.end() - message.start());
        try {
            // Some encoders align: what lies between the length and the message is read as part of neither.
            if (message.start() != start + 8) {
                throw new AssertionError("a message that begins at " + message.start());
            }
            while (out.hasRemaining()) {
                written += spill().write(out, written);
            }
        } catch (IOException e) {
            throw failure(e);
        }
        if (rows == 0) {
            firstRowAt = Clock.SYSTEM.nanoTime();
        }
        rows += batch.rows();
    }

    private FileChannel spill() {
        FileChannel open = spill;
        if (open == null) {
            throw new AssertionError("no spill is open");
        }
        return open;
    }

    @Override
    public synchronized long endTick(long tick) {
        throwIfFailed();
        ended = written;
        return (number << NUMBER_SHIFT) | ended;
    }

    @Override
    public synchronized void committed(long tick) {
        throwIfFailed();
        try {
            // A restart begins in the spill of this number.
            for (; keepFrom < number; keepFrom++) {
                Files.deleteIfExists(spillFile(keepFrom));
            }
            committed = ended;
            if (rows >= rollRows) {
                roll();
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }

    @Override
    public synchronized void complete() {
        throwIfFailed();
        try {
            if (committed > 0) {
                roll();
            }
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** The spill, all of which is committed, becomes a file. */
    private void roll() throws IOException {
        if (committed != written) {
            throw new AssertionError("rows of a tick under way would be shown");
        }
        ParquetOutput out = new ParquetOutput(schema);
        forEach(committed, out::add);
        Path temporary = directory.resolve(".rows-%d-%08d.parquet.tmp".formatted(worker, number));
        try (FileChannel channel = FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
                OutputStream stream = new BufferedOutputStream(java.nio.channels.Channels.newOutputStream(channel))) {
            out.finish(Map.of(POSITION, Long.toString(committed)), stream);
            stream.flush();
            channel.force(true);
        }
        Files.move(temporary, file(number), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        close(spill());
        number++;
        openSpill(0);
    }

    private interface Batches {
        void accept(ColumnBatch batch);
    }

    private void forEach(long end, Batches out) throws IOException {
        try (MessageBuffer in = new MessageBuffer(1 << 14)) {
            ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            for (long at = 0; at < end; ) {
                length.clear();
                fill(length, at);
                in.clear();
                int start = in.reserve(length.getLong(0));
                fill(in.view(start, in.size()), at + 8);
                BatchDecoder decoder = BatchDecoder.ofMessage(in.address(start), length.getLong(0), types);
                int[] all = java.util.stream.IntStream.range(0, types.length).toArray();
                for (int from = 0; from < decoder.rows(); from += ColumnBatch.TARGET_ROWS) {
                    try (ColumnBatch batch = decoder.decode(
                            all, from, Math.min(decoder.rows(), from + ColumnBatch.TARGET_ROWS), memory)) {
                        out.accept(batch);
                    }
                }
                at += 8 + length.getLong(0);
            }
        }
    }

    private void fill(ByteBuffer target, long at) throws IOException {
        while (target.hasRemaining()) {
            if (spill().read(target, at + target.position()) < 0) {
                throw new StreamException(ErrorCode.DATA_CORRUPTED, "file \"" + spillFile(number) + "\" is cut off");
            }
        }
    }

    private synchronized void rollInTime() {
        try {
            while (!closed) {
                long wait = committed == 0 ? rollNanos : firstRowAt + rollNanos - Clock.SYSTEM.nanoTime();
                // In the middle of a tick there are rows that may never be committed: the next look will do.
                if (wait <= 0 && committed == written) {
                    roll();
                } else {
                    wait(Math.max(10, wait / 1_000_000));
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts a sink's thread", e);
        } catch (IOException e) {
            failure = failure(e);
        } catch (StreamException e) {
            failure = e;
        }
    }

    private void throwIfFailed() {
        if (failure != null) {
            throw failure;
        }
    }

    private StreamException failure(IOException e) {
        boolean full = String.valueOf(e.getMessage()).contains("No space left");
        return new StreamException(
                full ? ErrorCode.DISK_FULL : ErrorCode.IO_ERROR,
                "cannot write files of \"" + directory + "\": " + e.getMessage(),
                -1,
                null,
                e);
    }

    private void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /** Completes the file of the rows that are there, unless some of them may not be committed: then all stay in the spill. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            notifyAll();
        }
        boolean interrupted = false;
        while (roller.isAlive()) {
            try {
                roller.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            if (committed > 0 && committed == written && failure == null) {
                roll();
            }
        } catch (IOException e) {
            throw failure(e);
        } finally {
            if (spill != null) {
                close(spill);
            }
            close(lock);
            buffer.close();
        }
    }
}

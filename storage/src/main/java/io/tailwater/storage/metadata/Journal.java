package io.tailwater.storage.metadata;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.IoErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * An append-only file of records, each synced before {@link #append} returns:
 *
 * <pre>
 *  0 magic, format   8 acknowledged end   16 crc32c of magic    then per record: length, crc32c, CBOR, padding to 8
 * </pre>
 *
 * The acknowledged end is written after each sync and not synced itself: it may lag, never lead. A damaged record below it is corruption; one at or
 * above it is the torn tail of a crash and is cut off. Owned by the store; not thread-safe.
 */
final class Journal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final long MAGIC = 0x014C4E524A5754L;
    private static final int HEADER = 24;
    private static final int RECORD_HEADER = 8;
    static final String NAME = "journal";
    private static final CBORMapper CBOR = CBORMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private final FileIo io;
    private final Path directory;
    private FileIo.OpenFile file;
    private long end;
    private @Nullable StreamException broken;

    private Journal(FileIo io, Path directory, FileIo.OpenFile file) {
        this.io = io;
        this.directory = directory;
        this.file = file;
    }

    /** Opens the journal in {@code directory} and replays it, or begins one with {@code first}. */
    static Journal open(FileIo io, Path directory, JournalRecord first, Consumer<JournalRecord> replay) {
        try {
            FileIo.createDurably(io, directory);
            if (!io.list(directory).contains(NAME)) {
                FileIo.OpenFile made = fresh(io, directory, first);
                Journal journal = new Journal(io, directory, made);
                journal.end = made.size();
                replay.accept(first);
                return journal;
            }
            Journal journal = new Journal(io, directory, io.open(directory.resolve(NAME)));
            try {
                journal.replay(replay);
                return journal;
            } catch (IOException | RuntimeException e) {
                journal.file.close();
                throw e;
            }
        } catch (IOException e) {
            throw IoErrors.of("cannot open the metadata journal in " + directory, e);
        }
    }

    /** A journal of one record takes the place of whatever was there, atomically. */
    private static FileIo.OpenFile fresh(FileIo io, Path directory, JournalRecord first) throws IOException {
        Path path = directory.resolve(NAME + ".new");
        io.delete(path);
        FileIo.OpenFile out = io.open(path);
        try {
            ByteBuffer record = encode(first);
            ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
            header.putLong(0, MAGIC).putLong(8, HEADER + record.remaining()).putLong(16, magicCrc());
            out.write(new ByteBuffer[] {header, record}, 0);
            out.sync();
            io.rename(path, directory.resolve(NAME));
            io.syncDirectory(directory);
            return out;
        } catch (IOException e) {
            out.close();
            throw e;
        }
    }

    private static long magicCrc() {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(8).putLong(0, MAGIC));
        return crc.getValue();
    }

    private Path path() {
        return directory.resolve(NAME);
    }

    private void replay(Consumer<JournalRecord> out) throws IOException {
        Found found = read(file, path(), out);
        found.check(path());
        if (found.end() < found.size()) {
            LOG.warn("{}: cut {} bytes at {} that a crash left unfinished", path(), found.unfinished(), found.end());
            file.truncate(found.end());
        }
        end = found.end();
        acknowledge();
    }

    /**
     * How far the records of a journal go.
     *
     * @param acknowledged end of those that must be there
     * @param end of those that are
     */
    record Found(long size, long acknowledged, long end) {
        long unfinished() {
            return size - end;
        }

        /** @throws StreamException XX001 if an acknowledged record is damaged */
        void check(Path path) {
            if (end < acknowledged) {
                throw IoErrors.corrupt(
                        path, end, "a record does not match its checksum, below the acknowledged end " + acknowledged);
            }
        }
    }

    /** Reads whole records until there is none, changing nothing. */
    static Found read(FileIo.OpenFile file, Path path, Consumer<JournalRecord> out) throws IOException {
        long size = file.size();
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN);
        file.read(all, 0);
        all.flip();
        if (all.remaining() < HEADER || all.getLong(0) != MAGIC || all.getLong(16) != magicCrc()) {
            throw IoErrors.corrupt(path, 0, "not a metadata journal of this version");
        }
        long acknowledged = all.getLong(8);
        int at = HEADER;
        while (true) {
            int length = all.limit() - at < RECORD_HEADER ? -1 : all.getInt(at);
            if (length <= 0 || (length + 7L & -8) > all.limit() - at - RECORD_HEADER) {
                break;
            }
            CRC32C crc = new CRC32C();
            crc.update(all.array(), at + RECORD_HEADER, length);
            if (all.getInt(at + 4) != (int) crc.getValue()) {
                break;
            }
            out.accept(CBOR.readValue(all.array(), at + RECORD_HEADER, length, JournalRecord.class));
            at += RECORD_HEADER + (length + 7 & -8);
        }
        return new Found(size, acknowledged, at);
    }

    private void acknowledge() throws IOException {
        file.sync();
        ByteBuffer slot = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, end);
        file.write(new ByteBuffer[] {slot}, 8);
    }

    private static ByteBuffer encode(JournalRecord record) {
        byte[] cbor;
        try {
            cbor = CBOR.writerFor(JournalRecord.class).writeValueAsBytes(record);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a journal record that cannot be written", e);
        }
        CRC32C crc = new CRC32C();
        crc.update(cbor);
        ByteBuffer out =
                ByteBuffer.allocate(RECORD_HEADER + (cbor.length + 7 & -8)).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0, cbor.length).putInt(4, (int) crc.getValue()).put(RECORD_HEADER, cbor);
        return out;
    }

    /**
     * Appends a record, durably.
     *
     * @throws StreamException 53100 or 58030 if it was not written. After a failed fsync, or a failed write that could not be undone, every later call fails
     */
    void append(JournalRecord record) {
        if (broken != null) {
            throw new StreamException(
                    ErrorCode.IO_ERROR,
                    "the metadata store takes no more changes after a failure: " + broken.getMessage(),
                    -1,
                    "Check the disk, then restart the server.",
                    broken);
        }
        ByteBuffer bytes = encode(record);
        int length = bytes.remaining();
        try {
            file.write(new ByteBuffer[] {bytes}, end);
        } catch (IOException e) {
            StreamException failure = IoErrors.of("cannot append to " + path(), e);
            try {
                file.truncate(end);
            } catch (IOException again) {
                failure.addSuppressed(again);
                broken = failure;
            }
            throw failure;
        }
        end += length;
        try {
            acknowledge();
        } catch (IOException e) {
            broken = IoErrors.of("fsync of " + path() + " failed, the change is not acknowledged", e);
            throw broken;
        }
    }

    /** Replaces all records by one that says the same. */
    void compact(JournalRecord state) {
        try {
            FileIo.OpenFile made = fresh(io, directory, state);
            FileIo.OpenFile old = file;
            file = made;
            end = made.size();
            old.close();
        } catch (IOException e) {
            // Whether the rename took place is not known, so neither is which file a later append would reach.
            broken = IoErrors.of("cannot compact " + path(), e);
            throw broken;
        }
    }

    long bytes() {
        return end;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw IoErrors.of("cannot close " + path(), e);
        }
    }
}

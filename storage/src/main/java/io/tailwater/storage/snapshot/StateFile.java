package io.tailwater.storage.snapshot;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.ipc.ArrowFile;
import io.tailwater.api.batch.ipc.BatchDecoder;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.common.type.DataType;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.IoErrors;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * A state file that is there. It is an Arrow IPC file, and before its footer stands a guard:
 *
 * <pre>
 * head: magic, schema with application, epoch, tick and full vnodes | batches | end of stream | int guard, int crc32c of what follows | footer, with the index
 * </pre>
 *
 * The index has the crc32c of the head and of each batch, the guard that of the index: so each part can be checked alone, and the crc32c of the whole follows
 * from them. What is not as it was written is XX001 as soon as it is touched. Thread-safe.
 */
public final class StateFile implements AutoCloseable {
    /** What {@link #FORMAT} is now. Readers know all formats up to theirs. */
    static final int VERSION = 1;

    /** Keys of the schema's metadata. */
    static final String FORMAT = "tailwater.format";

    static final String APPLICATION = "tailwater.application";
    static final String EPOCH = "tailwater.epoch";
    static final String TICK = "tailwater.tick";
    static final String FULL = "tailwater.full";

    /** Key of the footer's metadata. */
    static final String INDEX = "tailwater.index";

    static final int GUARD = 0x46535754;
    static final int GUARD_BYTES = 8;

    /** Most files' ends are shorter, and so need one read. */
    private static final int END_BYTES = 1 << 14;

    private static final DataType[] TYPES = BatchBuilder.types(StateRows.SCHEMA);

    private final Path path;
    private final FileIo.OpenFile file;
    private final long size;
    private final long crc;
    private final ArrowFile.Footer footer;
    private final StateIndex index;

    private StateFile(Path path, FileIo.OpenFile file, long size) throws IOException {
        this.path = path;
        this.file = file;
        this.size = size;
        ByteBuffer end = read(Math.max(0, size - END_BYTES), (int) Math.min(size, END_BYTES));
        int length = size < ArrowFile.TRAILER
                ? -1
                : ArrowFile.footerLength(end.slice(end.limit() - ArrowFile.TRAILER, ArrowFile.TRAILER));
        byte[] last = ArrowFile.endOfStream();
        long endBytes = (long) last.length + GUARD_BYTES + length + ArrowFile.TRAILER;
        if (length < 0 || endBytes > size) {
            throw IoErrors.corrupt(path, size, "not the end of a state file");
        }
        long endOffset = size - endBytes;
        if (endBytes <= end.limit()) {
            end = end.slice(end.limit() - (int) endBytes, (int) endBytes).order(ByteOrder.LITTLE_ENDIAN);
        } else {
            end = read(endOffset, Math.toIntExact(endBytes));
        }
        byte[] found = new byte[last.length];
        end.get(0, found);
        ByteBuffer guarded = end.slice(last.length + GUARD_BYTES, length + ArrowFile.TRAILER);
        if (!Arrays.equals(found, last)
                || end.getInt(last.length) != GUARD
                || end.getInt(last.length + 4) != (int) Checksums.of(guarded)) {
            throw IoErrors.corrupt(path, endOffset, "the index is not as it was written");
        }
        footer = ArrowFile.parse(guarded.slice(0, length));
        checkVersion(footer.schemaMetadata().getOrDefault(FORMAT, ""));
        try {
            index = StateIndex.parse(footer.metadata().getOrDefault(INDEX, ""));
        } catch (JsonProcessingException e) {
            throw IoErrors.corrupt(path, endOffset, "the index cannot be read: " + e.getOriginalMessage());
        }
        if (checkHead() != endOffset) {
            throw IoErrors.corrupt(path, endOffset, "the batches do not end where the index begins");
        }
        long whole = index.headCrc();
        for (StateIndex.Part part : index.parts()) {
            for (StateIndex.Batch batch : part.batches()) {
                whole = Checksums.combine(whole, batch.crc(), batch.length());
            }
        }
        crc = Checksums.combine(whole, Checksums.of(end), endBytes);
    }

    /**
     * Opens a state file and checks all but its batches.
     *
     * @throws io.tailwater.common.error.StreamException XX001 if it is missing or damaged, 58030 if it cannot be read
     */
    public static StateFile open(FileIo io, Path path) {
        try {
            FileIo.OpenFile file = io.openToRead(path);
            try {
                return new StateFile(path, file, file.size());
            } catch (IOException | RuntimeException e) {
                file.close();
                throw e;
            }
        } catch (NoSuchFileException e) {
            throw IoErrors.corrupt(path, 0, "the file is missing");
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + path, e);
        }
    }

    private void checkVersion(String version) {
        if (!version.equals(Integer.toString(VERSION))) {
            throw IoErrors.corrupt(path, 0, "state files of version \"" + version + "\" are not known to this release");
        }
    }

    /** Checks the head and that the batches follow it without a gap. Returns where the last one ends. */
    private long checkHead() throws IOException {
        if (index.headBytes() > size) {
            throw IoErrors.corrupt(path, 0, "a head of " + index.headBytes() + " bytes");
        }
        ByteBuffer head = read(0, Math.toIntExact(index.headBytes()));
        if (Checksums.of(head) != index.headCrc()) {
            throw IoErrors.corrupt(path, 0, "the head is not as it was written");
        }
        long next = index.headBytes();
        for (StateIndex.Part part : index.parts()) {
            for (StateIndex.Batch batch : part.batches()) {
                if (batch.offset() != next || batch.length() <= 0) {
                    throw IoErrors.corrupt(path, next, "no batch begins here, the next one at " + batch.offset());
                }
                next += batch.length();
            }
        }
        return next;
    }

    private ByteBuffer read(long offset, int bytes) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (file.read(out, offset) < bytes) {
            throw IoErrors.corrupt(path, offset + out.position(), "the file ends");
        }
        return out.flip();
    }

    /** What was written of the snapshot as a whole: format, application, epoch, tick, full vnodes. */
    public Map<String, String> metadata() {
        return footer.schemaMetadata();
    }

    public StateIndex index() {
        return index;
    }

    public long bytes() {
        return size;
    }

    /** CRC-32C of the whole file, if its batches are as the index says. */
    public long crc() {
        return crc;
    }

    /** Reads a batch, which the caller owns. {@code buffer} is used on the way. */
    public ColumnBatch read(StateIndex.Batch batch, MessageBuffer buffer, MemoryAccount memory) {
        buffer.clear();
        buffer.reserve(batch.length());
        ByteBuffer view = buffer.view(0, batch.length());
        try {
            if (file.read(view, batch.offset()) < batch.length()) {
                throw IoErrors.corrupt(path, batch.offset() + view.position(), "the file ends within a batch");
            }
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + path, e);
        }
        if (Checksums.of(view.flip()) != batch.crc()) {
            throw IoErrors.corrupt(path, batch.offset(), "a batch is not as it was written");
        }
        return BatchDecoder.decode(buffer.address(0), batch.length(), TYPES, memory);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw IoErrors.of("cannot close " + path, e);
        }
    }
}

package io.tailwater.storage.snapshot;

import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.batch.ipc.ArrowFile;
import io.tailwater.api.batch.ipc.BatchEncoder;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.SpaceGuard;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes a state file from front to back, in large pieces. See {@link StateFile} for what it looks like. Owned by one write; not thread-safe.
 */
final class StateFileWriter {
    /** Batches are gathered up to this many bytes. */
    private static final int PIECE_BYTES = 4 << 20;

    private final FileIo.OpenFile file;
    private final MessageBuffer buffer;
    private final SpaceGuard space;
    private final MemoryAccount memory;
    private final int messageBytes;
    private final Map<String, String> metadata;
    private final List<StateIndex.Part> parts = new ArrayList<>();
    private final List<ArrowFile.Message> messages = new ArrayList<>();
    private final long headBytes;
    private final long headCrc;
    private long written;
    private long crc;

    /**
     * @param file empty
     * @param buffer empty
     * @param messageBytes batches whose values are longer are cut in two
     */
    StateFileWriter(
            FileIo.OpenFile file,
            MessageBuffer buffer,
            SpaceGuard space,
            MemoryAccount memory,
            int messageBytes,
            Map<String, String> metadata) {
        this.file = file;
        this.buffer = buffer;
        this.space = space;
        this.memory = memory;
        this.messageBytes = messageBytes;
        this.metadata = metadata;
        byte[] head = ArrowFile.head(StateRows.SCHEMA, metadata);
        headBytes = head.length;
        headCrc = append(head);
    }

    /** CRC-32C of all that was written, whole once {@link #finish} has returned. */
    long crc() {
        return crc;
    }

    long bytes() {
        return written;
    }

    long rows() {
        return parts.stream().mapToLong(StateIndex.Part::rows).sum();
    }

    void add(StateRows state) throws IOException {
        List<StateIndex.Batch> batches = new ArrayList<>();
        for (ColumnBatch batch : state.batches()) {
            add(batch, batches);
        }
        if (!batches.isEmpty()) {
            parts.add(new StateIndex.Part(state.job(), state.worker(), state.operators(), batches));
        }
    }

    private void add(ColumnBatch batch, List<StateIndex.Batch> out) throws IOException {
        if (batch.rows() > 1 && valueBytes(batch) > messageBytes) {
            int half = batch.rows() / 2;
            addRows(batch, 0, half, out);
            addRows(batch, half, batch.rows(), out);
            return;
        }
        BatchEncoder.Encoded at = BatchEncoder.encode(batch, false, buffer);
        long offset = written + at.start();
        long part = Checksums.of(buffer.view(at.start(), at.end()));
        crc = Checksums.combine(crc, part, at.length());
        int prefix = at.body() - at.start();
        out.add(new StateIndex.Batch(offset, at.length(), prefix, batch.rows(), part));
        messages.add(new ArrowFile.Message(offset, prefix, at.length() - prefix));
        if (buffer.size() >= PIECE_BYTES) {
            flush();
        }
    }

    private void addRows(ColumnBatch batch, int from, int to, List<StateIndex.Batch> out) throws IOException {
        int[] rows = new int[to - from];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = from + i;
        }
        try (ColumnBatch some = BatchGather.gather(batch, rows, rows.length, memory)) {
            add(some, out);
        }
    }

    private static long valueBytes(ColumnBatch batch) {
        long total = 0;
        for (int row = 0; row < batch.rows(); row++) {
            total += StringView.length(batch.data(StateRows.KEY) + 16L * row);
            if (!batch.isNull(StateRows.VALUE, row)) {
                total += StringView.length(batch.data(StateRows.VALUE) + 16L * row);
            }
        }
        return total;
    }

    /** Returns the crc of the bytes. */
    private long append(byte[] bytes) {
        int at = buffer.reserve(bytes.length);
        ByteBuffer view = buffer.view(at, at + bytes.length).put(bytes).flip();
        long part = Checksums.of(view);
        crc = Checksums.combine(crc, part, bytes.length);
        return part;
    }

    private void flush() throws IOException {
        int size = buffer.size();
        space.admit(size);
        file.write(new ByteBuffer[] {buffer.view(0, size)}, written);
        written += size;
        buffer.clear();
    }

    /** Writes the end of the file, and makes all of it durable but its name. */
    void finish() throws IOException {
        StateIndex index = new StateIndex(headBytes, headCrc, parts);
        byte[] footer = ArrowFile.footer(
                StateRows.SCHEMA, new ArrowFile.Footer(metadata, messages, Map.of(StateFile.INDEX, index.toJson())));
        append(ArrowFile.endOfStream());
        append(ByteBuffer.allocate(StateFile.GUARD_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(StateFile.GUARD)
                .putInt((int) Checksums.of(ByteBuffer.wrap(footer)))
                .array());
        append(footer);
        flush();
        file.sync();
    }
}

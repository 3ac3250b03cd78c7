package io.tailwater.api.batch.ipc;

import com.google.flatbuffers.FlatBufferBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.TypeKind;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * Writes a batch as one encapsulated Arrow IPC RecordBatch message:
 *
 * <pre>
 * FF FF FF FF | int metadata length | metadata (flatbuffer, padded to 8) | body (each buffer padded to 8)
 * </pre>
 *
 * Views become Utf8 or Binary offsets and bytes; weights become a last Int64 column {@link ArrowSchemas#WEIGHT}. Stateless.
 */
public final class BatchEncoder {
    /** Bytes before the metadata: continuation marker and length. */
    public static final int PREFIX = 8;

    /** Short strings are written as two words; this much may be written behind the last one. */
    private static final int SLACK = 16;

    private BatchEncoder() {}

    /**
     * Where the parts of an encoded message lie in its {@link MessageBuffer}. The body ends where the message does.
     *
     * @param start of the message, a multiple of 8
     * @param metadata of the flatbuffer, behind the prefix
     * @param body a multiple of 8
     */
    public record Encoded(int start, int metadata, int body, int end) {
        public int length() {
            return end - start;
        }
    }

    /**
     * Appends the message to {@code out}, whose size must be a multiple of 8. Borrows the batch.
     *
     * @param weights whether the weight column is written; all ones for a batch without weights
     */
    public static Encoded encode(ColumnBatch batch, boolean weights, MessageBuffer out) {
        Layout layout = new Layout(batch, weights);
        byte[] metadata = metadata(batch.rows(), layout);
        int padded = (metadata.length + 7) & -8;
        int start = out.reserve(PREFIX + padded + layout.bodyLength + SLACK);
        if ((start & 7) != 0) {
            throw new AssertionError("message at offset " + start);
        }
        long at = out.address(start);
        Mem.putInt(at, -1);
        Mem.putInt(at + 4, padded);
        Mem.fill(at + PREFIX + padded - 8, 8, (byte) 0);
        Mem.copyFromArray(metadata, 0, at + PREFIX, metadata.length);
        writeBody(batch, layout, at + PREFIX + padded);
        out.trim(SLACK);
        return new Encoded(start, start + PREFIX, start + PREFIX + padded, out.size());
    }

    private static long pad(long bytes) {
        return (bytes + 7) & -8;
    }

    /** Sizes of all buffers, in the order Arrow wants them: validity, then offsets if any, then data. */
    private static final class Layout {
        final int nodes;
        final long[] nullCounts;
        final long[] lengths;
        final boolean weights;
        final int buffers;
        final long bodyLength;

        Layout(ColumnBatch batch, boolean weights) {
            int columns = batch.columns();
            int rows = batch.rows();
            this.weights = weights;
            nodes = columns + (weights ? 1 : 0);
            nullCounts = new long[nodes];
            lengths = new long[3 * nodes];
            int next = 0;
            for (int c = 0; c < columns; c++) {
                TypeKind kind = batch.type(c).kind();
                nullCounts[c] = kind == TypeKind.NULL ? rows : nullCount(batch.validity(c), rows);
                if (kind == TypeKind.NULL) {
                    continue;
                }
                lengths[next++] = nullCounts[c] == 0 ? 0 : (rows + 7L) >>> 3;
                if (kind.isView()) {
                    lengths[next++] = 4L * (rows + 1);
                    lengths[next++] = viewBytes(batch, c, nullCounts[c] != 0);
                } else {
                    lengths[next++] = kind == TypeKind.BOOLEAN ? (rows + 7L) >>> 3 : (long) kind.width() * rows;
                }
            }
            if (weights) {
                lengths[next++] = 0;
                lengths[next++] = 8L * rows;
            }
            buffers = next;
            long total = 0;
            for (int i = 0; i < buffers; i++) {
                total += pad(lengths[i]);
            }
            bodyLength = total;
        }
    }

    private static long nullCount(long validity, int rows) {
        if (validity == 0) {
            return 0;
        }
        int valid = 0;
        int row = 0;
        for (; row + 64 <= rows; row += 64) {
            valid += Long.bitCount(Mem.getLong(validity + (row >>> 3)));
        }
        if (row < rows) {
            valid += Long.bitCount(Mem.getLong(validity + (row >>> 3)) & (1L << (rows - row)) - 1);
        }
        return rows - (long) valid;
    }

    private static long viewBytes(ColumnBatch batch, int column, boolean nulls) {
        long slots = batch.data(column);
        long total = 0;
        for (int row = 0; row < batch.rows(); row++) {
            if (!nulls || !batch.isNull(column, row)) {
                total += StringView.length(slots + 16L * row);
            }
        }
        if (total > Integer.MAX_VALUE) {
            throw new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX,
                    "a batch holds " + total + " bytes in one column; Arrow's limit is " + Integer.MAX_VALUE);
        }
        return total;
    }

    private static byte[] metadata(int rows, Layout layout) {
        FlatBufferBuilder out = new FlatBufferBuilder(256 + 16 * (layout.nodes + layout.buffers));
        RecordBatch.startBuffersVector(out, layout.buffers);
        long end = layout.bodyLength;
        for (int i = layout.buffers - 1; i >= 0; i--) {
            end -= pad(layout.lengths[i]);
            // Arrow's own Java writer records unpadded lengths; readers size vectors by rows.
            Buffer.createBuffer(out, end, layout.lengths[i]);
        }
        int buffers = out.endVector();
        RecordBatch.startNodesVector(out, layout.nodes);
        for (int i = layout.nodes - 1; i >= 0; i--) {
            FieldNode.createFieldNode(out, rows, layout.nullCounts[i]);
        }
        int nodes = out.endVector();
        RecordBatch.startRecordBatch(out);
        RecordBatch.addLength(out, rows);
        RecordBatch.addNodes(out, nodes);
        RecordBatch.addBuffers(out, buffers);
        int batch = RecordBatch.endRecordBatch(out);
        out.finish(
                Message.createMessage(out, MetadataVersion.V5, MessageHeader.RecordBatch, batch, layout.bodyLength, 0));
        return out.sizedByteArray();
    }

    private static void writeBody(ColumnBatch batch, Layout layout, long at) {
        int next = 0;
        int rows = batch.rows();
        for (int c = 0; c < batch.columns(); c++) {
            TypeKind kind = batch.type(c).kind();
            if (kind == TypeKind.NULL) {
                continue;
            }
            long bytes = layout.lengths[next++];
            copyPadded(batch.validity(c), at, bytes);
            at += pad(bytes);
            if (kind.isView()) {
                long offsets = at;
                at += pad(layout.lengths[next++]);
                bytes = layout.lengths[next++];
                zeroPadding(offsets, 4L * (rows + 1));
                zeroPadding(at, bytes);
                writeViews(batch, c, layout.nullCounts[c] != 0, offsets, at);
            } else {
                bytes = layout.lengths[next++];
                copyPadded(batch.data(c), at, bytes);
            }
            at += pad(bytes);
        }
        if (layout.weights) {
            if (batch.weights() != 0) {
                Mem.copy(batch.weights(), at, 8L * rows);
            } else {
                for (int row = 0; row < rows; row++) {
                    Mem.putLong(at + 8L * row, 1);
                }
            }
        }
    }

    private static void copyPadded(long from, long to, long bytes) {
        if (bytes != 0) {
            zeroPadding(to, bytes);
            Mem.copy(from, to, bytes);
        }
    }

    /** Padding is zeroed so that equal batches have equal bytes and no stale memory reaches a disk or a client. */
    private static void zeroPadding(long at, long bytes) {
        if ((bytes & 7) != 0) {
            Mem.putLong(at + (bytes & -8), 0);
        }
    }

    private static void writeViews(ColumnBatch batch, int column, boolean nulls, long offsets, long bytes) {
        long slots = batch.data(column);
        int end = 0;
        Mem.putInt(offsets, 0);
        for (int row = 0; row < batch.rows(); row++) {
            if (!nulls || !batch.isNull(column, row)) {
                long slot = slots + 16L * row;
                int length = StringView.length(slot);
                if (length <= StringView.INLINE) {
                    // Bytes past the value are zero; what they cover is written later or is padding.
                    Mem.putInt(bytes + end, Mem.getInt(slot + 4));
                    Mem.putLong(bytes + end + 4, Mem.getLong(slot + 8));
                } else {
                    Mem.copy(StringView.bytes(slot), bytes + end, length);
                }
                end += length;
            }
            Mem.putInt(offsets + 4L * (row + 1), end);
        }
    }
}

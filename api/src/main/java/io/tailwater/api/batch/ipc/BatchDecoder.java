package io.tailwater.api.batch.ipc;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;

/**
 * Reads an Arrow IPC RecordBatch message into batches of their own memory. Only the buffers of the wanted columns are touched. The message may be
 * hostile: what does not add up is DATA_CORRUPTED, never an access outside the message. Immutable; borrows the message's memory, which must
 * outlive it.
 */
public final class BatchDecoder {
    private final DataType[] types;
    private final int[] firstBuffer;
    private final RecordBatch header;
    private final long body;
    private final long bodyLength;
    private final int rows;
    private final boolean weighted;

    /**
     * @param metadata the Message flatbuffer, without prefix; heap or direct
     * @param body address of the body
     * @param types of the columns in the message, the weight column aside
     */
    public BatchDecoder(ByteBuffer metadata, long body, long bodyLength, DataType[] types) {
        this.types = types;
        this.body = body;
        this.bodyLength = bodyLength;
        try {
            Message message = Message.getRootAsMessage(metadata.slice().order(ByteOrder.LITTLE_ENDIAN));
            if (message.headerType() != MessageHeader.RecordBatch
                    || !(message.header(new RecordBatch()) instanceof RecordBatch batch)) {
                throw corrupt("not a record batch but message type " + message.headerType());
            }
            header = batch;
            if (header.compression() != null) {
                throw new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "compressed Arrow record batches are not supported",
                        -1,
                        "Send record batches without compression.",
                        null);
            }
            if (header.length() < 0 || header.length() > Integer.MAX_VALUE) {
                throw corrupt("row count " + header.length());
            }
            rows = (int) header.length();
            weighted = header.nodesLength() == types.length + 1;
            if (header.nodesLength() != types.length && !weighted) {
                throw corrupt(header.nodesLength() + " columns where " + types.length + " were expected");
            }
            firstBuffer = new int[types.length + 1];
            int next = 0;
            for (int c = 0; c < types.length; c++) {
                firstBuffer[c] = next;
                next += buffers(types[c].kind());
            }
            firstBuffer[types.length] = next;
            next += weighted ? 2 : 0;
            if (header.buffersLength() != next) {
                throw corrupt(header.buffersLength() + " buffers where " + next + " were expected");
            }
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            // Flatbuffer offsets that lead outside the metadata.
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "Arrow message metadata is malformed", -1, null, e);
        }
    }

    /** A decoder of an encapsulated message at {@code address}, as {@link BatchEncoder} writes it. */
    public static BatchDecoder ofMessage(long address, long length, DataType[] types) {
        if (length < BatchEncoder.PREFIX || Mem.getInt(address) != -1) {
            throw corrupt("no Arrow message prefix");
        }
        int metadata = Mem.getInt(address + 4);
        if (metadata <= 0 || (metadata & 7) != 0 || BatchEncoder.PREFIX + (long) metadata > length) {
            throw corrupt("metadata of " + metadata + " bytes in a message of " + length);
        }
        byte[] bytes = new byte[metadata];
        Mem.copyToArray(address + BatchEncoder.PREFIX, bytes, 0, metadata);
        long body = (long) BatchEncoder.PREFIX + metadata;
        return new BatchDecoder(ByteBuffer.wrap(bytes), address + body, length - body, types);
    }

    /** All of a message with at most {@link ColumnBatch#MAX_ROWS} rows. The caller owns the batch. */
    public static ColumnBatch decode(long address, long length, DataType[] types, MemoryAccount memory) {
        BatchDecoder decoder = ofMessage(address, length, types);
        if (decoder.rows() > ColumnBatch.MAX_ROWS) {
            throw corrupt(decoder.rows() + " rows in one batch");
        }
        return decoder.decode(IntStream.range(0, types.length).toArray(), 0, decoder.rows(), memory);
    }

    public int rows() {
        return rows;
    }

    /** Whether the message has a weight column. */
    public boolean weighted() {
        return weighted;
    }

    /**
     * Some rows of some columns, with weights if the message has them. The caller owns the batch.
     *
     * @param columns to deliver, in this order
     * @param from a multiple of 8
     * @param to exclusive; at most {@link ColumnBatch#MAX_ROWS} past {@code from}
     */
    public ColumnBatch decode(int[] columns, int from, int to, MemoryAccount memory) {
        java.util.Objects.checkFromToIndex(from, to, rows);
        if ((from & 7) != 0 || to - from > ColumnBatch.MAX_ROWS) {
            throw new IllegalArgumentException("rows " + from + " to " + to);
        }
        DataType[] wanted = new DataType[columns.length];
        for (int i = 0; i < columns.length; i++) {
            wanted[i] = types[columns[i]];
        }
        int count = to - from;
        try (BatchBuilder out = new BatchBuilder(wanted, count, weighted, memory)) {
            for (int i = 0; i < columns.length; i++) {
                column(out, i, columns[i], from, count);
            }
            if (weighted) {
                long weights = buffer(firstBuffer[types.length] + 1, 8L * rows);
                Mem.copy(weights + 8L * from, out.weights(), 8L * count);
            }
            return out.finish(count);
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "Arrow message metadata is malformed", -1, null, e);
        }
    }

    private void column(BatchBuilder out, int to, int column, int from, int count) {
        TypeKind kind = types[column].kind();
        if (kind == TypeKind.NULL) {
            for (int row = 0; row < count; row++) {
                out.setNull(to, row);
            }
            return;
        }
        FieldNode node = header.nodes(column);
        if (node.length() != rows || node.nullCount() < 0 || node.nullCount() > rows) {
            throw corrupt("column " + column + " has " + node.length() + " rows of " + rows);
        }
        int first = firstBuffer[column];
        if (node.nullCount() != 0 && count != 0) {
            long validity = buffer(first, (rows + 7L) >>> 3);
            Mem.copy(validity + (from >>> 3), out.nullable(to), (count + 7L) >>> 3);
        }
        if (kind.isView()) {
            views(out, to, first, from, count);
        } else if (kind == TypeKind.BOOLEAN) {
            Mem.copy(buffer(first + 1, (rows + 7L) >>> 3) + (from >>> 3), out.data(to), (count + 7L) >>> 3);
        } else {
            long width = kind.width();
            Mem.copy(buffer(first + 1, width * rows) + width * from, out.data(to), width * count);
        }
    }

    private void views(BatchBuilder out, int to, int first, int from, int count) {
        if (count == 0) {
            return;
        }
        long offsets = buffer(first + 1, 4L * (rows + 1)) + 4L * from;
        long dataLength = header.buffers(first + 2).length();
        long data = buffer(first + 2, 0);
        int start = Mem.getInt(offsets);
        int end = Mem.getInt(offsets + 4L * count);
        if (start < 0 || end < start || end > dataLength) {
            throw corrupt("string offsets " + start + " to " + end + " in " + dataLength + " bytes");
        }
        // The slack lets short values be read as two words wherever they end.
        long copy = out.allocateBytes(end - start + StringView.SIZE);
        Mem.copy(data + start, copy, end - start);
        long slot = out.data(to);
        int at = start;
        for (int row = 1; row <= count; row++, slot += StringView.SIZE) {
            int next = Mem.getInt(offsets + 4L * row);
            if (next < at || next > end) {
                throw corrupt("string offsets go from " + at + " to " + next);
            }
            view(slot, copy + (at - start), next - at);
            at = next;
        }
    }

    private static void view(long slot, long bytes, int length) {
        if (length > StringView.INLINE) {
            StringView.put(slot, bytes, length);
            return;
        }
        // Inline form without a copy call: unused bytes must be zero.
        int head = length >= 4 ? Mem.getInt(bytes) : Mem.getInt(bytes) & (1 << (length << 3)) - 1;
        long tail = length <= 4 ? 0 : Mem.getLong(bytes + 4);
        if (length < StringView.INLINE && length > 4) {
            tail &= (1L << ((length - 4) << 3)) - 1;
        }
        Mem.putInt(slot, length);
        Mem.putInt(slot + 4, head);
        Mem.putLong(slot + 8, tail);
    }

    /** Address of a buffer that is checked to lie in the body and to hold {@code needed} bytes. */
    private long buffer(int index, long needed) {
        Buffer buffer = header.buffers(index);
        long offset = buffer.offset();
        long length = buffer.length();
        if (offset < 0 || length < needed || length < 0 || offset > bodyLength - length) {
            throw corrupt("buffer " + index + " at " + offset + " of " + length + " bytes (" + needed
                    + " needed) in a body of " + bodyLength);
        }
        return body + offset;
    }

    private static int buffers(TypeKind kind) {
        return kind == TypeKind.NULL ? 0 : kind.isView() ? 3 : 2;
    }

    private static StreamException corrupt(String what) {
        return new StreamException(ErrorCode.DATA_CORRUPTED, "Arrow message is malformed: " + what);
    }
}

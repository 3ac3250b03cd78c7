package io.tailwater.jdbc.arrow;

import io.tailwater.jdbc.wire.CallFailure;
import io.tailwater.jdbc.wire.ProtoReader;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.List;

/** A FlightData message: a schema, a record batch, or metadata alone. Immutable view of the bytes it was parsed from. */
public final class IpcMessage {
    private static final ByteBuffer EMPTY = ByteBuffer.wrap(new byte[0]);

    private final @Nullable Message header;
    private final ByteBuffer body;
    private final ByteBuffer metadata;

    private IpcMessage(@Nullable Message header, ByteBuffer body, ByteBuffer metadata) {
        this.header = header;
        this.body = body;
        this.metadata = metadata;
    }

    public static IpcMessage parse(byte[] flightData) throws CallFailure {
        Message header = null;
        ByteBuffer body = EMPTY;
        ByteBuffer metadata = EMPTY;
        ProtoReader reader = new ProtoReader(flightData);
        while (reader.next()) {
            switch (reader.field()) {
                case 2:
                    ByteBuffer bytes = reader.bytes();
                    header = bytes.hasRemaining() ? Message.getRootAsMessage(bytes) : null;
                    break;
                case 3:
                    metadata = reader.bytes();
                    break;
                case 1000:
                    body = reader.bytes();
                    break;
                default:
                    break;
            }
        }
        return new IpcMessage(header, body, metadata);
    }

    /** The schema in an encapsulated IPC message, as FlightInfo and prepared statements carry it; no columns if there is none. */
    public static ArrowSchema encapsulatedSchema(ByteBuffer bytes) throws CallFailure {
        if (!bytes.hasRemaining()) {
            return ArrowSchema.EMPTY;
        }
        int start = bytes.getInt(bytes.position()) == -1 ? 8 : 4;
        ByteBuffer message = bytes.duplicate();
        message.position(message.position() + start);
        ByteBuffer flat = message.slice();
        return ArrowSchema.of(schemaOf(Message.getRootAsMessage(flat)));
    }

    public ArrowSchema schema() throws CallFailure {
        if (header == null) {
            throw new CallFailure("08P01", "the server's answer does not begin with a schema");
        }
        return ArrowSchema.of(schemaOf(header));
    }

    /** The rows in this message; null if it holds none, being a heartbeat. */
    public @Nullable RowBatch rows(List<ResultColumn> columns) throws CallFailure {
        if (header == null || header.headerType() != MessageHeader.RecordBatch) {
            return null;
        }
        RecordBatch batch = new RecordBatch();
        header.header(batch);
        return batch.length() == 0 ? null : ArrowBatch.of(batch, body, columns);
    }

    /** What the server says beside the rows: {1 tick, 2 watermark}. */
    public ProtoReader metadata() {
        return new ProtoReader(metadata);
    }

    private static Schema schemaOf(Message message) throws CallFailure {
        if (message.headerType() != MessageHeader.Schema) {
            throw new CallFailure("08P01", "expected a schema, got Arrow message type " + message.headerType());
        }
        Schema schema = new Schema();
        message.header(schema);
        return schema;
    }
}

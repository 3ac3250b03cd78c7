package io.tailwater.api.batch.ipc;

import com.google.flatbuffers.FlatBufferBuilder;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What makes an Arrow IPC file of record batch messages:
 *
 * <pre>
 * ARROW1 0 0 | schema message | record batch messages | FF FF FF FF 00 00 00 00 | footer (flatbuffer) | int its length | ARROW1
 * </pre>
 *
 * The footer says where the messages are, so whatever lies between them and it is nobody's business but the writer's. Stateless.
 */
public final class ArrowFile {
    /** Bytes behind the footer: its length and the magic. */
    public static final int TRAILER = 10;

    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

    private ArrowFile() {}

    /**
     * Where a record batch message lies.
     *
     * @param metadata bytes of prefix and flatbuffer
     * @param body bytes of the body behind them
     */
    public record Message(long offset, int metadata, long body) {
        /** Bytes of the message. */
        public long length() {
            return metadata + body;
        }
    }

    /** What a footer says: metadata of the schema, the messages in order, and metadata of its own. */
    public record Footer(Map<String, String> schemaMetadata, List<Message> messages, Map<String, String> metadata) {
        public Footer {
            schemaMetadata = Map.copyOf(schemaMetadata);
            messages = List.copyOf(messages);
            metadata = Map.copyOf(metadata);
        }
    }

    /** What comes before the first record batch; a multiple of 8 bytes. */
    public static byte[] head(Schema schema, Map<String, String> schemaMetadata) {
        byte[] message = ArrowSchemas.message(schema, schemaMetadata);
        byte[] out = Arrays.copyOf(MAGIC, 8 + message.length);
        System.arraycopy(message, 0, out, 8, message.length);
        return out;
    }

    /** What follows the last record batch, so that readers of a stream know that there is no more. */
    public static byte[] endOfStream() {
        return new byte[] {-1, -1, -1, -1, 0, 0, 0, 0};
    }

    /** The file's end: the footer with its {@link #TRAILER}. */
    public static byte[] footer(Schema schema, Footer footer) {
        FlatBufferBuilder out = new FlatBufferBuilder(1024);
        int pairs = org.apache.arrow.flatbuf.Footer.createCustomMetadataVector(
                out, ArrowSchemas.pairs(out, footer.metadata()));
        int schemaTable = ArrowSchemas.schema(out, schema, List.of(), footer.schemaMetadata());
        List<Message> messages = footer.messages();
        org.apache.arrow.flatbuf.Footer.startRecordBatchesVector(out, messages.size());
        for (int i = messages.size() - 1; i >= 0; i--) {
            Message message = messages.get(i);
            Block.createBlock(out, message.offset(), message.metadata(), message.body());
        }
        int blocks = out.endVector();
        org.apache.arrow.flatbuf.Footer.startDictionariesVector(out, 0);
        int dictionaries = out.endVector();
        out.finish(org.apache.arrow.flatbuf.Footer.createFooter(
                out, MetadataVersion.V5, schemaTable, dictionaries, blocks, pairs));
        byte[] bytes = out.sizedByteArray();
        return ByteBuffer.allocate(bytes.length + TRAILER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes)
                .putInt(bytes.length)
                .put(MAGIC)
                .array();
    }

    /**
     * Bytes of the footer without its trailer.
     *
     * @param end the last {@link #TRAILER} bytes of a file
     * @return -1 if no Arrow file ends so
     */
    public static int footerLength(ByteBuffer end) {
        byte[] magic = new byte[MAGIC.length];
        end.get(end.position() + 4, magic);
        int length = end.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(end.position());
        return Arrays.equals(magic, MAGIC) && length > 0 ? length : -1;
    }

    /**
     * Reads a footer.
     *
     * @param footer without its trailer
     * @throws StreamException XX001 for bytes that are none
     */
    public static Footer parse(ByteBuffer footer) {
        try {
            org.apache.arrow.flatbuf.Footer from = org.apache.arrow.flatbuf.Footer.getRootAsFooter(
                    footer.slice().order(ByteOrder.LITTLE_ENDIAN));
            org.apache.arrow.flatbuf.Schema schema = from.schema();
            if (schema == null) {
                throw new StreamException(ErrorCode.DATA_CORRUPTED, "Arrow footer has no schema");
            }
            Map<String, String> schemaMetadata = new TreeMap<>();
            for (int i = 0; i < schema.customMetadataLength(); i++) {
                put(schemaMetadata, schema.customMetadata(i));
            }
            Map<String, String> metadata = new TreeMap<>();
            for (int i = 0; i < from.customMetadataLength(); i++) {
                put(metadata, from.customMetadata(i));
            }
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < from.recordBatchesLength(); i++) {
                Block block = from.recordBatches(i);
                messages.add(new Message(block.offset(), block.metaDataLength(), block.bodyLength()));
            }
            return new Footer(schemaMetadata, messages, metadata);
        } catch (IndexOutOfBoundsException
                | ArithmeticException
                | NegativeArraySizeException
                | IllegalArgumentException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "Arrow footer is malformed", -1, null, e);
        }
    }

    private static void put(Map<String, String> out, KeyValue pair) {
        out.put(text(pair.key()), text(pair.value()));
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}

package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A Parquet file's footer, and its bytes.
 *
 * <p>Only the parts of parquet-java that need no Hadoop are used: its own {@code ParquetFileReader} cannot even be constructed without a 20 MB Hadoop jar, so
 * reading column chunks and pages is done here and in {@link ParquetPages}; decoding them is the library's.
 *
 * <p>Immutable. Borrows the channel, by absolute positions only.
 */
final class ParquetFile {
    private static final int TRAILER = 8;

    private final Path path;
    private final FileChannel channel;
    private final MessageType schema;
    private final List<BlockMetaData> groups;
    private final @Nullable String createdBy;
    private final Map<String, String> metadata;

    /**
     * Reads the footer.
     *
     * @param size the file ends here
     */
    ParquetFile(Path path, FileChannel channel, long size) {
        this.path = path;
        this.channel = channel;
        if (size < TRAILER + 4) {
            throw bad("it is too short", null);
        }
        ByteBuffer trailer = ByteBuffer.wrap(bytes(size - TRAILER, TRAILER)).order(ByteOrder.LITTLE_ENDIAN);
        int length = trailer.getInt();
        String magic = StandardCharsets.US_ASCII.decode(trailer).toString();
        if (magic.equals("PARE")) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "Parquet file \"" + path + "\" is encrypted, which is not supported");
        }
        if (!magic.equals("PAR1") || length < 0 || length > size - TRAILER) {
            throw bad("it does not end as one", null);
        }
        try {
            ByteArrayInputStream footer = new ByteArrayInputStream(bytes(size - TRAILER - length, length));
            ParquetMetadata all = new ParquetMetadataConverter().fromParquetMetadata(Util.readFileMetaData(footer));
            schema = all.getFileMetaData().getSchema();
            createdBy = all.getFileMetaData().getCreatedBy();
            groups = List.copyOf(all.getBlocks());
            metadata = Map.copyOf(all.getFileMetaData().getKeyValueMetaData());
        } catch (IOException | RuntimeException e) {
            throw bad("its footer cannot be read: " + e.getMessage(), e);
        }
    }

    /** Whether the file has its end. */
    static boolean isComplete(FileChannel channel, long size) throws IOException {
        if (size < TRAILER + 4) {
            return false;
        }
        ByteBuffer magic = ByteBuffer.allocate(4);
        while (magic.hasRemaining() && channel.read(magic, size - 4 + magic.position()) >= 0) {
            // Once more: a read may be short.
        }
        return StandardCharsets.US_ASCII.decode(magic.flip()).toString().equals("PAR1");
    }

    Path path() {
        return path;
    }

    MessageType schema() {
        return schema;
    }

    List<BlockMetaData> groups() {
        return groups;
    }

    /** What wrote it, or null; some writers' mistakes are known by name. */
    @Nullable String createdBy() {
        return createdBy;
    }

    /** What its writer has added. */
    Map<String, String> metadata() {
        return metadata;
    }

    byte[] bytes(long position, long length) {
        if (position < 0 || length < 0 || length > Integer.MAX_VALUE - 16) {
            throw bad("a part of it has %d bytes at position %d".formatted(length, position), null);
        }
        ByteBuffer target = ByteBuffer.allocate((int) length);
        try {
            while (target.hasRemaining()) {
                if (channel.read(target, position + target.position()) < 0) {
                    throw bad("it is cut off", null);
                }
            }
        } catch (IOException e) {
            throw FileIdentity.failure(path, e);
        }
        return target.array();
    }

    /** The error for bytes that are no Parquet. */
    StreamException bad(String reason, @Nullable Throwable cause) {
        return new StreamException(
                ErrorCode.BAD_RECORD, "file \"" + path + "\" is no sound Parquet file: " + reason, -1, null, cause);
    }
}

package io.tailwater.connector.files;

import com.github.luben.zstd.Zstd;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;

/** The pages of one row group. A column's chunk is read whole when it is asked for, its pages are decompressed one by one. Owned by one thread. */
final class ParquetPages implements PageReadStore {
    private static final ParquetMetadataConverter CONVERTER = new ParquetMetadataConverter();

    private final ParquetFile file;
    private final BlockMetaData group;

    ParquetPages(ParquetFile file, BlockMetaData group) {
        this.file = file;
        this.group = group;
    }

    @Override
    public long getRowCount() {
        return group.getRowCount();
    }

    @Override
    public PageReader getPageReader(ColumnDescriptor column) {
        ColumnPath path = ColumnPath.get(column.getPath());
        for (ColumnChunkMetaData chunk : group.getColumns()) {
            if (chunk.getPath().equals(path)) {
                return new Pages(file, chunk);
            }
        }
        throw file.bad("a row group lacks column " + path, null);
    }

    /** One column's pages, in order. */
    private static final class Pages implements PageReader {
        private final ParquetFile file;
        private final ColumnChunkMetaData chunk;
        private final byte[] bytes;
        private final ByteArrayInputStream in;
        private long valuesLeft;

        Pages(ParquetFile file, ColumnChunkMetaData chunk) {
            this.file = file;
            this.chunk = chunk;
            bytes = file.bytes(chunk.getStartingPos(), chunk.getTotalSize());
            in = new ByteArrayInputStream(bytes);
            valuesLeft = chunk.getValueCount();
        }

        @Override
        public long getTotalValueCount() {
            return chunk.getValueCount();
        }

        @Override
        public @Nullable DictionaryPage readDictionaryPage() {
            in.mark(0);
            PageHeader header = header();
            if (header.getDictionary_page_header() == null) {
                in.reset();
                return null;
            }
            byte[] page = decompressed(header, 0);
            return new DictionaryPage(
                    BytesInput.from(page),
                    header.getDictionary_page_header().getNum_values(),
                    encoding(header.getDictionary_page_header().getEncoding()));
        }

        @Override
        public @Nullable DataPage readPage() {
            while (valuesLeft > 0) {
                PageHeader header = header();
                switch (header.getType()) {
                    case DATA_PAGE -> {
                        valuesLeft -= header.getData_page_header().getNum_values();
                        return page(header, header.getData_page_header());
                    }
                    case DATA_PAGE_V2 -> {
                        valuesLeft -= header.getData_page_header_v2().getNum_values();
                        return page(header, header.getData_page_header_v2());
                    }
                    case INDEX_PAGE, DICTIONARY_PAGE -> skip(header);
                }
            }
            return null;
        }

        private DataPage page(PageHeader header, DataPageHeader data) {
            return new DataPageV1(
                    BytesInput.from(decompressed(header, 0)),
                    data.getNum_values(),
                    header.getUncompressed_page_size(),
                    null,
                    encoding(data.getRepetition_level_encoding()),
                    encoding(data.getDefinition_level_encoding()),
                    encoding(data.getEncoding()));
        }

        /** Levels come first and are never compressed. */
        private DataPage page(PageHeader header, DataPageHeaderV2 data) {
            int repetition = data.getRepetition_levels_byte_length();
            int definition = data.getDefinition_levels_byte_length();
            int at = position(repetition + definition);
            in.skip(repetition + definition);
            return DataPageV2.uncompressed(
                    data.getNum_rows(),
                    data.getNum_nulls(),
                    data.getNum_values(),
                    BytesInput.from(bytes, at, repetition),
                    BytesInput.from(bytes, at + repetition, definition),
                    encoding(data.getEncoding()),
                    BytesInput.from(decompressed(header, repetition + definition, data.is_compressed)),
                    null);
        }

        private PageHeader header() {
            try {
                return Util.readPageHeader(in);
            } catch (IOException e) {
                throw file.bad("a page header of column " + chunk.getPath() + " cannot be read", e);
            }
        }

        private static Encoding encoding(org.apache.parquet.format.Encoding encoding) {
            return CONVERTER.getEncoding(encoding);
        }

        private void skip(PageHeader header) {
            position(header.getCompressed_page_size());
            in.skip(header.getCompressed_page_size());
        }

        /** Index of the next byte, {@code length} of which must be there. */
        private int position(int length) {
            if (length < 0 || length > in.available()) {
                throw file.bad("a page of column " + chunk.getPath() + " is cut off", null);
            }
            return bytes.length - in.available();
        }

        private byte[] decompressed(PageHeader header, int before) {
            return decompressed(header, before, true);
        }

        /** The page's bytes but for the first {@code before}, which were taken already. */
        private byte[] decompressed(PageHeader header, int before, boolean compressed) {
            int length = header.getCompressed_page_size() - before;
            int at = position(length);
            in.skip(length);
            int size = header.getUncompressed_page_size() - before;
            CompressionCodecName codec = compressed ? chunk.getCodec() : CompressionCodecName.UNCOMPRESSED;
            byte[] out = new byte[Math.max(0, size)];
            try {
                int made = size == 0 ? 0 : decompress(codec, at, length, out);
                if (made != size) {
                    throw file.bad(
                            "a page of column " + chunk.getPath() + " has " + made + " bytes, not " + size, null);
                }
                return out;
            } catch (IOException e) {
                throw file.bad("a page of column " + chunk.getPath() + " cannot be decompressed", e);
            }
        }

        private int decompress(CompressionCodecName codec, int at, int length, byte[] out) throws IOException {
            switch (codec) {
                case UNCOMPRESSED -> {
                    System.arraycopy(bytes, at, out, 0, Math.min(length, out.length));
                    return length;
                }
                case SNAPPY -> {
                    if (Snappy.uncompressedLength(bytes, at, length) != out.length) {
                        throw new IOException("length differs");
                    }
                    return Snappy.uncompress(bytes, at, length, out, 0);
                }
                case ZSTD -> {
                    long made = Zstd.decompressByteArray(out, 0, out.length, bytes, at, length);
                    if (Zstd.isError(made)) {
                        throw new IOException(Zstd.getErrorName(made));
                    }
                    return (int) made;
                }
                case GZIP -> {
                    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes, at, length))) {
                        return gzip.readNBytes(out, 0, out.length);
                    }
                }
                default ->
                    throw new StreamException(
                            ErrorCode.FEATURE_NOT_SUPPORTED,
                            "file \"" + file.path() + "\" is compressed with " + codec + ", which is not supported",
                            -1,
                            "Supported are ZSTD, SNAPPY, GZIP and no compression.",
                            null);
            }
        }
    }
}

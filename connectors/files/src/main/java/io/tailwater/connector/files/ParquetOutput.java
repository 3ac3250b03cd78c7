package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.impl.ColumnWriteStoreV1;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriteStore;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A Parquet file with one row group, compressed with Snappy, built in memory and written whole. As with reading, only those parts of parquet-java are used that need no
 * Hadoop: it encodes columns, pages are put together here. Owned by one thread.
 */
final class ParquetOutput {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final ParquetMetadataConverter CONVERTER = new ParquetMetadataConverter();

    private final MessageType schema;
    private final DataType[] types;
    private final Map<ColumnDescriptor, Pages> pages = new LinkedHashMap<>();
    private final ColumnWriteStoreV1 store;
    private final List<ColumnWriter> writers = new ArrayList<>();
    private long rows;

    ParquetOutput(Schema columns) {
        types = columns.columns().stream().map(c -> c.type()).toArray(DataType[]::new);
        schema = schema(columns);
        for (ColumnDescriptor column : schema.getColumns()) {
            pages.put(column, new Pages());
        }
        store = new ColumnWriteStoreV1(
                schema,
                new PageWriteStore() {
                    @Override
                    public PageWriter getPageWriter(ColumnDescriptor column) {
                        return java.util.Objects.requireNonNull(pages.get(column));
                    }

                    @Override
                    public void close() {
                        // Pages are bytes on the heap.
                    }
                },
                ParquetProperties.builder().build());
        for (ColumnDescriptor column : schema.getColumns()) {
            writers.add(store.getColumnWriter(column));
        }
    }

    private static MessageType schema(Schema columns) {
        List<Type> fields = new ArrayList<>();
        for (io.tailwater.common.type.Column column : columns.columns()) {
            DataType type = column.type();
            fields.add(field(type).named(column.name()));
        }
        return new MessageType("tailwater", fields);
    }

    private static Types.PrimitiveBuilder<org.apache.parquet.schema.PrimitiveType> field(DataType type) {
        TimeUnit unit = type.precision() <= 3 ? TimeUnit.MILLIS : TimeUnit.MICROS;
        return switch (type.kind()) {
            case BOOLEAN -> of(type, PrimitiveTypeName.BOOLEAN, null);
            case TINYINT -> of(type, PrimitiveTypeName.INT32, LogicalTypeAnnotation.intType(8, true));
            case SMALLINT -> of(type, PrimitiveTypeName.INT32, LogicalTypeAnnotation.intType(16, true));
            case INTEGER -> of(type, PrimitiveTypeName.INT32, null);
            case BIGINT -> of(type, PrimitiveTypeName.INT64, null);
            case REAL -> of(type, PrimitiveTypeName.FLOAT, null);
            case DOUBLE -> of(type, PrimitiveTypeName.DOUBLE, null);
            case VARCHAR -> of(type, PrimitiveTypeName.BINARY, LogicalTypeAnnotation.stringType());
            case VARBINARY -> of(type, PrimitiveTypeName.BINARY, null);
            case DATE -> of(type, PrimitiveTypeName.INT32, LogicalTypeAnnotation.dateType());
            case TIME -> of(type, PrimitiveTypeName.INT64, LogicalTypeAnnotation.timeType(false, TimeUnit.MICROS));
            case TIMESTAMP -> of(type, PrimitiveTypeName.INT64, LogicalTypeAnnotation.timestampType(false, unit));
            case TIMESTAMP_LTZ -> of(type, PrimitiveTypeName.INT64, LogicalTypeAnnotation.timestampType(true, unit));
            case DECIMAL -> decimal(type);
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH, NULL ->
                throw new AssertionError("refused when the stream was created: " + type.sql());
        };
    }

    private static Types.PrimitiveBuilder<org.apache.parquet.schema.PrimitiveType> decimal(DataType type) {
        LogicalTypeAnnotation logical = LogicalTypeAnnotation.decimalType(type.scale(), type.precision());
        return type.precision() <= 18
                ? of(type, PrimitiveTypeName.INT64, logical)
                : of(type, PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, logical).length(16);
    }

    private static Types.PrimitiveBuilder<org.apache.parquet.schema.PrimitiveType> of(
            DataType type, PrimitiveTypeName name, @Nullable LogicalTypeAnnotation logical) {
        return (type.nullable() ? Types.optional(name) : Types.required(name)).as(logical);
    }

    long rows() {
        return rows;
    }

    /** Adds the rows, each as often as its weight says. Borrows the batch. */
    void add(ColumnBatch batch) {
        for (int row = 0; row < batch.rows(); row++) {
            for (long copy = batch.weight(row); copy > 0; copy--) {
                for (int column = 0; column < types.length; column++) {
                    ColumnWriter writer = writers.get(column);
                    int level = types[column].nullable() ? 1 : 0;
                    if (batch.isNull(column, row)) {
                        writer.writeNull(0, 0);
                    } else {
                        value(writer, batch, column, row, level);
                    }
                }
                store.endRecord();
                rows++;
            }
        }
    }

    private void value(ColumnWriter out, ColumnBatch batch, int column, int row, int level) {
        long data = batch.data(column);
        DataType type = types[column];
        switch (type.kind()) {
            case BOOLEAN -> out.write(Mem.getBit(data, row), 0, level);
            case TINYINT -> out.write((int) Mem.getByte(data + row), 0, level);
            case SMALLINT -> out.write((int) Mem.getShort(data + 2L * row), 0, level);
            case INTEGER, DATE -> out.write(Mem.getInt(data + 4L * row), 0, level);
            case BIGINT, TIME -> out.write(Mem.getLong(data + 8L * row), 0, level);
            case TIMESTAMP, TIMESTAMP_LTZ -> {
                long micros = Mem.getLong(data + 8L * row);
                out.write(type.precision() <= 3 ? Math.floorDiv(micros, 1000L) : micros, 0, level);
            }
            case REAL -> out.write(Mem.getFloat(data + 4L * row), 0, level);
            case DOUBLE -> out.write(Mem.getDouble(data + 8L * row), 0, level);
            case VARCHAR, VARBINARY ->
                out.write(Binary.fromConstantByteArray(StringView.toBytes(data + 16L * row)), 0, level);
            case DECIMAL -> {
                BigDecimal value = Values.getDecimal(data + 16L * row, type.scale());
                if (type.precision() <= 18) {
                    out.write(value.unscaledValue().longValueExact(), 0, level);
                } else {
                    ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.BIG_ENDIAN);
                    bytes.putLong(Mem.getLong(data + 16L * row + 8)).putLong(Mem.getLong(data + 16L * row));
                    out.write(Binary.fromConstantByteArray(bytes.array()), 0, level);
                }
            }
            default -> throw new AssertionError(type.kind());
        }
    }

    /** Writes the file. Nothing can be added any more. */
    void finish(Map<String, String> metadata, OutputStream out) throws IOException {
        store.flush();
        store.close();
        BlockMetaData block = new BlockMetaData();
        block.setRowCount(rows);
        long at = MAGIC.length;
        out.write(MAGIC);
        long total = 0;
        for (ColumnDescriptor column : schema.getColumns()) {
            Pages in = java.util.Objects.requireNonNull(pages.get(column));
            byte[] bytes = in.toByteArray();
            out.write(bytes);
            block.addColumn(ColumnChunkMetaData.get(
                    ColumnPath.get(column.getPath()),
                    column.getPrimitiveType(),
                    CompressionCodecName.SNAPPY,
                    null,
                    in.encodings,
                    Statistics.getBuilderForReading(column.getPrimitiveType()).build(),
                    at + in.dictionaryBytes,
                    in.dictionaryBytes == 0 ? 0 : at,
                    in.values,
                    bytes.length,
                    in.uncompressed));
            at += bytes.length;
            total += in.uncompressed;
        }
        block.setTotalByteSize(total);
        ParquetMetadata footer = new ParquetMetadata(
                new FileMetaData(schema, metadata, "tailwater"), rows == 0 ? List.of() : List.of(block));
        ByteArrayOutputStream footerBytes = new ByteArrayOutputStream();
        Util.writeFileMetaData(CONVERTER.toParquetMetadata(1, footer), footerBytes);
        out.write(footerBytes.toByteArray());
        out.write(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(footerBytes.size())
                .array());
        out.write(MAGIC);
    }

    /** One column's pages. */
    private static final class Pages implements PageWriter {
        /** Goes before the pages, but is known last. */
        private final ByteArrayOutputStream dictionary = new ByteArrayOutputStream();

        private final ByteArrayOutputStream data = new ByteArrayOutputStream();

        private final Set<Encoding> encodings = new LinkedHashSet<>();
        private long dictionaryBytes;
        private long values;
        private long uncompressed;

        private static byte[] bytes(BytesInput input) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream(Math.toIntExact(input.size()));
            input.writeAllTo(out);
            return out.toByteArray();
        }

        @Override
        @Deprecated
        public void writePage(
                BytesInput page, int count, Statistics<?> statistics, Encoding rl, Encoding dl, Encoding encoding)
                throws IOException {
            page(page, count, rl, dl, encoding);
        }

        private void page(BytesInput page, int count, Encoding rl, Encoding dl, Encoding encoding) throws IOException {
            byte[] plain = bytes(page);
            byte[] packed = Snappy.compress(plain);
            int before = data.size();
            CONVERTER.writeDataPageV1Header(plain.length, packed.length, count, rl, dl, encoding, data);
            uncompressed += data.size() - before + plain.length;
            data.write(packed);
            values += count;
            encodings.add(rl);
            encodings.add(dl);
            encodings.add(encoding);
        }

        @Override
        public void writePage(
                BytesInput page,
                int count,
                int rowCount,
                Statistics<?> statistics,
                Encoding rl,
                Encoding dl,
                Encoding encoding)
                throws IOException {
            page(page, count, rl, dl, encoding);
        }

        @Override
        public void writePage(
                BytesInput page,
                int count,
                int rowCount,
                Statistics<?> statistics,
                SizeStatistics sizes,
                GeospatialStatistics places,
                Encoding rl,
                Encoding dl,
                Encoding encoding)
                throws IOException {
            page(page, count, rl, dl, encoding);
        }

        @Override
        public void writePageV2(
                int rowCount,
                int nullCount,
                int valueCount,
                BytesInput rl,
                BytesInput dl,
                Encoding encoding,
                BytesInput page,
                Statistics<?> statistics) {
            throw new AssertionError("pages of version 2 are not written");
        }

        @Override
        public void writeDictionaryPage(DictionaryPage page) throws IOException {
            byte[] plain = bytes(page.getBytes());
            byte[] packed = Snappy.compress(plain);
            CONVERTER.writeDictionaryPageHeader(
                    plain.length, packed.length, page.getDictionarySize(), page.getEncoding(), dictionary);
            uncompressed += dictionary.size() + plain.length;
            dictionary.write(packed);
            dictionaryBytes = dictionary.size();
            encodings.add(page.getEncoding());
        }

        @Override
        public long getMemSize() {
            return data.size();
        }

        @Override
        public long allocatedSize() {
            return data.size();
        }

        @Override
        public String memUsageString(String prefix) {
            return prefix + " " + data.size() + " bytes";
        }

        /** The dictionary, if there is one, and the pages behind it. */
        byte[] toByteArray() {
            ByteArrayOutputStream all = new ByteArrayOutputStream(dictionary.size() + data.size());
            all.writeBytes(dictionary.toByteArray());
            all.writeBytes(data.toByteArray());
            return all.toByteArray();
        }

        @Override
        public void close() {
            // Bytes on the heap.
        }
    }
}

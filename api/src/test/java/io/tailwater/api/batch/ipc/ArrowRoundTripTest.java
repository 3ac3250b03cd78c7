package io.tailwater.api.batch.ipc;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.util.ByteArrayReadableSeekableByteChannel;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What we write Arrow's own library reads, what it writes we read, and nothing a stranger sends reads outside the message. */
class ArrowRoundTripTest {
    private static final List<DataType> TYPES = List.of(
            DataType.BOOLEAN,
            DataType.TINYINT,
            DataType.SMALLINT,
            DataType.INTEGER,
            DataType.BIGINT,
            DataType.decimal(38, 4),
            DataType.decimal(9, 0),
            DataType.REAL,
            DataType.DOUBLE,
            DataType.VARCHAR,
            DataType.varchar(7),
            DataType.VARBINARY,
            DataType.DATE,
            new DataType(TypeKind.TIME, 3, 0, true),
            DataType.TIMESTAMP,
            DataType.timestamp(0),
            DataType.TIMESTAMP_LTZ,
            new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, true),
            new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, true),
            new DataType(TypeKind.NULL, 0, 0, true));

    private final MemoryAccount memory = MemoryAccount.unlimited("test");

    private static Object value(DataType type, Random random) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (long) (byte) random.nextInt();
            case SMALLINT -> (long) (short) random.nextInt();
            case INTEGER, INTERVAL_YEAR_MONTH -> (long) random.nextInt();
            case DATE -> (long) random.nextInt(40_000);
            case BIGINT, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME -> random.nextLong();
            case TIME -> (long) (random.nextDouble() * 86_400_000_000.0);
            case DECIMAL ->
                new BigDecimal(
                        new BigInteger(type.precision() > 30 ? 120 : 29, random)
                                .multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1)),
                        type.scale());
            case REAL -> random.nextFloat();
            case DOUBLE -> random.nextDouble();
            case VARCHAR -> "aß漢🜚xyz".repeat(6).substring(0, random.nextInt(7)) + "x".repeat(random.nextInt(20));
            case VARBINARY -> {
                byte[] bytes = new byte[random.nextInt(30)];
                random.nextBytes(bytes);
                yield bytes;
            }
            case NULL -> throw new AssertionError();
        };
    }

    private ColumnBatch batch(Schema schema, int rows, boolean weighted, int nullPercent, Random random) {
        BatchBuilder out = new BatchBuilder(schema, rows + random.nextInt(70), weighted, memory);
        for (int row = 0; row < rows; row++) {
            for (int c = 0; c < schema.size(); c++) {
                boolean isNull = schema.type(c).kind() == TypeKind.NULL || random.nextInt(100) < nullPercent;
                Values.set(out, c, row, isNull ? null : value(schema.type(c), random));
            }
            if (weighted) {
                Mem.putLong(out.weights() + 8L * row, random.nextInt(5) - 2L);
            }
        }
        return out.finish(rows);
    }

    private static Schema schema(Random random, int columns) {
        List<Column> out = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            out.add(new Column("İ" + i, TYPES.get(random.nextInt(TYPES.size()))));
        }
        return new Schema(out);
    }

    private static List<List<Object>> rows(ColumnBatch batch) {
        List<List<Object>> out = new ArrayList<>();
        for (int row = 0; row < batch.rows(); row++) {
            List<Object> values = new ArrayList<>();
            for (int c = 0; c < batch.columns(); c++) {
                Object value = Values.get(batch, c, row);
                values.add(value instanceof byte[] bytes ? Arrays.toString(bytes) : value);
            }
            values.add(batch.weight(row));
            out.add(values);
        }
        return out;
    }

    @Property(tries = 100)
    void aBatchComesBackAsItWas(
            @ForAll long seed,
            @ForAll @IntRange(max = 12) int columns,
            @ForAll @IntRange(max = 200) int rows,
            @ForAll boolean weighted,
            @ForAll @IntRange(max = 100) int nullPercent) {
        long open = ColumnBatch.openBatches();
        Random random = new Random(seed);
        Schema schema = schema(random, columns);
        DataType[] types = BatchBuilder.types(schema);
        try (ColumnBatch in = batch(schema, rows, weighted, nullPercent, random);
                MessageBuffer buffer = new MessageBuffer(64)) {
            buffer.reserve(8L * random.nextInt(20));
            BatchEncoder.Encoded at = BatchEncoder.encode(in, weighted, buffer);
            assertThat(at.length() % 8).isZero();
            try (ColumnBatch out = BatchDecoder.decode(buffer.address(at.start()), at.length(), types, memory)) {
                assertThat(rows(out)).isEqualTo(rows(in));
                assertThat(out.weights() != 0 || rows == 0).isEqualTo(weighted || rows == 0);
            }
            projectionAndRangeHoldTheSame(in, buffer, at, types, random);
        }
        assertThat(ColumnBatch.openBatches()).isEqualTo(open);
        assertThat(memory.usedBytes()).isZero();
    }

    private void projectionAndRangeHoldTheSame(
            ColumnBatch in, MessageBuffer buffer, BatchEncoder.Encoded at, DataType[] types, Random random) {
        int from = random.nextInt(in.rows() + 1) & -8;
        int to = from + random.nextInt(in.rows() - from + 1);
        int[] wanted = random.ints(3, 0, Math.max(1, types.length))
                .filter(c -> c < types.length)
                .toArray();
        BatchDecoder decoder = BatchDecoder.ofMessage(buffer.address(at.start()), at.length(), types);
        try (ColumnBatch part = decoder.decode(wanted, from, to, memory)) {
            List<List<Object>> expected = new ArrayList<>();
            for (List<Object> row : rows(in).subList(from, to)) {
                List<Object> projected = new ArrayList<>();
                Arrays.stream(wanted).forEach(c -> projected.add(row.get(c)));
                projected.add(row.get(row.size() - 1));
                expected.add(projected);
            }
            assertThat(rows(part)).isEqualTo(expected);
        }
    }

    @Property(tries = 20)
    void arrowReadsWhatWeWriteAndWeReadWhatArrowWrites(
            @ForAll long seed, @ForAll @IntRange(max = 130) int rows, @ForAll boolean weighted) throws IOException {
        Random random = new Random(seed);
        Schema schema = new Schema(TYPES.stream()
                .map(t -> new Column(t.kind() + "_" + t.precision(), t))
                .toList());
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.write(ArrowSchemas.message(weighted ? ArrowSchemas.weighted(schema) : schema));
        try (ColumnBatch in = batch(schema, rows, weighted, 30, random);
                MessageBuffer buffer = new MessageBuffer(64)) {
            BatchEncoder.Encoded at = BatchEncoder.encode(in, weighted, buffer);
            stream.write(buffer.toArray(at.start(), at.end()));
            try (BufferAllocator allocator = new RootAllocator();
                    ArrowStreamReader reader =
                            new ArrowStreamReader(new ByteArrayInputStream(stream.toByteArray()), allocator)) {
                VectorSchemaRoot root = reader.getVectorSchemaRoot();
                assertThat(reader.loadNextBatch()).isTrue();
                assertThat(root.getRowCount()).isEqualTo(rows);
                for (int c = 0; c < schema.size(); c++) {
                    for (int row = 0; row < rows; row++) {
                        assertSame(root.getVector(c), schema.type(c), row, Values.get(in, c, row));
                    }
                }
                if (weighted) {
                    for (int row = 0; row < rows; row++) {
                        assertThat(root.getVector(ArrowSchemas.WEIGHT).getObject(row))
                                .isEqualTo(in.weight(row));
                    }
                }
                try (ColumnBatch again = reencode(root, schema)) {
                    assertThat(rows(again)).isEqualTo(rows(in));
                }
                assertThat(ArrowSchemas.parse(arrowBytes(root.getSchema())))
                        .isEqualTo(weighted ? ArrowSchemas.weighted(schema) : schema);
            }
        }
    }

    @Property(tries = 20)
    void arrowReadsOurFilesWhateverLiesBeforeTheFooter(@ForAll long seed, @ForAll @IntRange(max = 3) int batches)
            throws IOException {
        Random random = new Random(seed);
        Schema schema = schema(random, 5);
        Map<String, String> said = Map.of("of", "schema");
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(ArrowFile.head(schema, said));
        List<ArrowFile.Message> messages = new ArrayList<>();
        List<ColumnBatch> in = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            in.add(batch(schema, 1 + random.nextInt(20), false, 30, random));
            try (MessageBuffer buffer = new MessageBuffer(64)) {
                BatchEncoder.Encoded at = BatchEncoder.encode(in.get(i), false, buffer);
                messages.add(new ArrowFile.Message(file.size(), at.body(), at.end() - at.body()));
                file.write(buffer.toArray(at.start(), at.end()));
            }
        }
        file.write(ArrowFile.endOfStream());
        file.write(new byte[8 * random.nextInt(3)]);
        ArrowFile.Footer footer = new ArrowFile.Footer(said, messages, Map.of("of", "footer"));
        byte[] end = ArrowFile.footer(schema, footer);
        file.write(end);
        ByteBuffer trailer = ByteBuffer.wrap(end, end.length - ArrowFile.TRAILER, ArrowFile.TRAILER);
        int length = ArrowFile.footerLength(trailer.slice());
        assertThat(length).isEqualTo(end.length - ArrowFile.TRAILER);
        assertThat(ArrowFile.parse(ByteBuffer.wrap(end, 0, length))).isEqualTo(footer);
        try (BufferAllocator allocator = new RootAllocator();
                ArrowFileReader reader =
                        new ArrowFileReader(new ByteArrayReadableSeekableByteChannel(file.toByteArray()), allocator)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            assertThat(root.getSchema().getCustomMetadata()).isEqualTo(said);
            assertThat(reader.getMetaData()).containsEntry("of", "footer");
            for (ColumnBatch expected : in) {
                assertThat(reader.loadNextBatch()).isTrue();
                try (ColumnBatch again = reencode(root, schema)) {
                    assertThat(rows(again)).isEqualTo(rows(expected));
                }
            }
            assertThat(reader.loadNextBatch()).isFalse();
        }
        in.forEach(ColumnBatch::close);
    }

    @Property(tries = 300)
    void aDamagedFooterIsReportedOrHarmless(@ForAll long seed) {
        Random random = new Random(seed);
        ArrowFile.Footer footer = new ArrowFile.Footer(
                Map.of("a", "b"), List.of(new ArrowFile.Message(8, 8, 8)), Map.of("c", "d".repeat(random.nextInt(9))));
        byte[] end = ArrowFile.footer(schema(random, 2), footer);
        for (int i = 0; i < 3; i++) {
            end[random.nextInt(end.length)] = (byte) random.nextInt();
        }
        try {
            assertThat(ArrowFile.parse(ByteBuffer.wrap(end, 0, random.nextInt(end.length)))
                            .messages())
                    .hasSizeLessThan(end.length);
        } catch (StreamException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.DATA_CORRUPTED);
        }
    }

    private static byte[] arrowBytes(org.apache.arrow.vector.types.pojo.Schema schema) {
        java.nio.ByteBuffer metadata = MessageSerializer.serializeMetadata(schema);
        byte[] out = new byte[metadata.remaining()];
        metadata.get(out);
        return out;
    }

    private static void assertSame(
            FieldVector vector, DataType type, int row, @org.jspecify.annotations.Nullable Object expected) {
        assertThat(vector.isNull(row)).isEqualTo(expected == null);
        if (expected == null) {
            return;
        }
        switch (type.kind()) {
            case BOOLEAN, DECIMAL, REAL, DOUBLE ->
                assertThat(vector.getObject(row)).isEqualTo(expected);
            case VARCHAR -> assertThat(vector.getObject(row)).hasToString((String) expected);
            case VARBINARY -> assertThat((byte[]) vector.getObject(row)).isEqualTo((byte[]) expected);
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                assertThat(((Number) vector.getObject(row)).longValue()).isEqualTo(expected);
            case DATE, INTERVAL_YEAR_MONTH ->
                assertThat((long) vector.getDataBuffer().getInt(4L * row)).isEqualTo(expected);
            case TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME ->
                assertThat(vector.getDataBuffer().getLong(8L * row)).isEqualTo(expected);
            case NULL -> throw new AssertionError();
        }
    }

    /** Arrow's own encoding, read by us. */
    private ColumnBatch reencode(VectorSchemaRoot root, Schema schema) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArrowRecordBatch recordBatch = new VectorUnloader(root).getRecordBatch()) {
            MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), recordBatch);
        }
        try (MessageBuffer buffer = new MessageBuffer(bytes.size())) {
            buffer.reserve(bytes.size());
            Mem.copyFromArray(bytes.toByteArray(), 0, buffer.address(0), bytes.size());
            return BatchDecoder.decode(buffer.address(0), bytes.size(), BatchBuilder.types(schema), memory);
        }
    }

    @Property(tries = 300)
    void aFlippedByteIsReportedOrHarmless(@ForAll long seed) {
        Random random = new Random(seed);
        Schema schema = schema(random, 1 + random.nextInt(4));
        DataType[] types = BatchBuilder.types(schema);
        try (ColumnBatch in = batch(schema, 1 + random.nextInt(20), random.nextBoolean(), 30, random);
                MessageBuffer buffer = new MessageBuffer(64)) {
            BatchEncoder.Encoded at = BatchEncoder.encode(in, in.weights() != 0, buffer);
            for (int i = 0; i < 3; i++) {
                Mem.putByte(buffer.address(random.nextInt(at.body())), (byte) random.nextInt());
            }
            int length = random.nextInt(at.length() + 1);
            try (ColumnBatch out = BatchDecoder.decode(buffer.address(0), length, types, memory)) {
                assertThat(out.rows()).isBetween(0, ColumnBatch.MAX_ROWS);
            } catch (StreamException e) {
                assertThat(e.code()).isIn(ErrorCode.DATA_CORRUPTED, ErrorCode.FEATURE_NOT_SUPPORTED);
            }
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void aStrangersSchemaGetsTheWidestTypes() {
        var arrow = org.apache.arrow.vector.types.pojo.Field.nullable(
                "n", new org.apache.arrow.vector.types.pojo.ArrowType.Utf8());
        byte[] bytes = arrowBytes(new org.apache.arrow.vector.types.pojo.Schema(List.of(arrow)));
        assertThat(ArrowSchemas.parse(bytes)).isEqualTo(Schema.of(new Column("n", DataType.VARCHAR)));
    }

    @Test
    void anArrowTypeWithoutASqlTypeIsRefusedByName() {
        var arrow = org.apache.arrow.vector.types.pojo.Field.nullable(
                "when",
                new org.apache.arrow.vector.types.pojo.ArrowType.Timestamp(
                        org.apache.arrow.vector.types.TimeUnit.NANOSECOND, null));
        byte[] bytes = arrowBytes(new org.apache.arrow.vector.types.pojo.Schema(List.of(arrow)));
        assertThatThrownBy(() -> ArrowSchemas.parse(bytes))
                .isInstanceOf(StreamException.class)
                .hasMessage("Arrow type of column \"when\" is not supported: Timestamp in NANOSECOND");
    }

    @Test
    void bytesThatAreNoSchemaAreReported() {
        assertThatThrownBy(() -> ArrowSchemas.parse(new byte[] {1, 2, 3}))
                .isInstanceOf(StreamException.class)
                .extracting(e -> ((StreamException) e).code())
                .isEqualTo(ErrorCode.DATA_CORRUPTED);
    }

    @Test
    void equalBatchesHaveEqualBytes() {
        Schema schema = Schema.of(new Column("a", DataType.SMALLINT), new Column("b", DataType.VARCHAR));
        try (ColumnBatch one = batch(schema, 5, false, 0, new Random(1));
                ColumnBatch two = batch(schema, 5, false, 0, new Random(1));
                MessageBuffer buffer = new MessageBuffer(64)) {
            BatchEncoder.Encoded first = BatchEncoder.encode(one, false, buffer);
            BatchEncoder.Encoded second = BatchEncoder.encode(two, false, buffer);
            assertThat(buffer.toArray(second.start(), second.end()))
                    .isEqualTo(buffer.toArray(first.start(), first.end()));
        }
    }
}

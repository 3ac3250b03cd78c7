package io.tailwater.api.batch.ipc;

import com.google.flatbuffers.FlatBufferBuilder;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Null;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Schemas as Arrow schema messages and back. What Arrow's types do not say (lengths, fractional digits) travels in field metadata under
 * {@code tailwater.kind}, {@code tailwater.precision} and {@code tailwater.scale}; a stranger's schema without them gets the widest SQL type.
 *
 * <p>BOOLEAN Bool; TINYINT to BIGINT Int 8 to 64; DECIMAL Decimal128; REAL, DOUBLE FloatingPoint; VARCHAR Utf8; VARBINARY Binary; DATE Date(DAY); TIME
 * Time64(MICRO); TIMESTAMP Timestamp(MICRO); TIMESTAMP_LTZ Timestamp(MICRO, UTC); INTERVAL_DAY_TIME Duration(MICRO); INTERVAL_YEAR_MONTH
 * Interval(YEAR_MONTH); NULL Null. Stateless.
 */
public final class ArrowSchemas {
    /** Name of the column that holds weights: Int64, not NULL, last. */
    public static final String WEIGHT = "$weight";

    private static final String KIND = "tailwater.kind";
    private static final String PRECISION = "tailwater.precision";
    private static final String SCALE = "tailwater.scale";

    private ArrowSchemas() {}

    /** A schema with {@link #WEIGHT} behind its columns. */
    public static Schema weighted(Schema schema) {
        List<Column> columns = new ArrayList<>(schema.columns());
        columns.add(new Column(WEIGHT, DataType.BIGINT.notNull()));
        return new Schema(columns);
    }

    /** The encapsulated IPC Schema message: prefix and metadata, a multiple of 8 bytes. */
    public static byte[] message(Schema schema) {
        return message(schema, List.of());
    }

    /**
     * As {@link #message(Schema)} with more metadata for each field.
     *
     * @param fieldMetadata one map per column, or an empty list
     */
    public static byte[] message(Schema schema, List<Map<String, String>> fieldMetadata) {
        return message(metadata(schema, fieldMetadata));
    }

    /** As {@link #message(Schema)} with metadata for the schema as a whole. */
    static byte[] message(Schema schema, Map<String, String> schemaMetadata) {
        FlatBufferBuilder out = new FlatBufferBuilder(1024);
        return message(finish(out, schema(out, schema, List.of(), schemaMetadata)));
    }

    private static byte[] message(byte[] metadata) {
        int padded = (metadata.length + 7) & -8;
        ByteBuffer out = ByteBuffer.allocate(BatchEncoder.PREFIX + padded).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(-1).putInt(padded).put(metadata);
        return out.array();
    }

    /** The bare Message flatbuffer that holds the schema: what Flight puts into {@code data_header}. */
    public static byte[] metadata(Schema schema, List<Map<String, String>> fieldMetadata) {
        FlatBufferBuilder out = new FlatBufferBuilder(1024);
        return finish(out, schema(out, schema, fieldMetadata, Map.of()));
    }

    private static byte[] finish(FlatBufferBuilder out, int schema) {
        out.finish(Message.createMessage(out, MetadataVersion.V5, MessageHeader.Schema, schema, 0, 0));
        return out.sizedByteArray();
    }

    /** Writes the schema table and returns where it is. */
    static int schema(
            FlatBufferBuilder out,
            Schema schema,
            List<Map<String, String>> fieldMetadata,
            Map<String, String> schemaMetadata) {
        int[] fields = new int[schema.size()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = field(out, schema.column(i), fieldMetadata.isEmpty() ? Map.of() : fieldMetadata.get(i));
        }
        int vector = org.apache.arrow.flatbuf.Schema.createFieldsVector(out, fields);
        int pairs = schemaMetadata.isEmpty()
                ? 0
                : org.apache.arrow.flatbuf.Schema.createCustomMetadataVector(out, pairs(out, schemaMetadata));
        return org.apache.arrow.flatbuf.Schema.createSchema(out, Endianness.Little, vector, pairs, 0);
    }

    /** Writes key-value pairs sorted by key, and returns where they are. */
    static int[] pairs(FlatBufferBuilder out, Map<String, String> metadata) {
        int[] pairs = new int[metadata.size()];
        int next = 0;
        for (Map.Entry<String, String> entry : new TreeMap<>(metadata).entrySet()) {
            int key = out.createString(entry.getKey());
            pairs[next++] = KeyValue.createKeyValue(out, key, out.createString(entry.getValue()));
        }
        return pairs;
    }

    private static int field(FlatBufferBuilder out, Column column, Map<String, String> more) {
        DataType type = column.type();
        TreeMap<String, String> metadata = new TreeMap<>(more);
        metadata.put(KIND, type.kind().name());
        metadata.put(PRECISION, Integer.toString(type.precision()));
        metadata.put(SCALE, Integer.toString(type.scale()));
        int name = out.createString(column.name());
        int pairsVector = Field.createCustomMetadataVector(out, pairs(out, metadata));
        int children = Field.createChildrenVector(out, new int[0]);
        int arrowType = type(out, type);
        return Field.createField(
                out, name, type.nullable(), typeType(type.kind()), arrowType, 0, children, pairsVector);
    }

    private static byte typeType(TypeKind kind) {
        return switch (kind) {
            case BOOLEAN -> Type.Bool;
            case TINYINT, SMALLINT, INTEGER, BIGINT -> Type.Int;
            case DECIMAL -> Type.Decimal;
            case REAL, DOUBLE -> Type.FloatingPoint;
            case VARCHAR -> Type.Utf8;
            case VARBINARY -> Type.Binary;
            case DATE -> Type.Date;
            case TIME -> Type.Time;
            case TIMESTAMP, TIMESTAMP_LTZ -> Type.Timestamp;
            case INTERVAL_DAY_TIME -> Type.Duration;
            case INTERVAL_YEAR_MONTH -> Type.Interval;
            case NULL -> Type.Null;
        };
    }

    private static int type(FlatBufferBuilder out, DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> {
                Bool.startBool(out);
                yield Bool.endBool(out);
            }
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                Int.createInt(out, 8 * type.kind().width(), true);
            case DECIMAL -> Decimal.createDecimal(out, type.precision(), type.scale(), 128);
            case REAL -> FloatingPoint.createFloatingPoint(out, Precision.SINGLE);
            case DOUBLE -> FloatingPoint.createFloatingPoint(out, Precision.DOUBLE);
            case VARCHAR -> {
                Utf8.startUtf8(out);
                yield Utf8.endUtf8(out);
            }
            case VARBINARY -> {
                Binary.startBinary(out);
                yield Binary.endBinary(out);
            }
            case DATE -> Date.createDate(out, DateUnit.DAY);
            case TIME -> Time.createTime(out, TimeUnit.MICROSECOND, 64);
            case TIMESTAMP -> Timestamp.createTimestamp(out, TimeUnit.MICROSECOND, 0);
            case TIMESTAMP_LTZ -> Timestamp.createTimestamp(out, TimeUnit.MICROSECOND, out.createString("UTC"));
            case INTERVAL_DAY_TIME -> Duration.createDuration(out, TimeUnit.MICROSECOND);
            case INTERVAL_YEAR_MONTH -> Interval.createInterval(out, IntervalUnit.YEAR_MONTH);
            case NULL -> {
                Null.startNull(out);
                yield Null.endNull(out);
            }
        };
    }

    /**
     * The schema in an encapsulated message, or in a bare Message flatbuffer.
     *
     * @throws StreamException 0A000 for an Arrow type that no SQL type here stores as it is; XX001 for bytes that are no schema message
     */
    public static Schema parse(byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        if (message.length >= BatchEncoder.PREFIX && in.getInt(0) == -1) {
            in.position(BatchEncoder.PREFIX);
        }
        try {
            Message root = Message.getRootAsMessage(in.slice().order(ByteOrder.LITTLE_ENDIAN));
            if (root.headerType() != MessageHeader.Schema
                    || !(root.header(new org.apache.arrow.flatbuf.Schema())
                            instanceof org.apache.arrow.flatbuf.Schema schema)) {
                throw new StreamException(
                        ErrorCode.DATA_CORRUPTED, "not an Arrow schema but message type " + root.headerType());
            }
            if (schema.endianness() != Endianness.Little) {
                throw new StreamException(ErrorCode.FEATURE_NOT_SUPPORTED, "big-endian Arrow data is not supported");
            }
            List<Column> columns = new ArrayList<>();
            for (int i = 0; i < schema.fieldsLength(); i++) {
                Field field = schema.fields(i);
                String name = text(field.name());
                columns.add(new Column(name, type(name, field).withNullable(field.nullable())));
            }
            return new Schema(columns);
        } catch (IndexOutOfBoundsException | ArithmeticException | NegativeArraySizeException e) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, "Arrow schema message is malformed", -1, null, e);
        }
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static DataType type(String name, Field field) {
        DataType bare = bareType(name, field);
        Map<String, String> metadata = new TreeMap<>();
        for (int i = 0; i < field.customMetadataLength(); i++) {
            KeyValue pair = field.customMetadata(i);
            metadata.put(text(pair.key()), text(pair.value()));
        }
        // Metadata may refine the Arrow type, never contradict it.
        if (bare.kind().name().equals(metadata.get(KIND)) && bare.kind() != TypeKind.DECIMAL) {
            try {
                return new DataType(
                        bare.kind(),
                        Integer.parseInt(metadata.getOrDefault(PRECISION, "x")),
                        Integer.parseInt(metadata.getOrDefault(SCALE, "x")),
                        true);
            } catch (NumberFormatException e) {
                throw new StreamException(
                        ErrorCode.DATA_CORRUPTED, "Arrow field " + name + " has malformed metadata", -1, null, e);
            }
        }
        return bare;
    }

    private static DataType bareType(String name, Field field) {
        switch (field.typeType()) {
            case Type.Bool:
                return DataType.BOOLEAN;
            case Type.Utf8:
                return DataType.VARCHAR;
            case Type.Binary:
                return DataType.VARBINARY;
            case Type.Null:
                return new DataType(TypeKind.NULL, 0, 0, true);
            case Type.Int:
                Int integer = (Int) field.type(new Int());
                if (integer.isSigned()) {
                    return switch (integer.bitWidth()) {
                        case 8 -> DataType.TINYINT;
                        case 16 -> DataType.SMALLINT;
                        case 32 -> DataType.INTEGER;
                        case 64 -> DataType.BIGINT;
                        default -> throw unsupported(name, "Int of " + integer.bitWidth() + " bits");
                    };
                }
                throw unsupported(name, "unsigned Int");
            case Type.FloatingPoint:
                short precision = ((FloatingPoint) field.type(new FloatingPoint())).precision();
                if (precision == Precision.HALF) {
                    throw unsupported(name, "half-precision FloatingPoint");
                }
                return precision == Precision.SINGLE ? DataType.REAL : DataType.DOUBLE;
            case Type.Decimal:
                return decimal(name, (Decimal) field.type(new Decimal()));
            default:
                return temporal(name, field);
        }
    }

    private static DataType decimal(String name, Decimal decimal) {
        int precision = decimal.precision();
        int scale = decimal.scale();
        if (decimal.bitWidth() != 128 || precision < 1 || precision > 38 || scale < 0 || scale > precision) {
            throw unsupported(name, "Decimal(" + precision + ", " + scale + ") of " + decimal.bitWidth() + " bits");
        }
        return DataType.decimal(precision, scale);
    }

    private static DataType temporal(String name, Field field) {
        switch (field.typeType()) {
            case Type.Date:
                if (((Date) field.type(new Date())).unit() == DateUnit.DAY) {
                    return DataType.DATE;
                }
                throw unsupported(name, "Date in milliseconds");
            case Type.Time:
                Time time = (Time) field.type(new Time());
                if (time.unit() == TimeUnit.MICROSECOND && time.bitWidth() == 64) {
                    return DataType.TIME;
                }
                throw unsupported(name, "Time in " + TimeUnit.name(time.unit()));
            case Type.Timestamp:
                Timestamp timestamp = (Timestamp) field.type(new Timestamp());
                if (timestamp.unit() == TimeUnit.MICROSECOND) {
                    return text(timestamp.timezone()).isEmpty() ? DataType.TIMESTAMP : DataType.TIMESTAMP_LTZ;
                }
                throw unsupported(name, "Timestamp in " + TimeUnit.name(timestamp.unit()));
            case Type.Duration:
                if (((Duration) field.type(new Duration())).unit() == TimeUnit.MICROSECOND) {
                    return new DataType(TypeKind.INTERVAL_DAY_TIME, 0, 0, true);
                }
                throw unsupported(name, "Duration not in microseconds");
            case Type.Interval:
                if (((Interval) field.type(new Interval())).unit() == IntervalUnit.YEAR_MONTH) {
                    return new DataType(TypeKind.INTERVAL_YEAR_MONTH, 0, 0, true);
                }
                throw unsupported(name, "Interval not in months");
            default:
                throw unsupported(name, Type.name(field.typeType()));
        }
    }

    private static StreamException unsupported(String name, String what) {
        return new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED,
                "Arrow type of column \"" + name + "\" is not supported: " + what,
                -1,
                "Supported are Bool, signed Int, FloatingPoint, Decimal128, Utf8, Binary, Date(DAY), and Time, Timestamp and Duration in microseconds.",
                null);
    }
}

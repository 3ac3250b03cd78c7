package io.tailwater.server.flight;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.apache.arrow.flight.sql.FlightSqlColumnMetadata;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** SQL types as Arrow types, and back. */
final class ArrowTypes {
    private ArrowTypes() {}

    /** An Arrow schema whose fields carry Flight SQL's column metadata. */
    static org.apache.arrow.vector.types.pojo.Schema schema(Schema schema, Map<String, String> remarks) {
        return new org.apache.arrow.vector.types.pojo.Schema(
                schema.columns().stream().map(ArrowTypes::field).toList(), remarks);
    }

    /** A schema for the question marks of a statement. */
    static org.apache.arrow.vector.types.pojo.Schema parameters(List<DataType> types) {
        List<Field> fields = new ArrayList<>();
        for (DataType type : types) {
            fields.add(field(new Column("?" + (fields.size() + 1), type.withNullable(true))));
        }
        return new org.apache.arrow.vector.types.pojo.Schema(fields);
    }

    private static Field field(Column column) {
        DataType type = column.type();
        TypeKind kind = type.kind();
        FlightSqlColumnMetadata.Builder metadata = new FlightSqlColumnMetadata.Builder()
                .typeName(typeName(type))
                .isReadOnly(true)
                .isSearchable(true)
                .isAutoIncrement(false)
                .isCaseSensitive(kind == TypeKind.VARCHAR);
        switch (kind) {
            case DECIMAL -> metadata.precision(type.precision()).scale(type.scale());
            case VARCHAR, VARBINARY -> {
                if (type.precision() != DataType.UNBOUNDED) {
                    metadata.precision(type.precision());
                }
            }
            case TIME, TIMESTAMP, TIMESTAMP_LTZ ->
                metadata.precision(type.precision()).scale(type.precision());
            case TINYINT -> metadata.precision(3);
            case SMALLINT -> metadata.precision(5);
            case INTEGER -> metadata.precision(10);
            case BIGINT -> metadata.precision(19);
            default -> {}
        }
        boolean nullable = type.nullable() || kind == TypeKind.NULL;
        FieldType fieldType =
                new FieldType(nullable, arrow(type), null, metadata.build().getMetadataMap());
        return new Field(column.name(), fieldType, null);
    }

    /** Without length, precision and scale. */
    static String typeName(DataType type) {
        return type.kind() == TypeKind.TIMESTAMP_LTZ
                ? "TIMESTAMP WITH LOCAL TIME ZONE"
                : type.sql().replaceAll("\\(.*\\)", "");
    }

    static ArrowType arrow(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> ArrowType.Bool.INSTANCE;
            case TINYINT -> new ArrowType.Int(8, true);
            case SMALLINT -> new ArrowType.Int(16, true);
            case INTEGER -> new ArrowType.Int(32, true);
            case BIGINT -> new ArrowType.Int(64, true);
            case DECIMAL -> new ArrowType.Decimal(type.precision(), type.scale(), 128);
            case REAL -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case VARCHAR -> ArrowType.Utf8.INSTANCE;
            case VARBINARY -> ArrowType.Binary.INSTANCE;
            case DATE -> new ArrowType.Date(DateUnit.DAY);
            case TIME -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
            case TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
            case TIMESTAMP_LTZ -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
            case INTERVAL_DAY_TIME -> new ArrowType.Duration(TimeUnit.MICROSECOND);
            case INTERVAL_YEAR_MONTH -> new ArrowType.Interval(IntervalUnit.YEAR_MONTH);
            case NULL -> ArrowType.Null.INSTANCE;
        };
    }

    /**
     * The SQL type that holds values of an Arrow type sent by a client.
     *
     * @throws StreamException 0A000 if none does
     */
    static DataType sql(Field field) {
        return sql(field.getName(), field.getType()).withNullable(field.isNullable());
    }

    private static DataType sql(String name, ArrowType type) {
        if (type instanceof ArrowType.Bool) {
            return DataType.BOOLEAN;
        } else if (type instanceof ArrowType.Int number) {
            int bits = number.getBitWidth() * (number.getIsSigned() ? 1 : 2);
            return bits <= 8
                    ? DataType.TINYINT
                    : bits == 16 ? DataType.SMALLINT : bits == 32 ? DataType.INTEGER : DataType.BIGINT;
        } else if (type instanceof ArrowType.FloatingPoint number) {
            return number.getPrecision() == FloatingPointPrecision.DOUBLE ? DataType.DOUBLE : DataType.REAL;
        } else if (type instanceof ArrowType.Decimal decimal
                && decimal.getPrecision() <= 38
                && decimal.getScale() >= 0) {
            return DataType.decimal(decimal.getPrecision(), decimal.getScale());
        } else if (type instanceof ArrowType.Utf8
                || type instanceof ArrowType.LargeUtf8
                || type instanceof ArrowType.Utf8View) {
            return DataType.VARCHAR;
        } else if (type instanceof ArrowType.Binary
                || type instanceof ArrowType.LargeBinary
                || type instanceof ArrowType.BinaryView
                || type instanceof ArrowType.FixedSizeBinary) {
            return DataType.VARBINARY;
        } else if (type instanceof ArrowType.Date) {
            return DataType.DATE;
        } else if (type instanceof ArrowType.Time) {
            return DataType.TIME;
        } else if (type instanceof ArrowType.Timestamp timestamp) {
            return timestamp.getTimezone() == null ? DataType.TIMESTAMP : DataType.TIMESTAMP_LTZ;
        }
        throw new StreamException(
                ErrorCode.FEATURE_NOT_SUPPORTED, "column \"" + name + "\": no SQL type for Arrow type " + type);
    }
}

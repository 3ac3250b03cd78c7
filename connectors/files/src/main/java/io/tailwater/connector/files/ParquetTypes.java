package io.tailwater.connector.files;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How Parquet's types and ours correspond. */
final class ParquetTypes {
    private ParquetTypes() {}

    /** The columns that a file implies. */
    static Schema implied(ParquetFile file) {
        List<Column> columns = new ArrayList<>();
        for (Type field : file.schema().getFields()) {
            DataType type = implied(field);
            if (type == null) {
                throw new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "column \"%s\" of file \"%s\" has a type that is not supported: %s"
                                .formatted(
                                        field.getName(),
                                        file.path(),
                                        field.toString().replaceAll("\\s+", " ")),
                        -1,
                        "Declare the columns that you need; others are not read.",
                        null);
            }
            columns.add(new Column(field.getName(), type));
        }
        return new Schema(columns);
    }

    /** The field of each column, by its name. */
    static List<PrimitiveType> match(Path path, MessageType fields, Schema columns) {
        List<PrimitiveType> out = new ArrayList<>();
        for (Column column : columns.columns()) {
            Type field = find(fields, column.name());
            if (field == null) {
                throw new StreamException(
                        ErrorCode.UNDEFINED_COLUMN,
                        "file \"" + path + "\" has no column \"" + column.name() + "\"",
                        -1,
                        "It has: "
                                + String.join(
                                        ", ",
                                        fields.getFields().stream()
                                                .map(Type::getName)
                                                .toList()) + ".",
                        null);
            }
            DataType natural = implied(field);
            if (natural == null || !fits(natural, column.type())) {
                throw new StreamException(
                        ErrorCode.DATATYPE_MISMATCH,
                        "column \"%s\" of file \"%s\" cannot be read as %s: it is %s"
                                .formatted(
                                        column.name(),
                                        path,
                                        column.type().sql(),
                                        natural == null ? field.toString().replaceAll("\\s+", " ") : natural.sql()),
                        -1,
                        natural == null ? null : "Declare it as " + natural.sql() + ".",
                        null);
            }
            out.add(field.asPrimitiveType());
        }
        return out;
    }

    private static @Nullable Type find(MessageType fields, String name) {
        if (fields.containsField(name)) {
            return fields.getType(name);
        }
        for (Type field : fields.getFields()) {
            if (field.getName().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                return field;
            }
        }
        return null;
    }

    /** Whether values of one type can be had as another; some may still be out of range. */
    private static boolean fits(DataType from, DataType to) {
        TypeKind a = from.kind();
        TypeKind b = to.kind();
        return a == b
                || (a.isInteger() && (b.isInteger() || b == TypeKind.DECIMAL || b == TypeKind.DOUBLE))
                || (a == TypeKind.REAL && b == TypeKind.DOUBLE)
                || (isTimestamp(a) && isTimestamp(b))
                // Old writers do not say that bytes are text.
                || (a == TypeKind.VARBINARY && b == TypeKind.VARCHAR);
    }

    private static boolean isTimestamp(TypeKind kind) {
        return kind == TypeKind.TIMESTAMP || kind == TypeKind.TIMESTAMP_LTZ;
    }

    /** Our type for a field, or null if there is none. */
    private static @Nullable DataType implied(Type field) {
        if (!field.isPrimitive() || field.isRepetition(Type.Repetition.REPEATED)) {
            return null;
        }
        DataType type = implied(field.asPrimitiveType());
        return type == null ? null : type.withNullable(field.isRepetition(Type.Repetition.OPTIONAL));
    }

    private static @Nullable DataType implied(PrimitiveType field) {
        LogicalTypeAnnotation logical = field.getLogicalTypeAnnotation();
        if (logical instanceof LogicalTypeAnnotation.DecimalLogicalTypeAnnotation decimal) {
            return decimal.getPrecision() <= 38 ? DataType.decimal(decimal.getPrecision(), decimal.getScale()) : null;
        }
        return switch (field.getPrimitiveTypeName()) {
            case BOOLEAN -> DataType.BOOLEAN;
            case INT32 -> int32(logical);
            case INT64 -> int64(logical);
            case FLOAT -> DataType.REAL;
            case DOUBLE -> DataType.DOUBLE;
            case INT96 -> DataType.TIMESTAMP;
            case BINARY ->
                logical == null || logical instanceof LogicalTypeAnnotation.BsonLogicalTypeAnnotation
                        ? DataType.VARBINARY
                        : DataType.VARCHAR;
            case FIXED_LEN_BYTE_ARRAY -> logical == null ? DataType.VARBINARY : null;
        };
    }

    private static @Nullable DataType int32(@Nullable LogicalTypeAnnotation logical) {
        if (logical instanceof LogicalTypeAnnotation.DateLogicalTypeAnnotation) {
            return DataType.DATE;
        }
        if (logical instanceof LogicalTypeAnnotation.TimeLogicalTypeAnnotation) {
            return DataType.TIME;
        }
        if (logical instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation integer) {
            if (!integer.isSigned()) {
                // Unsigned ones need the next wider type.
                return integer.getBitWidth() == 32 ? DataType.BIGINT : DataType.INTEGER;
            }
            return switch (integer.getBitWidth()) {
                case 8 -> DataType.TINYINT;
                case 16 -> DataType.SMALLINT;
                default -> DataType.INTEGER;
            };
        }
        return logical == null ? DataType.INTEGER : null;
    }

    private static @Nullable DataType int64(@Nullable LogicalTypeAnnotation logical) {
        if (logical instanceof LogicalTypeAnnotation.TimestampLogicalTypeAnnotation timestamp) {
            int precision = timestamp.getUnit() == TimeUnit.MILLIS ? 3 : 6;
            return timestamp.isAdjustedToUTC()
                    ? new DataType(TypeKind.TIMESTAMP_LTZ, precision, 0, true)
                    : DataType.timestamp(precision);
        }
        if (logical instanceof LogicalTypeAnnotation.TimeLogicalTypeAnnotation) {
            return DataType.TIME;
        }
        if (logical instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation integer) {
            return integer.isSigned() ? DataType.BIGINT : DataType.decimal(20, 0);
        }
        return logical == null ? DataType.BIGINT : null;
    }
}

package io.tailwater.jdbc.arrow;

import io.tailwater.jdbc.wire.CallFailure;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Columns of a result and the remarks that came with them. Immutable. */
public final class ArrowSchema {
    static final ArrowSchema EMPTY = new ArrowSchema(List.of(), Map.of());

    private static final String SQL = "ARROW:FLIGHT:SQL:";

    private final List<ResultColumn> columns;
    private final Map<String, String> remarks;

    private ArrowSchema(List<ResultColumn> columns, Map<String, String> remarks) {
        this.columns = columns;
        this.remarks = remarks;
    }

    static ArrowSchema of(Schema schema) throws CallFailure {
        List<ResultColumn> columns = new ArrayList<>();
        for (int i = 0; i < schema.fieldsLength(); i++) {
            columns.add(column(schema.fields(i)));
        }
        Map<String, String> remarks = new HashMap<>();
        for (int i = 0; i < schema.customMetadataLength(); i++) {
            KeyValue entry = schema.customMetadata(i);
            remarks.put(entry.key(), entry.value());
        }
        return new ArrowSchema(List.copyOf(columns), Map.copyOf(remarks));
    }

    public List<ResultColumn> columns() {
        return columns;
    }

    /** Metadata of the whole schema. */
    public Map<String, String> remarks() {
        return remarks;
    }

    private static ResultColumn column(Field field) throws CallFailure {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < field.customMetadataLength(); i++) {
            KeyValue entry = field.customMetadata(i);
            keys.put(entry.key(), entry.value());
        }
        Kind kind = kind(field);
        int precision = number(keys.get(SQL + "PRECISION"), kind.precision());
        int scale = number(keys.get(SQL + "SCALE"), kind.hasFraction() ? 6 : 0);
        if (kind == Kind.DECIMAL) {
            Decimal type = (Decimal) field.type(new Decimal());
            precision = type.precision();
            scale = type.scale();
        }
        return ResultColumn.of(field.name(), kind, precision, scale, field.nullable())
                .from(keys.getOrDefault(SQL + "SCHEMA_NAME", ""), keys.getOrDefault(SQL + "TABLE_NAME", ""));
    }

    private static int number(@org.jspecify.annotations.Nullable String text, int otherwise) {
        return text != null && text.matches("\\d{1,9}") ? Integer.parseInt(text) : otherwise;
    }

    private static Kind kind(Field field) throws CallFailure {
        switch (field.typeType()) {
            case Type.Null:
                return Kind.NULL;
            case Type.Bool:
                return Kind.BOOLEAN;
            case Type.Int:
                return intKind(field, (Int) field.type(new Int()));
            case Type.FloatingPoint:
                short precision = ((FloatingPoint) field.type(new FloatingPoint())).precision();
                check(precision != Precision.HALF, field);
                return precision == Precision.SINGLE ? Kind.REAL : Kind.DOUBLE;
            case Type.Decimal:
                check(((Decimal) field.type(new Decimal())).bitWidth() == 128, field);
                return Kind.DECIMAL;
            case Type.Utf8:
                return Kind.VARCHAR;
            case Type.Binary:
                return Kind.VARBINARY;
            case Type.Date:
                check(((Date) field.type(new Date())).unit() == DateUnit.DAY, field);
                return Kind.DATE;
            case Type.Time:
                check(((Time) field.type(new Time())).unit() == TimeUnit.MICROSECOND, field);
                return Kind.TIME;
            case Type.Timestamp:
                Timestamp timestamp = (Timestamp) field.type(new Timestamp());
                check(timestamp.unit() == TimeUnit.MICROSECOND, field);
                return timestamp.timezone() == null ? Kind.TIMESTAMP : Kind.TIMESTAMP_LTZ;
            case Type.Duration:
                check(((Duration) field.type(new Duration())).unit() == TimeUnit.MICROSECOND, field);
                return Kind.INTERVAL_DAY_TIME;
            case Type.Interval:
                check(((Interval) field.type(new Interval())).unit() == IntervalUnit.YEAR_MONTH, field);
                return Kind.INTERVAL_YEAR_MONTH;
            default:
                check(false, field);
                throw new AssertionError();
        }
    }

    private static Kind intKind(Field field, Int type) throws CallFailure {
        check(type.isSigned(), field);
        switch (type.bitWidth()) {
            case 8:
                return Kind.TINYINT;
            case 16:
                return Kind.SMALLINT;
            case 32:
                return Kind.INTEGER;
            default:
                return Kind.BIGINT;
        }
    }

    private static void check(boolean known, Field field) throws CallFailure {
        if (!known) {
            throw new CallFailure(
                    "0A000",
                    "this driver cannot read column \"" + field.name() + "\" of Arrow type "
                            + Type.name(field.typeType()) + "; a newer driver may");
        }
    }
}

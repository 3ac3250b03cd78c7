package io.tailwater.connector.files;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Turns one column's decoded values into a batch's column, without an object for each. Texts of a dictionary become views once per row group; batches keep
 * the dictionary alive. Owned by one thread; closing it lets go of the dictionary.
 */
final class ParquetColumn extends PrimitiveConverter implements AutoCloseable {
    private static final long JULIAN_EPOCH_DAY = 2_440_588;

    private final PrimitiveType field;
    private final DataType type;
    private final MemoryAccount memory;
    private final int scale;
    private final boolean unsigned;
    private final boolean optional;
    /** Microseconds are value * multiply / divide. */
    private final long multiply;

    private final long divide;

    private @Nullable ColumnBatch dictionary;
    private @Nullable String @Nullable [] dictionaryProblems;
    private @Nullable Dictionary largeDictionary;

    private @Nullable BatchBuilder target;
    private int column;
    private int row;
    private @Nullable String problem;

    ParquetColumn(PrimitiveType field, DataType type, MemoryAccount memory) {
        this.field = field;
        this.type = type;
        this.memory = memory;
        LogicalTypeAnnotation logical = field.getLogicalTypeAnnotation();
        scale = logical instanceof LogicalTypeAnnotation.DecimalLogicalTypeAnnotation decimal ? decimal.getScale() : 0;
        unsigned = logical instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation integer && !integer.isSigned();
        optional = field.isRepetition(Type.Repetition.OPTIONAL);
        TimeUnit unit = logical instanceof LogicalTypeAnnotation.TimestampLogicalTypeAnnotation timestamp
                ? timestamp.getUnit()
                : logical instanceof LogicalTypeAnnotation.TimeLogicalTypeAnnotation time
                        ? time.getUnit()
                        : TimeUnit.MICROS;
        multiply = unit == TimeUnit.MILLIS ? 1000 : 1;
        divide = unit == TimeUnit.NANOS ? 1000 : 1;
    }

    /** Receives rows that could not be converted. */
    interface Problems {
        void add(int row, String reason);
    }

    /** Fills {@code count} rows of a column. */
    void read(ColumnReader reader, BatchBuilder out, int outColumn, int count, Problems problems) {
        target = out;
        column = outColumn;
        if (dictionary != null) {
            out.keepAlive(dictionary);
        }
        for (row = 0; row < count; row++) {
            if (!optional || reader.getCurrentDefinitionLevel() > 0) {
                reader.writeCurrentValueToConverter();
            } else {
                out.setNull(column, row);
                if (!type.nullable()) {
                    problem = "NULL, but the column is NOT NULL";
                }
            }
            reader.consume();
            if (problem != null) {
                problems.add(row, problem);
                problem = null;
            }
        }
    }

    /** Moves on by {@code count} rows. */
    void skip(ColumnReader reader, long count) {
        for (long i = 0; i < count; i++) {
            if (!optional || reader.getCurrentDefinitionLevel() > 0) {
                reader.skip();
            }
            reader.consume();
        }
    }

    private long slot() {
        return Objects.requireNonNull(target).data(column) + (long) type.kind().width() * row;
    }

    @Override
    public boolean hasDictionarySupport() {
        return type.kind().isView();
    }

    /** A row group's dictionary. */
    @Override
    public void setDictionary(Dictionary values) {
        close();
        int size = values.getMaxId() + 1;
        if (size > ColumnBatch.MAX_ROWS) {
            largeDictionary = values;
            return;
        }
        try (BatchBuilder views = new BatchBuilder(new DataType[] {type}, size, false, memory)) {
            for (int id = 0; id < size; id++) {
                String wrong = put(views, 0, id, values.decodeToBinary(id));
                if (wrong != null) {
                    if (dictionaryProblems == null) {
                        dictionaryProblems = new String[size];
                    }
                    dictionaryProblems[id] = wrong;
                }
            }
            dictionary = views.finish(size);
        }
    }

    @Override
    public void addValueFromDictionary(int id) {
        if (dictionary == null) {
            addBinary(Objects.requireNonNull(largeDictionary).decodeToBinary(id));
            return;
        }
        StringView.copySlot(dictionary.data(0) + 16L * id, slot());
        if (dictionaryProblems != null) {
            problem = dictionaryProblems[id];
        }
    }

    /** Writes a text or bytes. Returns what is wrong with it, or null. */
    private @Nullable String put(BatchBuilder out, int outColumn, int outRow, Binary value) {
        ByteBuffer bytes = value.toByteBuffer();
        byte[] array = bytes.hasArray() ? bytes.array() : value.getBytes();
        int from = bytes.hasArray() ? bytes.arrayOffset() + bytes.position() : 0;
        int length = value.length();
        try {
            int units = type.kind() == TypeKind.VARCHAR ? TextValues.characters(array, from, from + length) : length;
            if (units > type.precision()) {
                throw new BadRecord(null, "value too long for " + type.sql() + ": " + units);
            }
            out.putBytes(outColumn, outRow, array, from, length);
            return null;
        } catch (BadRecord e) {
            Mem.putLong(out.data(outColumn) + 16L * outRow, 0);
            Mem.putLong(out.data(outColumn) + 16L * outRow + 8, 0);
            return e.reason();
        }
    }

    @Override
    public void addBinary(Binary value) {
        if (type.kind() == TypeKind.DECIMAL) {
            putDecimal(new BigDecimal(new BigInteger(value.getBytes()), scale));
        } else if (type.kind().isView()) {
            problem = put(Objects.requireNonNull(target), column, row, value);
        } else {
            // INT96: nanoseconds of a Julian day, then the day.
            ByteBuffer bytes = value.toByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
            long nanos = bytes.getLong(bytes.position());
            long day = bytes.getInt(bytes.position() + 8) - JULIAN_EPOCH_DAY;
            Mem.putLong(slot(), TextValues.cut(day * DateTimes.DAY_MICROS + nanos / 1000, type));
        }
    }

    @Override
    public void addBoolean(boolean value) {
        RowWriter.putBoolean(Objects.requireNonNull(target), column, row, value);
    }

    @Override
    public void addFloat(float value) {
        if (type.kind() == TypeKind.DOUBLE) {
            Mem.putDouble(slot(), value);
        } else {
            Mem.putFloat(slot(), value);
        }
    }

    @Override
    public void addDouble(double value) {
        Mem.putDouble(slot(), value);
    }

    @Override
    public void addInt(int value) {
        addLong(unsigned ? Integer.toUnsignedLong(value) : value);
    }

    @Override
    public void addLong(long value) {
        switch (type.kind()) {
            case BIGINT -> Mem.putLong(slot(), value);
            case INTEGER, DATE -> {
                Mem.putInt(slot(), (int) value);
                checkRange(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
            }
            case SMALLINT -> {
                Mem.putShort(slot(), (short) value);
                checkRange(value, Short.MIN_VALUE, Short.MAX_VALUE);
            }
            case TINYINT -> {
                Mem.putByte(slot(), (byte) value);
                checkRange(value, Byte.MIN_VALUE, Byte.MAX_VALUE);
            }
            case DOUBLE -> Mem.putDouble(slot(), (double) value);
            case TIME, TIMESTAMP, TIMESTAMP_LTZ ->
                Mem.putLong(slot(), TextValues.cut(Math.floorDiv(value * multiply, divide), type));
            case DECIMAL -> decimal(value);
            case BOOLEAN, REAL, VARCHAR, VARBINARY, INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH, NULL ->
                throw new AssertionError(field + " as " + type);
        }
    }

    private void checkRange(long value, long least, long greatest) {
        if (value < least || value > greatest) {
            problem = "out of range for " + type.sql() + ": " + value;
        }
    }

    private void decimal(long value) {
        boolean wraps = unsigned && value < 0 && field.getPrimitiveTypeName() == PrimitiveType.PrimitiveTypeName.INT64;
        putDecimal(
                wraps
                        ? new BigDecimal(new BigInteger(Long.toUnsignedString(value)), scale)
                        : BigDecimal.valueOf(value, scale));
    }

    private void putDecimal(BigDecimal value) {
        try {
            TextValues.decimal(slot(), type, value);
        } catch (BadRecord e) {
            Mem.putLong(slot(), 0);
            Mem.putLong(slot() + 8, 0);
            problem = "out of range for " + type.sql() + ": " + value.toPlainString();
        }
    }

    @Override
    public void close() {
        if (dictionary != null) {
            dictionary.close();
            dictionary = null;
        }
        dictionaryProblems = null;
        largeDictionary = null;
    }
}

package io.tailwater.server.sql;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.server.catalog.NearestName;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** Brings ingested rows into the column order of their target. */
final class IngestColumns {
    private static final int MISSING = -1;

    private IngestColumns() {}

    /**
     * Rows of the target, matched by column name; a column that is not given is NULL. Borrows {@code rows}; the caller owns the result, which shares
     * their buffers.
     *
     * @throws StreamException 42703 for a column that the target does not have, 42804 for another type, 22001 for text that is too long, 23502 for a
     *     NOT NULL column that is not given
     */
    static ColumnBatch arrange(CatalogObject target, ColumnBatch rows, Schema given, MemoryAccount memory) {
        Schema schema = target.schema();
        int[] source = new int[schema.size()];
        Arrays.fill(source, MISSING);
        for (int i = 0; i < given.size(); i++) {
            int column = match(target, given, i);
            if (source[column] != MISSING) {
                throw new StreamException(
                        ErrorCode.DUPLICATE_COLUMN,
                        "column \"" + given.column(i).name() + "\" is given more than once");
            }
            source[column] = i;
            requireLengths(rows, i, schema.column(column).name(), schema.type(column));
            requireDigits(rows, i, schema.column(column).name(), schema.type(column));
        }
        boolean[] shared = new boolean[source.length];
        for (int column = 0; column < source.length; column++) {
            shared[column] = source[column] != MISSING && !isFiner(given.type(source[column]), schema.type(column));
            if (source[column] == MISSING && !schema.type(column).nullable() && rows.rows() > 0) {
                throw new StreamException(
                        ErrorCode.NOT_NULL_VIOLATION,
                        "column \"" + schema.column(column).name() + "\" of " + target.kindName() + " \""
                                + target.name() + "\" is NOT NULL, but is not given");
            }
        }
        try (BatchBuilder out = new BatchBuilder(BatchBuilder.types(schema), rows.rows(), false, memory, shared)) {
            for (int column = 0; column < source.length; column++) {
                if (shared[column]) {
                    out.share(column, rows, source[column]);
                } else if (source[column] != MISSING) {
                    coarsen(rows, source[column], out, column);
                } else {
                    for (int row = 0; row < rows.rows(); row++) {
                        out.setNull(column, row);
                    }
                }
            }
            return out.finish(rows.rows());
        }
    }

    private static int match(CatalogObject target, Schema given, int index) {
        String name = given.column(index).name();
        OptionalInt column = target.schema().indexOf(name);
        if (column.isEmpty()) {
            List<String> names =
                    target.schema().columns().stream().map(c -> c.name()).toList();
            throw new StreamException(
                    ErrorCode.UNDEFINED_COLUMN,
                    target.kindName() + " \"" + target.name() + "\" has no column \"" + name + "\"",
                    -1,
                    NearestName.hint(name, names, "Its columns are: " + String.join(", ", names) + "."),
                    null);
        }
        DataType have = given.type(index);
        DataType want = target.schema().type(column.getAsInt());
        if (have.kind() != want.kind() || have.scale() != want.scale()) {
            throw new StreamException(
                    ErrorCode.DATATYPE_MISMATCH,
                    "column \"" + name + "\" is of type " + want.sql() + ", but the rows have " + have.sql());
        }
        return column.getAsInt();
    }

    /** Whether times carry more fractional digits than the column keeps. */
    private static boolean isFiner(DataType have, DataType want) {
        boolean time = want.kind() == TypeKind.TIME
                || want.kind() == TypeKind.TIMESTAMP
                || want.kind() == TypeKind.TIMESTAMP_LTZ;
        return time && have.precision() > want.precision();
    }

    private static void coarsen(ColumnBatch rows, int from, BatchBuilder out, int to) {
        long unit = 1;
        for (int digits = out.type(to).precision(); digits < 6; digits++) {
            unit *= 10;
        }
        for (int row = 0; row < rows.rows(); row++) {
            if (rows.isNull(from, row)) {
                out.setNull(to, row);
            } else {
                long micros = Mem.getLong(rows.data(from) + 8L * row);
                Mem.putLong(out.data(to) + 8L * row, Math.floorDiv(micros, unit) * unit);
            }
        }
    }

    private static void requireDigits(ColumnBatch rows, int column, String name, DataType want) {
        if (want.kind() != TypeKind.DECIMAL || rows.type(column).precision() <= want.precision()) {
            return;
        }
        for (int row = 0; row < rows.rows(); row++) {
            Object value = Values.get(rows, column, row);
            if (value instanceof BigDecimal number && number.precision() > want.precision()) {
                throw new StreamException(
                        ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
                        "value " + number.toPlainString() + " is out of range for column \"" + name + "\" of type "
                                + want.sql());
            }
        }
    }

    private static void requireLengths(ColumnBatch rows, int column, String name, DataType want) {
        if (!want.kind().isView() || want.precision() == DataType.UNBOUNDED) {
            return;
        }
        for (int row = 0; row < rows.rows(); row++) {
            Object value = Values.get(rows, column, row);
            int length = value instanceof String text
                    ? text.codePointCount(0, text.length())
                    : value instanceof byte[] bytes ? bytes.length : 0;
            if (length > want.precision()) {
                throw new StreamException(
                        ErrorCode.STRING_TOO_LONG, "value too long for column \"" + name + "\" of type " + want.sql());
            }
        }
    }
}

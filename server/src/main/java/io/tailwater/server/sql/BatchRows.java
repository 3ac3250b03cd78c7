package io.tailwater.server.sql;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Rows between batches, and between batches and the heap. Edges only: the engine has its own loops. */
final class BatchRows {
    private BatchRows() {}

    /** Batches of these rows, whose values are in the form of {@link Values}. The caller owns them. */
    static List<ColumnBatch> of(
            Schema schema, List<? extends List<? extends @Nullable Object>> rows, MemoryAccount memory) {
        List<ColumnBatch> out = new ArrayList<>();
        try {
            for (int from = 0; from < rows.size(); from += ColumnBatch.TARGET_ROWS) {
                int count = Math.min(ColumnBatch.TARGET_ROWS, rows.size() - from);
                try (BatchBuilder builder = new BatchBuilder(schema, count, false, memory)) {
                    for (int row = 0; row < count; row++) {
                        for (int column = 0; column < schema.size(); column++) {
                            Values.set(
                                    builder, column, row, rows.get(from + row).get(column));
                        }
                    }
                    out.add(builder.finish(count));
                }
            }
            return out;
        } catch (RuntimeException | AssertionError e) {
            close(out);
            throw e;
        }
    }

    static void close(Collection<ColumnBatch> batches) {
        batches.forEach(ColumnBatch::close);
        batches.clear();
    }

    static int count(Collection<ColumnBatch> batches) {
        return batches.stream().mapToInt(ColumnBatch::rows).sum();
    }

    /** Columns 0, 1, ... of a batch. */
    static int[] allColumns(int count) {
        int[] out = new int[count];
        for (int i = 0; i < count; i++) {
            out[i] = i;
        }
        return out;
    }

    static int[] array(List<Integer> columns) {
        return columns.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Copies one value. Text is referenced, not copied: the caller has {@code to} keep {@code from} alive. */
    static void copyValue(ColumnBatch from, int fromColumn, int fromRow, BatchBuilder to, int toColumn, int toRow) {
        if (from.isNull(fromColumn, fromRow)) {
            to.setNull(toColumn, toRow);
            return;
        }
        long source = from.data(fromColumn);
        long target = to.data(toColumn);
        switch (from.type(fromColumn).kind().width()) {
            case 0 -> {
                if (Mem.getBit(source, fromRow)) {
                    Mem.setBit(target, toRow);
                } else {
                    Mem.clearBit(target, toRow);
                }
            }
            case 1 -> Mem.putByte(target + toRow, Mem.getByte(source + fromRow));
            case 2 -> Mem.putShort(target + 2L * toRow, Mem.getShort(source + 2L * fromRow));
            case 4 -> Mem.putInt(target + 4L * toRow, Mem.getInt(source + 4L * fromRow));
            case 8 -> Mem.putLong(target + 8L * toRow, Mem.getLong(source + 8L * fromRow));
            case 16 -> StringView.copySlot(source + 16L * fromRow, target + 16L * toRow);
            default -> throw new AssertionError(from.type(fromColumn));
        }
    }

    /** SQL's IS NOT DISTINCT FROM; as grouping has it, 0.0 equals -0.0 and NaN equals NaN. Both columns are of the same kind. */
    static boolean valueEquals(ColumnBatch a, int columnA, int rowA, ColumnBatch b, int columnB, int rowB) {
        boolean nullA = a.isNull(columnA, rowA);
        if (nullA || b.isNull(columnB, rowB)) {
            return nullA && b.isNull(columnB, rowB);
        }
        long x = a.data(columnA);
        long y = b.data(columnB);
        return switch (a.type(columnA).kind()) {
            case BOOLEAN -> Mem.getBit(x, rowA) == Mem.getBit(y, rowB);
            case TINYINT -> Mem.getByte(x + rowA) == Mem.getByte(y + rowB);
            case SMALLINT -> Mem.getShort(x + 2L * rowA) == Mem.getShort(y + 2L * rowB);
            case INTEGER, DATE, INTERVAL_YEAR_MONTH, NULL -> Mem.getInt(x + 4L * rowA) == Mem.getInt(y + 4L * rowB);
            case BIGINT, TIME, TIMESTAMP, TIMESTAMP_LTZ, INTERVAL_DAY_TIME ->
                Mem.getLong(x + 8L * rowA) == Mem.getLong(y + 8L * rowB);
            case REAL -> Float.compare(Mem.getFloat(x + 4L * rowA) + 0f, Mem.getFloat(y + 4L * rowB) + 0f) == 0;
            case DOUBLE -> Double.compare(Mem.getDouble(x + 8L * rowA) + 0d, Mem.getDouble(y + 8L * rowB) + 0d) == 0;
            case DECIMAL ->
                Mem.getLong(x + 16L * rowA) == Mem.getLong(y + 16L * rowB)
                        && Mem.getLong(x + 16L * rowA + 8) == Mem.getLong(y + 16L * rowB + 8);
            case VARCHAR, VARBINARY -> StringView.equal(x + 16L * rowA, y + 16L * rowB);
        };
    }

    static boolean rowEquals(ColumnBatch a, int[] columnsA, int rowA, ColumnBatch b, int[] columnsB, int rowB) {
        for (int i = 0; i < columnsA.length; i++) {
            if (!valueEquals(a, columnsA[i], rowA, b, columnsB[i], rowB)) {
                return false;
            }
        }
        return true;
    }

    /** A row for messages, as {@code (1, 'a', NULL)}. */
    static String describe(ColumnBatch batch, int[] columns, int row) {
        StringBuilder out = new StringBuilder("(");
        for (int i = 0; i < columns.length; i++) {
            Object value = Values.get(batch, columns[i], row);
            out.append(i == 0 ? "" : ", ");
            if (value == null) {
                out.append("NULL");
            } else if (value instanceof String) {
                out.append('\'').append(value).append('\'');
            } else {
                out.append(SqlText.value(value, batch.type(columns[i])));
            }
        }
        return out.append(')').toString();
    }
}

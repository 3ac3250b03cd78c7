package io.tailwater.testing;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A Z-set on the heap: rows in the form of {@link Values}, each with a weight. The plain model that operators are compared with. */
public final class ZSet {
    private final Map<List<@Nullable Object>, Long> rows = new HashMap<>();

    /** Adds a row. Weights of equal rows add up; a row of weight 0 is not there. */
    public ZSet add(long weight, @Nullable Object... values) {
        List<@Nullable Object> row = new ArrayList<>();
        Collections.addAll(row, values);
        return addRow(weight, row);
    }

    public ZSet addRow(long weight, List<@Nullable Object> row) {
        rows.merge(List.copyOf(wrap(row)), weight, Long::sum);
        rows.remove(List.copyOf(wrap(row)), 0L);
        return this;
    }

    /** Adds what a batch says. Borrows it. */
    public ZSet addBatch(ColumnBatch batch) {
        for (int row = 0; row < batch.rows(); row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int column = 0; column < batch.columns(); column++) {
                values.add(Values.get(batch, column, row));
            }
            addRow(batch.weight(row), values);
        }
        return this;
    }

    /** Row to weight; a NULL is the text {@code NULL} of {@link Null}, bytes are their list. */
    public Map<List<Object>, Long> rows() {
        Map<List<Object>, Long> out = new HashMap<>();
        rows.forEach((row, weight) -> out.put(new ArrayList<>(row), weight));
        return out;
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Stands for NULL in {@link #rows}. */
    public enum Null {
        NULL
    }

    private static List<Object> wrap(List<@Nullable Object> row) {
        List<Object> out = new ArrayList<>();
        for (Object value : row) {
            if (value == null) {
                out.add(Null.NULL);
            } else if (value instanceof byte[] bytes) {
                out.add(java.util.Arrays.toString(bytes));
            } else {
                out.add(value);
            }
        }
        return out;
    }

    /** A batch of these rows; {@code weights} null for none. */
    public static ColumnBatch batch(
            Schema schema,
            MemoryAccount memory,
            List<? extends List<? extends @Nullable Object>> rows,
            long @Nullable [] weights) {
        BatchBuilder out = new BatchBuilder(schema, rows.size(), weights != null, memory);
        for (int row = 0; row < rows.size(); row++) {
            for (int column = 0; column < schema.size(); column++) {
                Values.set(out, column, row, rows.get(row).get(column));
            }
            if (weights != null) {
                io.tailwater.api.batch.Mem.putLong(out.weights() + 8L * row, weights[row]);
            }
        }
        return out.finish(rows.size());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ZSet that && rows.equals(that.rows);
    }

    @Override
    public int hashCode() {
        return rows.hashCode();
    }

    @Override
    public String toString() {
        return rows.entrySet().stream()
                .map(e -> e.getValue() + " x " + e.getKey())
                .sorted()
                .toList()
                .toString();
    }
}

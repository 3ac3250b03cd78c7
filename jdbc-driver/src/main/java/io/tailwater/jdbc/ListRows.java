package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.RowBatch;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Rows made here, for metadata: one batch, then the end. */
final class ListRows implements RowSource, RowBatch {
    private final List<@Nullable Object[]> rows;
    private boolean given;

    ListRows(List<@Nullable Object[]> rows) {
        this.rows = rows;
    }

    @Override
    public @Nullable RowBatch next(long timeoutNanos) {
        boolean first = !given;
        given = true;
        return first && !rows.isEmpty() ? this : null;
    }

    @Override
    public void cancel(String sqlState, String reason) {
        given = true;
    }

    @Override
    public int rows() {
        return rows.size();
    }

    @Override
    public boolean isNull(int column, int row) {
        return rows.get(row)[column] == null;
    }

    @Override
    public long getLong(int column, int row) {
        return rows.get(row)[column] instanceof Number ? ((Number) rows.get(row)[column]).longValue() : 0;
    }

    @Override
    public double getDouble(int column, int row) {
        return rows.get(row)[column] instanceof Number ? ((Number) rows.get(row)[column]).doubleValue() : 0;
    }

    @Override
    public @Nullable Object get(int column, int row) {
        return rows.get(row)[column];
    }
}

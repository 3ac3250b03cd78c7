package io.tailwater.server.sql;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Turns one tick's change of a relation, a Z-set, into rows with an operation: {@code op} first, then the relation's columns. Equal rows are added up
 * first. Rows that go come first as {@code -D}; then what comes, in the order of arrival, as {@code +I}, or behind the row of the same key that it
 * replaces as {@code -U}, {@code +U}. Weights above one repeat a row. Borrows batches.
 */
final class ChangelogRows {
    /** Type of the operation column. */
    static final Column OP = new Column("op", DataType.VARCHAR.notNull());

    private final DataType[] types;
    private final int[] all;
    private final int[] key;
    private final boolean keyed;
    private final MemoryAccount memory;

    /**
     * Converts changes of one relation.
     *
     * @param schema of the relation, without {@code op}
     * @param uniqueKeys that the planner proved; the first one pairs old and new rows, none pairs nothing
     */
    ChangelogRows(Schema schema, List<List<Integer>> uniqueKeys, MemoryAccount memory) {
        List<Column> columns = new ArrayList<>();
        columns.add(OP);
        columns.addAll(schema.columns());
        this.types = BatchBuilder.types(new Schema(columns));
        this.all = BatchRows.allColumns(schema.size());
        this.keyed = !uniqueKeys.isEmpty();
        this.key = keyed ? BatchRows.array(uniqueKeys.get(0)) : new int[0];
        this.memory = memory;
    }

    /** The rows of a change. The caller owns the batches and may close {@code change} at once. */
    List<ColumnBatch> convert(List<ColumnBatch> change) {
        if (change.stream().allMatch(batch -> batch.weights() == 0)) {
            return insertions(change);
        }
        RowIndex rows = new RowIndex(all);
        long[] weights = consolidate(change, rows);
        int[] replaced = new int[rows.size()];
        boolean[] paired = new boolean[rows.size()];
        Arrays.fill(replaced, RowIndex.ABSENT);
        if (keyed) {
            pair(rows, weights, replaced, paired);
        }
        try (Writer out = new Writer()) {
            for (int row = 0; row < rows.size(); row++) {
                for (long copies = weights[row]; copies < 0 && !paired[row]; copies++) {
                    out.add("-D", rows, row);
                }
            }
            for (int row = 0; row < rows.size(); row++) {
                if (weights[row] > 0 && replaced[row] != RowIndex.ABSENT) {
                    out.add("-U", rows, replaced[row]);
                    out.add("+U", rows, row);
                } else {
                    for (long copies = weights[row]; copies > 0; copies--) {
                        out.add("+I", rows, row);
                    }
                }
            }
            return out.finish();
        }
    }

    /** Where nothing goes, as in a first answer, nothing can cancel out: the columns are shared, not copied. */
    private List<ColumnBatch> insertions(List<ColumnBatch> change) {
        boolean[] shared = new boolean[types.length];
        Arrays.fill(shared, 1, types.length, true);
        List<ColumnBatch> out = new ArrayList<>();
        for (ColumnBatch batch : change) {
            try (BatchBuilder builder = new BatchBuilder(types, batch.rows(), false, memory, shared)) {
                for (int row = 0; row < batch.rows(); row++) {
                    builder.putString(0, row, "+I");
                }
                for (int column = 0; column < all.length; column++) {
                    builder.share(column + 1, batch, column);
                }
                out.add(builder.finish(batch.rows()));
            } catch (RuntimeException | AssertionError e) {
                BatchRows.close(out);
                throw e;
            }
        }
        return out;
    }

    private static long[] consolidate(List<ColumnBatch> change, RowIndex rows) {
        long[] weights = new long[16];
        for (ColumnBatch batch : change) {
            for (int row = 0; row < batch.rows(); row++) {
                int number = rows.add(batch, row);
                if (number >= weights.length) {
                    weights = Arrays.copyOf(weights, weights.length * 2);
                }
                weights[number] += batch.weight(row);
            }
        }
        return weights;
    }

    /** Finds for each row that comes the one of its key that goes. */
    private void pair(RowIndex rows, long[] weights, int[] replaced, boolean[] paired) {
        RowIndex gone = new RowIndex(key);
        int[] goneRows = new int[rows.size()];
        for (int row = 0; row < rows.size(); row++) {
            if (weights[row] == -1) {
                goneRows[gone.add(rows.batch(row), rows.row(row))] = row;
            }
        }
        for (int row = 0; row < rows.size(); row++) {
            if (weights[row] == 1) {
                int found = gone.find(rows.batch(row), key, rows.row(row));
                if (found != RowIndex.ABSENT && !paired[goneRows[found]]) {
                    replaced[row] = goneRows[found];
                    paired[goneRows[found]] = true;
                }
            }
        }
    }

    /** Cuts the result into batches of the usual size. */
    private final class Writer implements AutoCloseable {
        private final List<ColumnBatch> done = new ArrayList<>();
        private BatchBuilder open = new BatchBuilder(types, ColumnBatch.TARGET_ROWS, false, memory);
        private int count;

        void add(String op, RowIndex rows, int number) {
            if (count == ColumnBatch.TARGET_ROWS) {
                done.add(open.finish(count));
                open = new BatchBuilder(types, ColumnBatch.TARGET_ROWS, false, memory);
                count = 0;
            }
            ColumnBatch from = rows.batch(number);
            open.keepAlive(from);
            open.putString(0, count, op);
            for (int column = 0; column < all.length; column++) {
                BatchRows.copyValue(from, column, rows.row(number), open, column + 1, count);
            }
            count++;
        }

        List<ColumnBatch> finish() {
            if (count > 0) {
                done.add(open.finish(count));
                count = 0;
            }
            List<ColumnBatch> out = new ArrayList<>(done);
            done.clear();
            return out;
        }

        @Override
        public void close() {
            open.close();
            BatchRows.close(done);
        }
    }
}

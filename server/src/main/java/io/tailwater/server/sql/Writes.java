package io.tailwater.server.sql;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.Distribution;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.Traits;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.Statement;
import io.tailwater.server.engine.Engine.Position;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Bounded writes: INSERT of constant rows, UPDATE, DELETE, bulk ingest. What depends on a table's rows is evaluated at a version of the table and
 * appended if it is still that version; else it is tried again.
 */
final class Writes {
    private static final int MAX_TRIES = 1_000;

    private Writes() {}

    static long insert(Statement.InsertValues insert, StatementRun run) {
        CatalogObject target = target(insert.target(), run);
        List<ColumnBatch> rows = run.collect(insert.rows(), Map.of());
        return append(target, rows, insert.upsert(), run);
    }

    /** @param rows owned; complete rows of the target */
    private static long append(CatalogObject target, List<ColumnBatch> rows, boolean upsert, StatementRun run) {
        try {
            requireFits(BatchRows.count(rows));
            for (ColumnBatch batch : rows) {
                requireNotNull(target, batch);
            }
            if (BatchRows.count(rows) == 0) {
                return 0;
            }
            if (target instanceof CatalogObject.Table table && !upsert) {
                return insertNew(table, rows, run);
            }
            // A table's inbox is a stream of upserts: of several rows of one key the last stays.
            ColumnBatch frame = join(target.schema(), rows, run);
            int count = frame.rows();
            run.writes().record(target, run.context().engine().append(target.name(), frame));
            return count;
        } finally {
            BatchRows.close(rows);
        }
    }

    private static CatalogObject target(ObjectName name, StatementRun run) {
        CatalogObject target = run.image().objects().get(name);
        if (target instanceof CatalogObject.Stream stream && stream.connector() != null) {
            throw new StreamException(
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "single rows cannot be written to \"" + name + "\", a stream of connector '" + stream.connector()
                            + "'",
                    -1,
                    "Write to a stored stream, and from there with INSERT INTO " + name + " SELECT ...",
                    null);
        }
        if (!(target instanceof CatalogObject.Stream) && !(target instanceof CatalogObject.Table)) {
            throw new AssertionError("not a target: " + name);
        }
        return target;
    }

    /** A row whose key is there already, or twice among the new ones, fails the statement. */
    private static long insertNew(CatalogObject.Table table, List<ColumnBatch> rows, StatementRun run) {
        int[] key = BatchRows.array(table.primaryKey());
        RowIndex keys = new RowIndex(key);
        for (ColumnBatch batch : rows) {
            for (int row = 0; row < batch.rows(); row++) {
                int before = keys.size();
                if (keys.add(batch, row) != before) {
                    throw duplicate(table, batch, key, row, "twice in this statement");
                }
            }
        }
        return whileUnchanged(table, run, seen -> {
            requireAbsent(table, keys, null, seen, run);
            return join(table.schema(), rows, run);
        });
    }

    static long update(Statement.Update update, StatementRun run) {
        CatalogObject.Table table = table(update.table(), run);
        return whileUnchanged(table, run, seen -> {
            List<ColumnBatch> rows = run.collect(update.rows(), seen);
            try {
                requireFits(BatchRows.count(rows));
                rows.forEach(batch -> requireNotNull(table, batch));
                return update.changesKey() ? moved(table, rows, seen, run) : join(table.schema(), rows, run);
            } finally {
                BatchRows.close(rows);
            }
        });
    }

    /** Old keys go first, then the new rows come; a new key may be one that goes, but no other that is there. */
    private static ColumnBatch moved(
            CatalogObject.Table table, List<ColumnBatch> rows, Map<ObjectName, Position> seen, StatementRun run) {
        int[] key = BatchRows.array(table.primaryKey());
        int[] oldKey = new int[key.length];
        for (int i = 0; i < key.length; i++) {
            oldKey[i] = table.schema().size() + i;
        }
        RowIndex newKeys = new RowIndex(key);
        RowIndex oldKeys = new RowIndex(oldKey);
        for (ColumnBatch batch : rows) {
            for (int row = 0; row < batch.rows(); row++) {
                oldKeys.add(batch, row);
                int before = newKeys.size();
                if (newKeys.add(batch, row) != before) {
                    throw duplicate(table, batch, key, row, "for two rows of this statement");
                }
            }
        }
        requireAbsent(table, newKeys, oldKeys, seen, run);
        int count = BatchRows.count(rows);
        requireFits(2L * count);
        try (BatchBuilder out =
                new BatchBuilder(table.schema(), 2 * count, true, run.context().memory())) {
            int next = 0;
            for (ColumnBatch batch : rows) {
                out.keepAlive(batch);
                for (int row = 0; row < batch.rows(); row++, next++) {
                    for (int column = 0; column < table.schema().size(); column++) {
                        BatchRows.copyValue(batch, column, row, out, column, next);
                        BatchRows.copyValue(batch, column, row, out, column, count + next);
                    }
                    for (int i = 0; i < key.length; i++) {
                        BatchRows.copyValue(batch, oldKey[i], row, out, key[i], next);
                    }
                    Mem.putLong(out.weights() + 8L * next, -1);
                    Mem.putLong(out.weights() + 8L * (count + next), 1);
                }
            }
            return out.finish(2 * count);
        }
    }

    static long delete(Statement.Delete delete, StatementRun run) {
        CatalogObject.Table table = table(delete.table(), run);
        return whileUnchanged(table, run, seen -> {
            List<ColumnBatch> rows = run.collect(delete.rows(), seen);
            try {
                int count = BatchRows.count(rows);
                requireFits(count);
                try (BatchBuilder out = new BatchBuilder(
                        table.schema(), count, true, run.context().memory())) {
                    copyAll(rows, table.schema(), out);
                    for (int row = 0; row < count; row++) {
                        Mem.putLong(out.weights() + 8L * row, -1);
                    }
                    return out.finish(count);
                }
            } finally {
                BatchRows.close(rows);
            }
        });
    }

    /**
     * Bulk ingest: rows whose columns are matched by name.
     *
     * @param rows owned
     */
    static long ingest(CatalogObject named, ColumnBatch rows, Schema given, StatementRun run) {
        ColumnBatch arranged;
        CatalogObject target;
        try (rows) {
            target = target(named.name(), run);
            arranged = IngestColumns.arrange(target, rows, given, run.context().memory());
        }
        List<ColumnBatch> owned = new java.util.ArrayList<>();
        owned.add(arranged);
        return append(target, owned, false, run);
    }

    /** What a statement appends, given what it must see. */
    private interface Evaluation {
        ColumnBatch at(Map<ObjectName, Position> seen);
    }

    /** Evaluates and appends until nothing came in between. Returns the number of rows that the statement counts. */
    private static long whileUnchanged(CatalogObject.Table table, StatementRun run, Evaluation evaluation) {
        return run.context().locks().inTurn(table.name(), run.guard(), () -> {
            for (int tries = 0; tries < MAX_TRIES; tries++) {
                run.guard().check();
                Position version = run.context().engine().position(table.name());
                Map<ObjectName, Position> seen = new HashMap<>(run.writes().in(run.image()));
                seen.merge(table.name(), version, Position::max);
                ColumnBatch rows = evaluation.at(seen);
                long count = rows.weights() == 0 ? rows.rows() : countOf(rows);
                if (rows.rows() == 0) {
                    rows.close();
                    return 0L;
                }
                Position written = run.context().engine().appendIf(table.name(), rows, version);
                if (written != null) {
                    run.writes().record(table, written);
                    return count;
                }
            }
            throw new StreamException(
                    ErrorCode.LOCK_NOT_AVAILABLE,
                    "table \"" + table.name() + "\" changes faster than the statement can be evaluated",
                    -1,
                    "A job writes to the table all the time. Try again, or have the job make this change.",
                    null);
        });
    }

    /** A moved row is a deletion and an insertion, but one row to the user. */
    private static long countOf(ColumnBatch rows) {
        long inserted = 0;
        for (int row = 0; row < rows.rows(); row++) {
            if (rows.weight(row) > 0) {
                inserted++;
            }
        }
        return inserted > 0 ? inserted : rows.rows();
    }

    /** No key of {@code wanted}, unless it is also in {@code leaving}, may be in the table. */
    private static void requireAbsent(
            CatalogObject.Table table,
            RowIndex wanted,
            @Nullable RowIndex leaving,
            Map<ObjectName, Position> seen,
            StatementRun run) {
        Schema keySchema = table.schema().project(table.primaryKey());
        PlanNode.Scan scan = new PlanNode.Scan(
                0,
                PlanNode.ScanKind.TABLE,
                table.name(),
                table.primaryKey(),
                keySchema,
                new Traits(new Distribution.Any(), false, List.of(), List.of()));
        int[] columns = BatchRows.allColumns(keySchema.size());
        List<ColumnBatch> present = run.collect(scan, seen);
        try {
            for (ColumnBatch batch : present) {
                for (int row = 0; row < batch.rows(); row++) {
                    if (wanted.find(batch, columns, row) != RowIndex.ABSENT
                            && (leaving == null || leaving.find(batch, columns, row) == RowIndex.ABSENT)) {
                        throw duplicate(table, batch, columns, row, "in the table already");
                    }
                }
            }
        } finally {
            BatchRows.close(present);
        }
    }

    private static StreamException duplicate(
            CatalogObject.Table table, ColumnBatch batch, int[] columns, int row, String where) {
        List<String> names = table.primaryKey().stream()
                .map(column -> table.schema().column(column).name())
                .toList();
        return new StreamException(
                ErrorCode.UNIQUE_VIOLATION,
                "duplicate key value violates the primary key of table \"" + table.name() + "\": key ("
                        + String.join(", ", names) + ") = " + BatchRows.describe(batch, columns, row) + " is " + where,
                -1,
                "UPDATE changes rows that exist, UPSERT INTO replaces them or adds them.",
                null);
    }

    private static CatalogObject.Table table(ObjectName name, StatementRun run) {
        if (run.image().objects().get(name) instanceof CatalogObject.Table table) {
            return table;
        }
        throw new AssertionError("not a table: " + name);
    }

    private static void requireFits(long rows) {
        if (rows > ColumnBatch.MAX_ROWS) {
            throw new StreamException(
                    ErrorCode.STATEMENT_TOO_COMPLEX,
                    "the statement writes " + rows + " rows at once; it may write " + ColumnBatch.MAX_ROWS,
                    -1,
                    "Split it, for example by ranges of the key; INSERT INTO ... SELECT as a job has no such limit.",
                    null);
        }
    }

    private static void requireNotNull(CatalogObject target, ColumnBatch rows) {
        for (int column = 0; column < target.schema().size(); column++) {
            if (!target.schema().type(column).nullable() && rows.validity(column) != 0) {
                for (int row = 0; row < rows.rows(); row++) {
                    if (rows.isNull(column, row)) {
                        throw new StreamException(
                                ErrorCode.NOT_NULL_VIOLATION,
                                "null value in column \""
                                        + target.schema().column(column).name() + "\" of "
                                        + target.kindName() + " \"" + target.name()
                                        + "\" violates its not-null constraint");
                    }
                }
            }
        }
    }

    /** One batch of the target's types with all rows; borrows. */
    private static ColumnBatch join(Schema schema, List<ColumnBatch> batches, StatementRun run) {
        int count = BatchRows.count(batches);
        try (BatchBuilder out =
                new BatchBuilder(schema, count, false, run.context().memory())) {
            copyAll(batches, schema, out);
            return out.finish(count);
        }
    }

    private static void copyAll(List<ColumnBatch> batches, Schema schema, BatchBuilder out) {
        int next = 0;
        for (ColumnBatch batch : batches) {
            out.keepAlive(batch);
            for (int row = 0; row < batch.rows(); row++, next++) {
                for (int column = 0; column < schema.size(); column++) {
                    BatchRows.copyValue(batch, column, row, out, column, next);
                }
            }
        }
    }
}

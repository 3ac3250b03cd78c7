package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.Schema;
import io.tailwater.server.engine.Engine;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One execution of one statement: what it is planned against, and how it reads. Owned by the thread that executes it. */
record StatementRun(SqlContext context, CatalogImage image, ZoneId zone, SessionWrites writes, StatementGuard guard) {
    private static final long POLL_NANOS = 1_000_000_000;

    /** A bounded query whose rows the caller pulls. The schema may name columns otherwise than the plan does. */
    ResultStream bounded(PlanNode root, Map<ObjectName, Engine.Position> mustSee) {
        ResultStream raw = context.engine()
                .query(root, false, zone, image, context.systemTables().rows(image), mustSee, guard.cancel());
        return new ExpandedResult(raw, root.schema(), context.memory());
    }

    /** All rows of a bounded query. The caller owns the batches. */
    List<ColumnBatch> collect(PlanNode root, Map<ObjectName, Engine.Position> mustSee) {
        if (root instanceof PlanNode.Values values) {
            return constants(values);
        }
        List<ColumnBatch> out = new ArrayList<>();
        try (ResultStream result = bounded(root, mustSee)) {
            while (true) {
                ResultStream.Next next = result.next(POLL_NANOS);
                if (next instanceof ResultStream.Next.Rows rows) {
                    out.add(rows.batch());
                } else if (next instanceof ResultStream.Next.End) {
                    return out;
                }
                guard.check();
            }
        } catch (RuntimeException | AssertionError e) {
            BatchRows.close(out);
            throw e;
        }
    }

    /** Constant rows need no engine. */
    private List<ColumnBatch> constants(PlanNode.Values values) {
        List<List<Object>> rows = new ArrayList<>();
        values.rows().forEach(row -> {
            List<Object> out = new ArrayList<>();
            row.forEach(literal -> out.add(Literals.value(literal)));
            rows.add(out);
        });
        return BatchRows.of(values.schema(), rows, context.memory());
    }

    /** Rows that are there already, as a result. */
    ResultStream listed(Schema schema, List<List<@org.jspecify.annotations.Nullable Object>> rows) {
        return new BatchesResult(BatchRows.of(schema, rows, context.memory()));
    }
}

package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.AsOf;
import io.tailwater.planner.Statement;
import io.tailwater.server.engine.Engine;
import io.tailwater.server.engine.Recovery;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** One execution of one statement: what it is planned against, and how it reads. Owned by the thread that executes it. */
record StatementRun(SqlContext context, CatalogImage image, ZoneId zone, SessionWrites writes, StatementGuard guard) {
    private static final long POLL_NANOS = 1_000_000_000;

    /** A bounded query whose rows the caller pulls. The schema may name columns otherwise than the plan does. */
    ResultStream bounded(PlanNode root, Map<ObjectName, Engine.Position> mustSee) {
        ResultStream raw = context.engine()
                .query(root, false, zone, image, context.systemTables().rows(image), mustSee, guard.cancel());
        return new ExpandedResult(raw, root.schema(), context.memory());
    }

    /** As {@link #bounded(PlanNode, Map)}, for a query that may read what was. */
    ResultStream bounded(Statement.Select select, Map<ObjectName, Engine.Position> mustSee) {
        if (select.past().isEmpty()) {
            return bounded(select.root(), mustSee);
        }
        SortedMap<Integer, Recovery.Past> past = new TreeMap<>();
        select.past().forEach((reader, asOf) -> past.put(reader, past(asOf)));
        ResultStream raw = context.engine()
                .past(select.root(), past, zone, image, context.systemTables().rows(image), mustSee, guard.cancel());
        return new ExpandedResult(raw, select.root().schema(), context.memory());
    }

    private Recovery.Past past(AsOf asOf) {
        if (asOf instanceof AsOf.Point point) {
            return new Recovery.Past.Point(point.name());
        }
        if (asOf instanceof AsOf.Time time) {
            List<ColumnBatch> rows = collect(time.time(), Map.of());
            Object micros;
            try {
                micros = Values.get(rows.get(0), 0, 0);
            } finally {
                BatchRows.close(rows);
            }
            if (micros == null) {
                throw new StreamException(
                        ErrorCode.INVALID_PARAMETER_VALUE, "the time of FOR SYSTEM_TIME AS OF must not be NULL");
            }
            return new Recovery.Past.Time((Long) micros);
        }
        throw new AssertionError(asOf);
    }

    /** All rows of a bounded query. The caller owns the batches. */
    List<ColumnBatch> collect(PlanNode root, Map<ObjectName, Engine.Position> mustSee) {
        if (root instanceof PlanNode.Values values) {
            return constants(values);
        }
        return drain(bounded(root, mustSee));
    }

    /** All rows of a result, which is closed. The caller owns the batches. */
    List<ColumnBatch> drain(ResultStream rows) {
        List<ColumnBatch> out = new ArrayList<>();
        try (ResultStream result = rows) {
            while (true) {
                ResultStream.Next next = result.next(POLL_NANOS);
                if (next instanceof ResultStream.Next.Rows some) {
                    out.add(some.batch());
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

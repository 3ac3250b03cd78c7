package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.SqlPlanner;
import io.tailwater.planner.Statement;
import io.tailwater.server.catalog.CatalogDecision;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;

/** Plans each statement against the newest image and hands it to those who execute its kind. Thread-safe. */
final class Session implements SqlSession {
    private static final Schema PLAN = Schema.of(new Column("plan", DataType.VARCHAR.notNull()));

    private final SqlContext context;
    private final ScheduledExecutorService timers;
    private final SessionSettings settings;
    private final SessionWrites writes = new SessionWrites();
    private final Set<ResultStream> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Session(SqlContext context, ScheduledExecutorService timers, SessionSettings settings) {
        this.context = context;
        this.timers = timers;
        this.settings = settings;
    }

    @Override
    public Prepared prepare(String sql) {
        StatementGuard guard = new StatementGuard(Duration.ZERO, new CancelSignal(), timers);
        return guard.run(() -> {
            requireOpen();
            io.tailwater.planner.Prepared prepared =
                    SqlPlanner.prepare(sql, context.catalog().image(), plannerSession(), context.connectors());
            Statement statement = prepared.statement();
            if (statement != null && Listings.answers(statement)) {
                return new Prepared(Listings.schema(statement), true, false, prepared.parameters());
            }
            return new Prepared(prepared.result(), prepared.query(), prepared.unbounded(), prepared.parameters());
        });
    }

    @Override
    public Outcome execute(String sql, List<@Nullable Object> parameters, Duration timeout, CancelSignal cancel) {
        StatementGuard guard = new StatementGuard(shorter(timeout, settings.statementTimeout()), cancel, timers);
        boolean rows = false;
        try {
            Outcome outcome = guard.run(() -> {
                requireOpen();
                return run(sql, parameters, guard);
            });
            rows = outcome instanceof Outcome.Rows;
            return outcome;
        } finally {
            if (!rows) {
                guard.disarm();
            }
        }
    }

    private static Duration shorter(Duration a, Duration b) {
        if (a.isZero() || b.isZero()) {
            return a.isZero() ? b : a;
        }
        return a.compareTo(b) < 0 ? a : b;
    }

    private Outcome run(String sql, List<@Nullable Object> parameters, StatementGuard guard) {
        CatalogImage image = context.catalog().image();
        Statement statement = plan(sql, parameters, image);
        guard.check();
        if (Definitions.changesCatalog(statement)) {
            return context.catalog().exclusively(() -> {
                CatalogImage now = context.catalog().image();
                Statement current = now.version() == image.version() ? statement : plan(sql, parameters, now);
                return Definitions.execute(current, start(now, guard));
            });
        }
        StatementRun run = start(image, guard);
        if (statement instanceof Statement.Select select) {
            return select(select, run);
        }
        if (statement instanceof Statement.InsertValues insert) {
            return new Outcome.Done(Writes.insert(insert, run), null, List.of());
        }
        if (statement instanceof Statement.Update update) {
            return new Outcome.Done(Writes.update(update, run), null, List.of());
        }
        if (statement instanceof Statement.Delete delete) {
            return new Outcome.Done(Writes.delete(delete, run), null, List.of());
        }
        if (statement instanceof Statement.Explain explain) {
            return explain(explain, run);
        }
        if (Listings.answers(statement)) {
            return listed(Listings.schema(statement), Listings.rows(statement, run, settings), run);
        }
        if (RecoveryStatements.executes(statement)) {
            return RecoveryStatements.execute(statement, run);
        }
        if (statement instanceof Statement.SetOption set) {
            settings.set(set.key(), set.value());
            return done();
        }
        if (statement instanceof Statement.ResetOption reset) {
            settings.reset(reset.key());
            return done();
        }
        if (statement instanceof Statement.WaitFor wait) {
            Waiting.run(wait, run);
            return done();
        }
        throw new AssertionError(statement);
    }

    private Statement plan(String sql, List<@Nullable Object> parameters, CatalogImage image) {
        return SqlPlanner.plan(sql, parameters, image, plannerSession(), context.connectors());
    }

    private io.tailwater.planner.Session plannerSession() {
        return new io.tailwater.planner.Session(settings.schema(), settings.zone());
    }

    private StatementRun start(CatalogImage image, StatementGuard guard) {
        return new StatementRun(context, image, settings.zone(), writes, guard);
    }

    private static Outcome done() {
        return new Outcome.Done(0, null, List.of());
    }

    private Outcome select(Statement.Select select, StatementRun run) {
        if (!select.changes()) {
            return rows(select.result(), false, run.bounded(select, writes.in(run.image())), run);
        }
        if (select.latest()) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "a push query cannot skip the current answer yet",
                    -1,
                    "Leave OPTIONS('start' = 'latest') out.",
                    null);
        }
        ResultStream raw = context.engine()
                .query(
                        select.root(),
                        true,
                        run.zone(),
                        run.image(),
                        context.systemTables().rows(run.image()),
                        writes.in(run.image()),
                        run.guard().cancel());
        Schema schema = select.root().schema();
        ResultStream stream = select.appendOnly()
                ? new ExpandedResult(raw, schema, context.memory())
                : new ChangelogResult(
                        raw, new ChangelogRows(schema, select.root().traits().uniqueKeys(), context.memory()));
        return rows(select.result(), true, stream, run);
    }

    private Outcome explain(Statement.Explain explain, StatementRun run) {
        List<String> lines = new ArrayList<>(explain.lines());
        if (explain.analyze()) {
            if (!(explain.explained() instanceof Statement.Select select) || select.changes()) {
                throw new StreamException(
                        ErrorCode.WRONG_OBJECT_TYPE,
                        "EXPLAIN ANALYZE runs a bounded query, and this is none",
                        -1,
                        "Use EXPLAIN, or DESCRIBE JOB for a job that runs.",
                        null);
            }
            long start = Clock.SYSTEM.nanoTime();
            List<ColumnBatch> result = run.drain(run.bounded(select, writes.in(run.image())));
            int count = BatchRows.count(result);
            BatchRows.close(result);
            long micros = (Clock.SYSTEM.nanoTime() - start) / 1_000;
            lines.add("Execution: " + count + " rows in " + micros / 1_000 + "."
                    + String.format(java.util.Locale.ROOT, "%03d", micros % 1_000) + " ms");
        }
        List<List<@Nullable Object>> rows = new ArrayList<>();
        lines.forEach(line -> rows.add(List.of(line)));
        return listed(PLAN, rows, run);
    }

    private Outcome listed(Schema schema, List<List<@Nullable Object>> rows, StatementRun run) {
        return rows(schema, false, run.listed(schema, rows), run);
    }

    private Outcome rows(Schema schema, boolean unbounded, ResultStream stream, StatementRun run) {
        OpenResult result = new OpenResult();
        ResultStream guarded = new GuardedResult(stream, run.guard(), result);
        result.stream = guarded;
        open.add(guarded);
        if (closed) {
            guarded.close();
            requireOpen();
        }
        return new Outcome.Rows(schema, unbounded, guarded);
    }

    /** Forgets a result that was closed. */
    private final class OpenResult implements Runnable {
        private volatile @Nullable ResultStream stream;

        @Override
        public void run() {
            ResultStream gone = stream;
            if (gone != null) {
                open.remove(gone);
            }
        }
    }

    @Override
    public long ingest(String table, ColumnBatch rows, Schema schema) {
        StatementGuard guard = new StatementGuard(Duration.ZERO, new CancelSignal(), timers);
        return guard.run(() -> {
            StatementRun run = start(context.catalog().image(), guard);
            CatalogObject target;
            try {
                requireOpen();
                target = ingestTarget(table, run.image());
            } catch (RuntimeException e) {
                rows.close();
                throw e;
            }
            return Writes.ingest(target, rows, schema, run);
        });
    }

    /** @param table a plain name, or {@code schema.name} */
    private CatalogObject ingestTarget(String table, CatalogImage image) {
        ObjectName plain = new ObjectName(settings.schema(), table);
        int dot = table.indexOf('.');
        CatalogObject found = image.find(plain).orElse(null);
        if (found == null && dot > 0) {
            found = image.find(new ObjectName(table.substring(0, dot), table.substring(dot + 1)))
                    .orElse(null);
        }
        if (found == null) {
            throw CatalogDecision.unknown(image, "relation", plain);
        }
        if (!(found instanceof CatalogObject.Stream) && !(found instanceof CatalogObject.Table)) {
            throw new StreamException(
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "cannot write to \"" + found.name() + "\": it is a " + found.kindName(),
                    -1,
                    "Write to a stream or a table.",
                    null);
        }
        return found;
    }

    @Override
    public String schema() {
        return settings.schema();
    }

    /** Zone that shows TIMESTAMP WITH LOCAL TIME ZONE. */
    ZoneId zone() {
        return settings.zone();
    }

    @Override
    public void set(String key, String value) {
        settings.set(key, value);
    }

    private void requireOpen() {
        if (closed) {
            throw new StreamException(ErrorCode.CONNECTION_FAILURE, "the session is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        open.forEach(ResultStream::close);
    }
}

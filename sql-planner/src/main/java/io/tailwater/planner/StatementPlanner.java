package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.catalog.SideStreams;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.Statement.DropKind;
import io.tailwater.planner.Statement.ShowKind;
import io.tailwater.planner.physical.Emission;
import io.tailwater.planner.syntax.StatementNode;
import io.tailwater.planner.syntax.Syntax;
import io.tailwater.planner.validate.Errors;
import io.tailwater.planner.validate.Frontend;
import io.tailwater.planner.validate.Positions;
import io.tailwater.planner.validate.UnknownStatements;
import org.apache.calcite.sql.SqlDelete;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlInsert;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlUpdate;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** Plans one statement, once. */
final class StatementPlanner {
    private static final String APPLICATION = "default";

    private final String sql;
    private final Objects objects;
    private final Queries queries;
    private final Supplier<Queries> constants;
    private final Definitions definitions;
    private final Writes writes;

    StatementPlanner(
            String sql,
            @Nullable List<@Nullable Object> parameters,
            CatalogImage catalog,
            Session session,
            Connectors connectors) {
        this.sql = SqlPlanner.single(sql);
        this.objects = new Objects(catalog, session, this.sql);
        this.queries = new Queries(new Frontend(catalog, session), catalog, connectors, parameters, this.sql);
        this.constants = () -> new Queries(new Frontend(catalog, session), catalog, connectors, List.of(), this.sql);
        this.definitions = new Definitions(objects, queries);
        this.writes = new Writes(objects, queries, definitions, connectors);
    }

    List<DataType> parameterTypes() {
        return queries.parameterTypes();
    }

    Statement plan() {
        try {
            return statement(Frontend.parse(sql));
        } catch (RuntimeException e) {
            throw Errors.translate(e, sql, objects);
        } catch (StackOverflowError e) {
            throw Errors.tooComplex(e);
        }
    }

    private Statement statement(SqlNode node) {
        if (node instanceof StatementNode statement) {
            return own(statement.syntax());
        }
        if (node instanceof SqlInsert insert) {
            return writes.insert(insert, Syntax.Emit.NONE, null, false);
        }
        if (node instanceof SqlUpdate update) {
            return writes.update(update);
        }
        if (node instanceof SqlDelete delete) {
            return writes.delete(delete);
        }
        StreamException unknown = UnknownStatements.explain(sql);
        throw unknown != null
                ? unknown
                : new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        node.getKind().name().replace('_', ' ') + " is not supported yet",
                        Positions.offset(sql, node.getParserPosition()),
                        null,
                        null);
    }

    private Statement own(Syntax syntax) {
        if (syntax instanceof Syntax.Query query) {
            return select(query);
        }
        if (syntax instanceof Syntax.CreateStream create) {
            return definitions.createStream(create);
        }
        if (syntax instanceof Syntax.CreateTable create) {
            return definitions.createTable(create);
        }
        if (syntax instanceof Syntax.CreateView create) {
            return definitions.createView(create);
        }
        if (syntax instanceof Syntax.CreateJob create) {
            if (create.orReplace()) {
                throw objects.error(
                        create.name(),
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "CREATE OR REPLACE JOB is not supported yet",
                        "DROP JOB first");
            }
            return writes.insert((SqlInsert) create.insert(), create.emit(), create.name(), create.ifNotExists());
        }
        if (syntax instanceof Syntax.Insert insert) {
            return writes.insert((SqlInsert) insert.insert(), insert.emit(), null, false);
        }
        if (syntax instanceof Syntax.Explain explain) {
            return explain(explain);
        }
        if (syntax instanceof Syntax.ExplainUpgrade explain) {
            return explainUpgrade((StatementNode) explain.statement());
        }
        if (syntax instanceof Syntax.Drop drop) {
            return drop(drop);
        }
        return command(syntax);
    }

    private Statement command(Syntax syntax) {
        if (syntax instanceof Syntax.Show show) {
            return show(show);
        }
        if (syntax instanceof Syntax.ShowCreate show) {
            return showCreate(show);
        }
        if (syntax instanceof Syntax.Describe describe) {
            return new Statement.Describe(objects.get(describe.name()).name());
        }
        if (syntax instanceof Syntax.DescribeJob describe) {
            return new Statement.DescribeJob(jobOrView(describe.name()));
        }
        if (syntax instanceof Syntax.DescribeRecoveryPoint describe) {
            return new Statement.DescribeRecoveryPoint(plain(describe.name()));
        }
        if (syntax instanceof Syntax.CreateRecoveryPoint create) {
            return createRecoveryPoint(create);
        }
        if (syntax instanceof Syntax.DropRecoveryPoint drop) {
            return new Statement.DropRecoveryPoint(plain(drop.name()), drop.ifExists());
        }
        if (syntax instanceof Syntax.RollbackJob rollback) {
            return new Statement.Rollback(jobOrView(rollback.job()), plain(rollback.point()));
        }
        if (syntax instanceof Syntax.RollbackApplication rollback) {
            requireApplication(rollback.application());
            return new Statement.Rollback(null, plain(rollback.point()));
        }
        return sessionCommand(syntax);
    }

    private Statement sessionCommand(Syntax syntax) {
        if (syntax instanceof Syntax.PauseJob pause) {
            String job = objects.job(pause.name());
            return pause.pause() ? new Statement.PauseJob(job) : new Statement.ResumeJob(job);
        }
        if (syntax instanceof Syntax.WaitFor wait) {
            return waitFor(wait);
        }
        if (syntax instanceof Syntax.SetOption set) {
            String key = String.join(".", set.key().names).toLowerCase(Locale.ROOT);
            return set.value() == null
                    ? new Statement.ResetOption(key)
                    : new Statement.SetOption(key, Definitions.value(set.value()));
        }
        if (syntax instanceof Syntax.ResetOption reset) {
            return new Statement.ResetOption(
                    reset.key() == null
                            ? null
                            : String.join(".", reset.key().names).toLowerCase(Locale.ROOT));
        }
        throw new AssertionError(syntax);
    }

    private static String plain(SqlIdentifier name) {
        return name.names.get(0);
    }

    private Statement createRecoveryPoint(Syntax.CreateRecoveryPoint create) {
        if (create.orReplace()) {
            throw objects.error(
                    create.name(),
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "a recovery point cannot be replaced",
                    "DROP RECOVERY POINT first, or use another name");
        }
        SqlIdentifier application = create.application();
        if (application != null) {
            requireApplication(application);
        }
        return new Statement.CreateRecoveryPoint(plain(create.name()), create.ifNotExists());
    }

    private void requireApplication(SqlIdentifier name) {
        if (!plain(name).equals(APPLICATION)) {
            throw objects.error(
                    name,
                    ErrorCode.UNDEFINED_OBJECT,
                    "application \"" + plain(name) + "\" does not exist",
                    "the only one is " + APPLICATION);
        }
    }

    private Statement select(Syntax.Query syntax) {
        boolean changes = syntax.emit() != Syntax.Emit.NONE;
        Hints hints = new Hints(sql);
        SqlNode query = hints.strip(syntax.query());
        PastTables past = new PastTables(sql, objects, queries, constants);
        if (!changes) {
            query = past.resolve(query);
        }
        Queries.Planned planned = queries.plan(query, emission(syntax.emit()));
        if (changes) {
            queries.requireContinuous(planned);
        } else {
            queries.requireBounded(planned);
            if (hints.latest()) {
                throw new StreamException(
                        ErrorCode.SYNTAX_ERROR,
                        "start = 'latest' needs EMIT CHANGES: a SELECT that ends before anything new arrives has no rows");
            }
        }
        PlanNode root = queries.typed(planned.root());
        boolean appendOnly = root.traits().appendOnly();
        List<Column> columns = new ArrayList<>(root.schema().columns());
        if (changes && !appendOnly) {
            columns.add(0, new Column("op", DataType.VARCHAR.notNull()));
        }
        return new Statement.Select(
                root,
                changes,
                appendOnly,
                hints.latest(),
                new Schema(columns),
                queries.dependsOn(planned),
                past.times(planned.past()));
    }

    private static Emission emission(Syntax.Emit emit) {
        return switch (emit) {
            case NONE -> Emission.BOUNDED;
            case CHANGES -> Emission.CHANGES;
            case ON_WINDOW_CLOSE -> Emission.WINDOW_CLOSE;
        };
    }

    private Statement explain(Syntax.Explain syntax) {
        Statement explained = statement(syntax.statement());
        if (syntax.analyze() && !(explained instanceof Statement.Select select && !select.changes())) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "EXPLAIN ANALYZE runs a SELECT that ends",
                    -1,
                    "DESCRIBE JOB shows what the operators of a running job have done",
                    null);
        }
        return new Statement.Explain(Explanations.lines(explained, objects.catalog()), syntax.analyze(), explained);
    }

    private Statement explainUpgrade(StatementNode node) {
        if (!(node.syntax() instanceof Syntax.CreateView create && create.materialized() && create.orReplace())
                && !(node.syntax() instanceof Syntax.CreateJob)) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "EXPLAIN UPGRADE is for a view that takes the place of another",
                    Positions.offset(
                            sql,
                            node.syntax() instanceof Syntax.Query query
                                    ? query.query().getParserPosition()
                                    : node.getParserPosition()),
                    "EXPLAIN UPGRADE CREATE OR REPLACE MATERIALIZED VIEW name AS SELECT ...",
                    null);
        }
        if (!(own(node.syntax()) instanceof Statement.CreateMaterializedView create)) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "a job cannot be replaced yet",
                    Positions.offset(sql, node.getParserPosition()),
                    "DROP JOB, and CREATE JOB anew",
                    null);
        }
        SqlIdentifier name = ((Syntax.CreateView) node.syntax()).name();
        if (!(objects.get(name) instanceof CatalogObject.MaterializedView was)) {
            throw objects.error(
                    name,
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "\"" + objects.get(name).name() + "\" is not a materialized view",
                    null);
        }
        return Upgrades.of(was, create.view());
    }

    private Statement drop(Syntax.Drop syntax) {
        if (syntax.kind() == Syntax.ObjectKind.JOB) {
            return new Statement.DropJob(
                    syntax.ifExists() ? objects.findJob(syntax.name()).orElse(null) : objects.job(syntax.name()));
        }
        DropKind kind = switch (syntax.kind()) {
            case STREAM -> DropKind.STREAM;
            case TABLE -> DropKind.TABLE;
            case VIEW -> DropKind.VIEW;
            case MATERIALIZED_VIEW -> DropKind.MATERIALIZED_VIEW;
            case JOB -> throw new AssertionError(syntax.kind());
        };
        if (syntax.ifExists() && objects.find(syntax.name()).isEmpty()) {
            return new Statement.Drop(kind, null, List.of());
        }
        CatalogObject object = objects.get(syntax.name());
        String wanted = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        if (!object.kindName().equals(wanted)) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "\"" + object.name() + "\" is not a " + wanted,
                    object instanceof CatalogObject.SystemTable
                            ? null
                            : "use DROP " + object.kindName().toUpperCase(Locale.ROOT));
        }
        if (SideStreams.base(object.name()).isPresent()) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "stream \"" + object.name() + "\" cannot be dropped by itself",
                    "it goes with stream \"" + SideStreams.base(object.name()).get() + "\"");
        }
        List<Statement.Dependant> dependants = objects.dependants(object.name());
        if (!dependants.isEmpty() && !syntax.cascade()) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                    "cannot drop " + wanted + " \"" + object.name() + "\" because others depend on it: "
                            + String.join(", ", objects.catalog().dependants(object.name())),
                    "DROP " + wanted.toUpperCase(Locale.ROOT) + " ... CASCADE drops them too");
        }
        return new Statement.Drop(kind, object.name(), dependants);
    }

    private Statement show(Syntax.Show syntax) {
        ShowKind kind = ShowKind.valueOf(syntax.what());
        String like = syntax.like() == null ? null : ((SqlLiteral) syntax.like()).toValue();
        SqlIdentifier name = syntax.name();
        if (kind == ShowKind.COLUMNS && name != null) {
            return new Statement.Show(kind, objects.get(name).name(), null, like);
        }
        return new Statement.Show(
                kind, null, name == null ? null : String.join(".", name.names).toLowerCase(Locale.ROOT), like);
    }

    private Statement showCreate(Syntax.ShowCreate syntax) {
        if (syntax.kind() == Syntax.ObjectKind.JOB) {
            return new Statement.Show(ShowKind.CREATE_JOB, null, objects.job(syntax.name()), null);
        }
        CatalogObject object = objects.get(syntax.name());
        String wanted = syntax.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        if (!object.kindName().equals(wanted)) {
            throw objects.error(
                    syntax.name(), ErrorCode.WRONG_OBJECT_TYPE, "\"" + object.name() + "\" is not a " + wanted, null);
        }
        if (SideStreams.isSideStream(object.name())) {
            throw objects.error(
                    syntax.name(),
                    ErrorCode.WRONG_OBJECT_TYPE,
                    "nobody creates stream \"" + object.name() + "\"",
                    "DESCRIBE shows its columns");
        }
        return new Statement.Show(ShowKind.CREATE, object.name(), null, null);
    }

    /** A materialized view's job bears its name. */
    private String jobOrView(SqlIdentifier id) {
        return objects.find(id)
                .filter(o -> o instanceof CatalogObject.MaterializedView)
                .map(o -> o.name().name())
                .orElseGet(() -> objects.job(id));
    }

    private Statement waitFor(Syntax.WaitFor syntax) {
        Duration timeout = syntax.timeout() == null ? null : timeout(syntax.timeout());
        SqlIdentifier id = syntax.name();
        if (id.isSimple()) {
            String job = objects.findJob(id).orElse(null);
            if (job != null && objects.find(id).isEmpty()) {
                return new Statement.WaitFor(ObjectName.inPublic(job), timeout);
            }
        }
        return new Statement.WaitFor(objects.get(id).name(), timeout);
    }

    private Duration timeout(SqlNode node) {
        if (node instanceof SqlIntervalLiteral) {
            return Duration.ofNanos(Math.multiplyExact(definitions.micros(node, "TIMEOUT"), 1_000L));
        }
        if (node instanceof SqlNumericLiteral number) {
            BigDecimal seconds = number.getValueAs(BigDecimal.class);
            if (seconds != null && seconds.signum() >= 0) {
                return Duration.ofNanos(seconds.movePointRight(9).longValue());
            }
        }
        throw new StreamException(
                ErrorCode.INVALID_PARAMETER_VALUE,
                "TIMEOUT takes an interval or a number of seconds",
                Positions.offset(sql, node.getParserPosition()),
                "WAIT FOR name TIMEOUT INTERVAL '30' SECOND",
                null);
    }
}

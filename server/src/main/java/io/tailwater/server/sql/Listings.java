package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.plan.AggregateFunction;
import io.tailwater.api.plan.Function;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.planner.Statement;
import io.tailwater.server.catalog.NearestName;
import io.tailwater.server.engine.Engine;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Rows of SHOW and DESCRIBE. */
final class Listings {
    private static final DataType TEXT = DataType.VARCHAR.notNull();
    private static final DataType MAYBE_TEXT = DataType.VARCHAR;
    private static final DataType LONG = DataType.BIGINT.notNull();

    /** Functions that stand for syntax or that users do not call by that name. */
    private static final Set<Function> SYNTAX = EnumSet.of(
            Function.NEGATE,
            Function.IS_NULL,
            Function.IS_NOT_NULL,
            Function.IS_TRUE,
            Function.IS_NOT_TRUE,
            Function.IS_FALSE,
            Function.IS_NOT_FALSE,
            Function.NOT,
            Function.CASE,
            Function.TRIM_BOTH,
            Function.TRIM_LEADING,
            Function.TRIM_TRAILING,
            Function.FLOOR_TO,
            Function.CEIL_TO,
            Function.TIMESTAMP_DIFF,
            Function.TUMBLE_START,
            Function.TICK_TIME);

    private Listings() {}

    /** Whether this class answers {@code statement}. */
    static boolean answers(Statement statement) {
        return statement instanceof Statement.Show
                || statement instanceof Statement.Describe
                || statement instanceof Statement.DescribeJob
                || statement instanceof Statement.DescribeRecoveryPoint
                || statement instanceof Statement.ExplainUpgrade;
    }

    /** Columns of the answer. */
    static Schema schema(Statement statement) {
        if (statement instanceof Statement.Describe) {
            return columnsSchema();
        }
        if (statement instanceof Statement.DescribeJob || statement instanceof Statement.DescribeRecoveryPoint) {
            return Schema.of(new Column("property", TEXT), new Column("value", MAYBE_TEXT));
        }
        if (statement instanceof Statement.ExplainUpgrade) {
            return Upgrades.SCHEMA;
        }
        if (statement instanceof Statement.Show show) {
            return showSchema(show);
        }
        throw new AssertionError(statement);
    }

    private static Schema showSchema(Statement.Show show) {
        return switch (show.kind()) {
            case STREAMS ->
                schemaOf(
                        new Column("schema_name", TEXT),
                        new Column("stream_name", TEXT),
                        new Column("connector", MAYBE_TEXT),
                        new Column("partitions", DataType.INTEGER.notNull()));
            case TABLES ->
                schemaOf(
                        new Column("schema_name", TEXT),
                        new Column("table_name", TEXT),
                        new Column("primary_key", TEXT));
            case VIEWS -> schemaOf(new Column("schema_name", TEXT), new Column("view_name", TEXT));
            case MATERIALIZED_VIEWS ->
                schemaOf(
                        new Column("schema_name", TEXT),
                        new Column("view_name", TEXT),
                        new Column("state", MAYBE_TEXT));
            case JOBS ->
                schemaOf(
                        new Column("job_name", TEXT),
                        new Column("kind", TEXT),
                        new Column("state", TEXT),
                        new Column("rows_in", LONG),
                        new Column("rows_out", LONG),
                        new Column("skipped", LONG),
                        new Column("watermark", DataType.TIMESTAMP),
                        new Column("error", MAYBE_TEXT));
            case SCHEMAS -> schemaOf(new Column("schema_name", TEXT));
            case FUNCTIONS -> schemaOf(new Column("function_name", TEXT), new Column("kind", TEXT));
            case CONNECTORS ->
                schemaOf(
                        new Column("connector_name", TEXT),
                        new Column("source", DataType.BOOLEAN.notNull()),
                        new Column("sink", DataType.BOOLEAN.notNull()),
                        new Column("options", TEXT));
            case SNAPSHOTS -> RecoveryStatements.SNAPSHOTS;
            case RECOVERY_POINTS -> RecoveryStatements.POINTS;
            case COLUMNS -> columnsSchema();
            case CREATE, CREATE_JOB -> schemaOf(new Column("create_statement", TEXT));
            case ALL ->
                schemaOf(
                        new Column("name", TEXT),
                        new Column("value", TEXT),
                        new Column("default_value", TEXT),
                        new Column("scope", TEXT),
                        new Column("description", TEXT));
            case SETTING -> schemaOf(new Column(required(show.name()), TEXT));
        };
    }

    private static Schema schemaOf(Column... columns) {
        return Schema.of(columns);
    }

    private static Schema columnsSchema() {
        return schemaOf(
                new Column("column_name", TEXT),
                new Column("data_type", TEXT),
                new Column("nullable", TEXT),
                new Column("key", MAYBE_TEXT),
                new Column("watermark", MAYBE_TEXT));
    }

    static List<List<@Nullable Object>> rows(Statement statement, StatementRun run, SessionSettings settings) {
        if (statement instanceof Statement.Describe describe) {
            return columns(object(run.image(), describe.name()), null);
        }
        if (statement instanceof Statement.DescribeJob describe) {
            return job(describe.job(), run);
        }
        if (statement instanceof Statement.DescribeRecoveryPoint describe) {
            return RecoveryStatements.describe(describe.name(), run);
        }
        if (statement instanceof Statement.ExplainUpgrade upgrade) {
            return Upgrades.rows(upgrade, run.context().engine());
        }
        if (statement instanceof Statement.Show show) {
            return show(show, run, settings);
        }
        throw new AssertionError(statement);
    }

    private static List<List<@Nullable Object>> show(Statement.Show show, StatementRun run, SessionSettings settings) {
        String like = show.like();
        return switch (show.kind()) {
            case STREAMS, TABLES, VIEWS, MATERIALIZED_VIEWS -> objects(show.kind(), like, run);
            case JOBS -> jobs(like, run.context().engine());
            case SCHEMAS -> names(SystemTables.schemas(), like);
            case FUNCTIONS -> functions(like);
            case CONNECTORS -> connectors(like, run);
            case SNAPSHOTS -> RecoveryStatements.snapshots(run.context().engine(), like);
            case RECOVERY_POINTS -> RecoveryStatements.points(run.context().engine(), like);
            case COLUMNS -> columns(object(run.image(), required(show.object())), like);
            case CREATE ->
                List.of(row(SqlText.create(
                        run.context().connectors().shown(object(run.image(), required(show.object()))))));
            case CREATE_JOB -> List.of(row(createJob(run.image(), required(show.name()))));
            case ALL -> allSettings(like, run, settings);
            case SETTING -> List.of(row(setting(required(show.name()), run, settings)));
        };
    }

    private static List<List<@Nullable Object>> objects(
            Statement.ShowKind kind, @Nullable String like, StatementRun run) {
        TreeMap<String, String> states = new TreeMap<>();
        run.context()
                .engine()
                .jobs()
                .forEach(job -> states.put(job.name(), job.state().name()));
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : run.image().objects().values()) {
            String schema = object.name().schema();
            String name = object.name().name();
            if (!NamePattern.matches(like, name)) {
                continue;
            }
            if (kind == Statement.ShowKind.STREAMS && object instanceof CatalogObject.Stream stream) {
                out.add(row(schema, name, stream.connector(), (long) stream.partitions()));
            } else if (kind == Statement.ShowKind.TABLES && object instanceof CatalogObject.Table table) {
                out.add(row(schema, name, keyNames(table.schema(), table.primaryKey())));
            } else if (kind == Statement.ShowKind.VIEWS && object instanceof CatalogObject.View) {
                out.add(row(schema, name));
            } else if (kind == Statement.ShowKind.MATERIALIZED_VIEWS
                    && object instanceof CatalogObject.MaterializedView) {
                out.add(row(schema, name, states.get(name)));
            }
        }
        return out;
    }

    private static String keyNames(Schema schema, List<Integer> key) {
        return key.stream().map(i -> schema.column(i).name()).collect(Collectors.joining(", "));
    }

    private static List<List<@Nullable Object>> jobs(@Nullable String like, Engine engine) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : engine.jobs()) {
            if (NamePattern.matches(like, job.name())) {
                out.add(row(
                        job.name(),
                        job.kind(),
                        job.state().name(),
                        job.rowsIn(),
                        job.rowsOut(),
                        job.skipped(),
                        SystemTables.watermark(job),
                        job.error()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> names(List<String> names, @Nullable String like) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        names.stream().filter(name -> NamePattern.matches(like, name)).forEach(name -> out.add(row(name)));
        return out;
    }

    private static List<List<@Nullable Object>> functions(@Nullable String like) {
        TreeMap<String, String> kinds = new TreeMap<>();
        for (AggregateFunction function : AggregateFunction.values()) {
            kinds.put(function.name(), "aggregate");
        }
        for (Function function : Function.values()) {
            if (function.infix() == null && !SYNTAX.contains(function)) {
                kinds.put(function.name(), "scalar");
            }
        }
        for (String window : List.of("TUMBLE", "HOP")) {
            kinds.put(window, "table");
        }
        List<List<@Nullable Object>> out = new ArrayList<>();
        kinds.forEach((name, kind) -> {
            if (NamePattern.matches(like, name)) {
                out.add(row(name.toLowerCase(java.util.Locale.ROOT), kind));
            }
        });
        return out;
    }

    private static List<List<@Nullable Object>> connectors(@Nullable String like, StatementRun run) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Connector connector : run.context().connectors().all()) {
            if (NamePattern.matches(like, connector.name())) {
                String options = connector.options().stream()
                        .map(ConnectorOption::key)
                        .sorted()
                        .collect(Collectors.joining(", "));
                out.add(row(connector.name(), connector.readable(), connector.writable(), options));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> columns(CatalogObject object, @Nullable String like) {
        List<Integer> key = object instanceof CatalogObject.Table table
                ? table.primaryKey()
                : object instanceof CatalogObject.MaterializedView view ? view.key() : List.of();
        String keyName = object instanceof CatalogObject.Table ? "PRIMARY KEY" : "UNIQUE";
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (int i = 0; i < object.schema().size(); i++) {
            Column column = object.schema().column(i);
            if (NamePattern.matches(like, column.name())) {
                out.add(row(
                        column.name(),
                        column.type().sql(),
                        column.type().nullable() ? "YES" : "NO",
                        key.contains(i) ? keyName : null,
                        watermark(object, i)));
            }
        }
        return out;
    }

    private static @Nullable String watermark(CatalogObject object, int column) {
        if (object instanceof CatalogObject.Stream stream) {
            CatalogObject.Watermark watermark = stream.watermark();
            if (watermark != null && watermark.column() == column) {
                String name = SqlText.identifier(stream.schema().column(column).name());
                return watermark.delayMicros() == 0 ? name : name + " - " + SqlText.interval(watermark.delayMicros());
            }
        }
        return null;
    }

    private static List<List<@Nullable Object>> job(String name, StatementRun run) {
        for (Engine.JobStatus job : run.context().engine().jobs()) {
            if (job.name().equals(name)) {
                return JobDescription.rows(job, run.image(), run.context().connectors());
            }
        }
        throw noJob(run.image(), name);
    }

    private static String createJob(CatalogImage image, String name) {
        JobDefinition job = image.jobs().get(name);
        if (job != null) {
            return SqlText.create(job);
        }
        if (image.objects().get(ObjectName.inPublic(name)) instanceof CatalogObject.MaterializedView view) {
            return SqlText.create(view);
        }
        throw noJob(image, name);
    }

    private static StreamException noJob(CatalogImage image, String name) {
        return new StreamException(
                ErrorCode.UNDEFINED_OBJECT,
                "job \"" + name + "\" does not exist",
                -1,
                NearestName.hint(name, image.jobs().keySet(), "SHOW JOBS lists the jobs there are."),
                null);
    }

    private static List<List<@Nullable Object>> allSettings(
            @Nullable String like, StatementRun run, SessionSettings settings) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        List<SystemTables.Setting> all = new ArrayList<>(settings.all());
        all.addAll(run.context().systemTables().settings());
        for (SystemTables.Setting setting : all) {
            if (NamePattern.matches(like, setting.name())) {
                out.add(row(
                        setting.name(),
                        setting.value(),
                        setting.defaultValue(),
                        setting.scope(),
                        setting.description()));
            }
        }
        return out;
    }

    private static String setting(String name, StatementRun run, SessionSettings settings) {
        TreeSet<String> names = new TreeSet<>(SessionSettings.names());
        for (SystemTables.Setting setting : run.context().systemTables().settings()) {
            if (setting.name().equals(name)) {
                return setting.value();
            }
            names.add(setting.name());
        }
        try {
            return settings.show(name);
        } catch (StreamException e) {
            throw new StreamException(
                    e.code(),
                    "unrecognized setting \"" + name + "\"",
                    -1,
                    NearestName.hint(name, names, "SHOW ALL lists the settings there are."),
                    e);
        }
    }

    private static CatalogObject object(CatalogImage image, ObjectName name) {
        CatalogObject object = image.objects().get(name);
        if (object == null) {
            throw new AssertionError("not in the image: " + name);
        }
        return object;
    }

    private static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new AssertionError("a SHOW without what it shows");
        }
        return value;
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}

package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.common.type.TypeKind;
import io.tailwater.server.engine.Engine;
import org.jspecify.annotations.Nullable;

import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The tables of {@code information_schema} and {@code sys}: their columns, which clients rely on, and their rows, made up when asked from one catalog
 * image and the engine's state of that moment. Thread-safe.
 */
public final class SystemTables {
    /** The one catalog. */
    public static final String CATALOG = "tailwater";

    public static final String INFORMATION_SCHEMA = "information_schema";
    public static final String SYS = "sys";

    private static final DataType TEXT = DataType.VARCHAR.notNull();
    private static final DataType MAYBE_TEXT = DataType.VARCHAR;
    private static final DataType LONG = DataType.BIGINT.notNull();
    private static final DataType INT = DataType.INTEGER.notNull();
    private static final DataType MAYBE_INT = DataType.INTEGER;
    private static final DataType BOOL = DataType.BOOLEAN.notNull();

    private static final Map<ObjectName, Definition> DEFINITIONS = build();

    private final Engine engine;
    private final Supplier<List<Setting>> settings;
    private final Supplier<List<Node>> nodes;

    public SystemTables(Engine engine, Supplier<List<Setting>> settings, Supplier<List<Node>> nodes) {
        this.engine = engine;
        this.settings = settings;
        this.nodes = nodes;
    }

    /** A row of {@code sys.settings}. {@code scope} is session or server. */
    public record Setting(String name, String value, String defaultValue, String scope, String description) {}

    /** A row of {@code sys.nodes}. */
    public record Node(
            String nodeId,
            String role,
            boolean primary,
            @Nullable String zone,
            String address,
            long pid,
            String state) {}

    /** What a table is made from. */
    private record Source(CatalogImage image, Engine engine, List<Setting> settings, List<Node> nodes) {}

    private record Definition(Schema schema, Function<Source, List<List<@Nullable Object>>> rows) {}

    /** A server's settings as rows. */
    public static List<Setting> settingsOf(io.tailwater.common.settings.Settings settings) {
        Map<String, String> values = settings.all();
        List<Setting> out = new ArrayList<>();
        for (io.tailwater.common.settings.Setting<?> setting : io.tailwater.common.settings.ServerSettings.ALL) {
            out.add(new Setting(
                    setting.key(),
                    values.getOrDefault(setting.key(), setting.defaultText()),
                    setting.defaultText(),
                    "server",
                    setting.doc()));
        }
        return out;
    }

    /** Tables for the catalog image. */
    public static Collection<CatalogObject.SystemTable> definitions() {
        List<CatalogObject.SystemTable> out = new ArrayList<>();
        DEFINITIONS.forEach((name, definition) -> out.add(new CatalogObject.SystemTable(name, definition.schema())));
        return out;
    }

    /** Settings of the server as they are now. */
    List<Setting> settings() {
        return settings.get();
    }

    /** Rows as one image has them. */
    Engine.SystemRows rows(CatalogImage image) {
        return (table, memory) -> batches(table, image, memory);
    }

    private List<ColumnBatch> batches(ObjectName table, CatalogImage image, MemoryAccount memory) {
        Definition definition = DEFINITIONS.get(table);
        if (definition == null) {
            throw new AssertionError("no such system table: " + table);
        }
        return BatchRows.of(definition.schema(), list(table, image), memory);
    }

    /** Rows of one table on the heap. */
    List<List<@Nullable Object>> list(ObjectName table, CatalogImage image) {
        Definition definition = DEFINITIONS.get(table);
        if (definition == null) {
            throw new AssertionError("no such system table: " + table);
        }
        return definition.rows().apply(new Source(image, engine, settings.get(), nodes.get()));
    }

    private static Map<ObjectName, Definition> build() {
        Map<ObjectName, Definition> out = new LinkedHashMap<>();
        information(out);
        system(out);
        return Collections.unmodifiableMap(out);
    }

    private static void information(Map<ObjectName, Definition> out) {
        define(
                out,
                INFORMATION_SCHEMA,
                "schemata",
                SystemTables::schemata,
                column("catalog_name", TEXT),
                column("schema_name", TEXT));
        define(
                out,
                INFORMATION_SCHEMA,
                "tables",
                SystemTables::tableRows,
                column("table_catalog", TEXT),
                column("table_schema", TEXT),
                column("table_name", TEXT),
                column("table_type", TEXT),
                column("kind", TEXT));
        define(
                out,
                INFORMATION_SCHEMA,
                "columns",
                SystemTables::columnRows,
                column("table_catalog", TEXT),
                column("table_schema", TEXT),
                column("table_name", TEXT),
                column("column_name", TEXT),
                column("ordinal_position", INT),
                column("is_nullable", TEXT),
                column("data_type", TEXT),
                column("character_maximum_length", MAYBE_INT),
                column("numeric_precision", MAYBE_INT),
                column("numeric_scale", MAYBE_INT),
                column("datetime_precision", MAYBE_INT),
                column("jdbc_type", INT),
                column("type_name", TEXT));
        define(
                out,
                INFORMATION_SCHEMA,
                "views",
                SystemTables::views,
                column("table_catalog", TEXT),
                column("table_schema", TEXT),
                column("table_name", TEXT),
                column("view_definition", TEXT),
                column("is_materialized", TEXT));
        define(
                out,
                INFORMATION_SCHEMA,
                "key_column_usage",
                SystemTables::keys,
                column("constraint_name", TEXT),
                column("table_schema", TEXT),
                column("table_name", TEXT),
                column("column_name", TEXT),
                column("ordinal_position", INT));
    }

    private static void system(Map<ObjectName, Definition> out) {
        define(
                out,
                SYS,
                "jobs",
                SystemTables::jobs,
                column("job_name", TEXT),
                column("application", TEXT),
                column("kind", TEXT),
                column("state", TEXT),
                column("target", MAYBE_TEXT),
                column("rows_in", LONG),
                column("rows_out", LONG),
                column("skipped", LONG),
                column("tick", LONG),
                column("watermark", DataType.TIMESTAMP),
                column("error", MAYBE_TEXT),
                column("statement", MAYBE_TEXT));
        define(
                out,
                SYS,
                "streams",
                SystemTables::streams,
                column("stream_schema", TEXT),
                column("stream_name", TEXT),
                column("kind", TEXT),
                column("connector", MAYBE_TEXT),
                column("partitions", INT),
                column("frames", DataType.BIGINT),
                column("row_count", DataType.BIGINT),
                column("bytes", DataType.BIGINT));
        define(
                out,
                SYS,
                "operators",
                SystemTables::operators,
                column("job_name", TEXT),
                column("node", INT),
                column("operator", TEXT),
                column("rows_in", LONG),
                column("rows_out", LONG),
                column("state_rows", LONG),
                column("state_bytes", LONG));
        define(
                out,
                SYS,
                "watermarks",
                SystemTables::watermarks,
                column("job_name", TEXT),
                column("tick", LONG),
                column("watermark", DataType.TIMESTAMP));
        define(out, SYS, "errors", SystemTables::errors, column("job_name", TEXT), column("error", TEXT));
        define(
                out,
                SYS,
                "settings",
                SystemTables::settingRows,
                column("name", TEXT),
                column("value", TEXT),
                column("default_value", TEXT),
                column("scope", TEXT),
                column("description", TEXT));
        define(
                out,
                SYS,
                "nodes",
                SystemTables::nodeRows,
                column("node_id", TEXT),
                column("role", TEXT),
                column("is_primary", BOOL),
                column("zone", MAYBE_TEXT),
                column("address", TEXT),
                column("pid", LONG),
                column("state", TEXT));
    }

    private static Column column(String name, DataType type) {
        return new Column(name, type);
    }

    private static void define(
            Map<ObjectName, Definition> out,
            String schema,
            String name,
            Function<Source, List<List<@Nullable Object>>> rows,
            Column... columns) {
        out.put(new ObjectName(schema, name), new Definition(Schema.of(columns), rows));
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }

    private static List<List<@Nullable Object>> schemata(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (String schema : schemas()) {
            out.add(row(CATALOG, schema));
        }
        return out;
    }

    /** All schemas there are, in the order of names. */
    static List<String> schemas() {
        return List.of(INFORMATION_SCHEMA, ObjectName.PUBLIC, SYS);
    }

    private static List<List<@Nullable Object>> tableRows(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            boolean view = object instanceof CatalogObject.View || object instanceof CatalogObject.MaterializedView;
            out.add(row(
                    CATALOG,
                    object.name().schema(),
                    object.name().name(),
                    view ? "VIEW" : "TABLE",
                    object.kindName().toUpperCase(java.util.Locale.ROOT)));
        }
        return out;
    }

    private static List<List<@Nullable Object>> columnRows(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            for (int i = 0; i < object.schema().size(); i++) {
                Column column = object.schema().column(i);
                DataType type = column.type();
                out.add(row(
                        CATALOG,
                        object.name().schema(),
                        object.name().name(),
                        column.name(),
                        i + 1L,
                        type.nullable() ? "YES" : "NO",
                        type.sql(),
                        length(type),
                        numericPrecision(type.kind(), type),
                        numericScale(type),
                        datetimePrecision(type),
                        (long) jdbcType(type.kind()),
                        typeName(type.kind())));
            }
        }
        return out;
    }

    private static @Nullable Long length(DataType type) {
        return type.kind().isView() && type.precision() != DataType.UNBOUNDED ? (long) type.precision() : null;
    }

    private static @Nullable Long numericPrecision(TypeKind kind, DataType type) {
        return switch (kind) {
            case TINYINT -> 3L;
            case SMALLINT -> 5L;
            case INTEGER -> 10L;
            case BIGINT -> 19L;
            case REAL -> 7L;
            case DOUBLE -> 15L;
            case DECIMAL -> (long) type.precision();
            case BOOLEAN,
                    VARCHAR,
                    VARBINARY,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMP_LTZ,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH,
                    NULL -> null;
        };
    }

    private static @Nullable Long numericScale(DataType type) {
        if (type.kind() == TypeKind.DECIMAL) {
            return (long) type.scale();
        }
        return type.kind().isInteger() ? 0L : null;
    }

    private static @Nullable Long datetimePrecision(DataType type) {
        return switch (type.kind()) {
            case DATE -> 0L;
            case TIME, TIMESTAMP, TIMESTAMP_LTZ -> (long) type.precision();
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DECIMAL,
                    VARCHAR,
                    VARBINARY,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH,
                    NULL -> null;
        };
    }

    private static int jdbcType(TypeKind kind) {
        return switch (kind) {
            case BOOLEAN -> Types.BOOLEAN;
            case TINYINT -> Types.TINYINT;
            case SMALLINT -> Types.SMALLINT;
            case INTEGER -> Types.INTEGER;
            case BIGINT -> Types.BIGINT;
            case DECIMAL -> Types.DECIMAL;
            case REAL -> Types.REAL;
            case DOUBLE -> Types.DOUBLE;
            case VARCHAR -> Types.VARCHAR;
            case VARBINARY -> Types.VARBINARY;
            case DATE -> Types.DATE;
            case TIME -> Types.TIME;
            case TIMESTAMP -> Types.TIMESTAMP;
            case TIMESTAMP_LTZ -> Types.TIMESTAMP_WITH_TIMEZONE;
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH -> Types.OTHER;
            case NULL -> Types.NULL;
        };
    }

    private static String typeName(TypeKind kind) {
        return switch (kind) {
            case TIMESTAMP_LTZ -> "TIMESTAMP WITH LOCAL TIME ZONE";
            case INTERVAL_DAY_TIME -> "INTERVAL DAY TO SECOND";
            case INTERVAL_YEAR_MONTH -> "INTERVAL YEAR TO MONTH";
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DECIMAL,
                    REAL,
                    DOUBLE,
                    VARCHAR,
                    VARBINARY,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    NULL -> kind.name();
        };
    }

    private static List<List<@Nullable Object>> views(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            if (object instanceof CatalogObject.View view) {
                out.add(row(CATALOG, view.name().schema(), view.name().name(), view.query(), "NO"));
            } else if (object instanceof CatalogObject.MaterializedView view) {
                out.add(row(CATALOG, view.name().schema(), view.name().name(), view.query(), "YES"));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> keys(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            if (object instanceof CatalogObject.Table table) {
                for (int i = 0; i < table.primaryKey().size(); i++) {
                    out.add(row(
                            table.name().name() + "_pkey",
                            table.name().schema(),
                            table.name().name(),
                            table.schema().column(table.primaryKey().get(i)).name(),
                            i + 1L));
                }
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> jobs(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            JobDefinition definition = source.image().jobs().get(job.name());
            CatalogObject view = source.image().objects().get(ObjectName.inPublic(job.name()));
            String target = definition != null
                    ? definition.target().toString()
                    : view != null ? view.name().toString() : null;
            String statement = definition != null
                    ? definition.sql()
                    : view instanceof CatalogObject.MaterializedView materialized ? materialized.query() : null;
            out.add(row(
                    job.name(),
                    definition == null ? "default" : definition.application(),
                    job.kind(),
                    job.state().name(),
                    target,
                    job.rowsIn(),
                    job.rowsOut(),
                    job.skipped(),
                    job.tick(),
                    watermark(job),
                    job.error(),
                    statement));
        }
        return out;
    }

    /** A watermark at either end of time is no time to show: nothing has come yet, or all has. */
    static @Nullable Long watermark(Engine.JobStatus job) {
        Long micros = job.watermarkMicros();
        return micros == null || micros == Long.MIN_VALUE || micros == Long.MAX_VALUE ? null : micros;
    }

    private static List<List<@Nullable Object>> streams(Source source) {
        Map<ObjectName, Engine.StreamStatus> status = new java.util.TreeMap<>();
        source.engine().streams().forEach(stream -> status.put(stream.name(), stream));
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            if (object instanceof CatalogObject.Stream stream) {
                Engine.StreamStatus stored = status.get(stream.name());
                out.add(row(
                        stream.name().schema(),
                        stream.name().name(),
                        stream.connector() == null ? "stored" : "connector",
                        stream.connector(),
                        (long) stream.partitions(),
                        stored == null ? null : stored.frames(),
                        stored == null ? null : stored.rows(),
                        stored == null ? null : stored.bytes()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> operators(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            for (Engine.OperatorStatus operator : job.operators()) {
                out.add(row(
                        job.name(),
                        (long) operator.node(),
                        operator.operator(),
                        operator.rowsIn(),
                        operator.rowsOut(),
                        operator.stateRows(),
                        operator.stateBytes()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> watermarks(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            if (job.watermarkMicros() != null) {
                out.add(row(job.name(), job.tick(), watermark(job)));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> errors(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Engine.JobStatus job : source.engine().jobs()) {
            if (job.error() != null) {
                out.add(row(job.name(), job.error()));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> settingRows(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Setting setting : source.settings()) {
            out.add(row(
                    setting.name(), setting.value(), setting.defaultValue(), setting.scope(), setting.description()));
        }
        return out;
    }

    private static List<List<@Nullable Object>> nodeRows(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (Node node : source.nodes()) {
            out.add(row(
                    node.nodeId(), node.role(), node.primary(), node.zone(), node.address(), node.pid(), node.state()));
        }
        return out;
    }
}

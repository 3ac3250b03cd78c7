package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import io.tailwater.server.sql.SystemTables.Definition;
import io.tailwater.server.sql.SystemTables.Source;
import org.jspecify.annotations.Nullable;

import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tables of {@code information_schema}: what the SQL standard and JDBC tools ask a catalog. */
final class InformationSchema {
    private static final DataType TEXT = DataType.VARCHAR.notNull();
    private static final DataType INT = DataType.INTEGER.notNull();
    private static final DataType MAYBE_INT = DataType.INTEGER;

    private InformationSchema() {}

    static void define(Map<ObjectName, Definition> out) {
        SystemTables.define(
                out,
                SystemTables.INFORMATION_SCHEMA,
                "schemata",
                InformationSchema::schemata,
                SystemTables.column("catalog_name", TEXT),
                SystemTables.column("schema_name", TEXT));
        SystemTables.define(
                out,
                SystemTables.INFORMATION_SCHEMA,
                "tables",
                InformationSchema::tableRows,
                SystemTables.column("table_catalog", TEXT),
                SystemTables.column("table_schema", TEXT),
                SystemTables.column("table_name", TEXT),
                SystemTables.column("table_type", TEXT),
                SystemTables.column("kind", TEXT));
        SystemTables.define(
                out,
                SystemTables.INFORMATION_SCHEMA,
                "columns",
                InformationSchema::columnRows,
                SystemTables.column("table_catalog", TEXT),
                SystemTables.column("table_schema", TEXT),
                SystemTables.column("table_name", TEXT),
                SystemTables.column("column_name", TEXT),
                SystemTables.column("ordinal_position", INT),
                SystemTables.column("is_nullable", TEXT),
                SystemTables.column("data_type", TEXT),
                SystemTables.column("character_maximum_length", MAYBE_INT),
                SystemTables.column("numeric_precision", MAYBE_INT),
                SystemTables.column("numeric_scale", MAYBE_INT),
                SystemTables.column("datetime_precision", MAYBE_INT),
                SystemTables.column("jdbc_type", INT),
                SystemTables.column("type_name", TEXT));
        SystemTables.define(
                out,
                SystemTables.INFORMATION_SCHEMA,
                "views",
                InformationSchema::views,
                SystemTables.column("table_catalog", TEXT),
                SystemTables.column("table_schema", TEXT),
                SystemTables.column("table_name", TEXT),
                SystemTables.column("view_definition", TEXT),
                SystemTables.column("is_materialized", TEXT));
        SystemTables.define(
                out,
                SystemTables.INFORMATION_SCHEMA,
                "key_column_usage",
                InformationSchema::keys,
                SystemTables.column("constraint_name", TEXT),
                SystemTables.column("table_schema", TEXT),
                SystemTables.column("table_name", TEXT),
                SystemTables.column("column_name", TEXT),
                SystemTables.column("ordinal_position", INT));
    }

    private static List<List<@Nullable Object>> schemata(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (String schema : SystemTables.schemas()) {
            out.add(SystemTables.row(SystemTables.CATALOG, schema));
        }
        return out;
    }

    private static List<List<@Nullable Object>> tableRows(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            boolean view = object instanceof CatalogObject.View || object instanceof CatalogObject.MaterializedView;
            out.add(SystemTables.row(
                    SystemTables.CATALOG,
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
                out.add(SystemTables.row(
                        SystemTables.CATALOG,
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
                out.add(SystemTables.row(
                        SystemTables.CATALOG, view.name().schema(), view.name().name(), view.query(), "NO"));
            } else if (object instanceof CatalogObject.MaterializedView view) {
                out.add(SystemTables.row(
                        SystemTables.CATALOG, view.name().schema(), view.name().name(), view.query(), "YES"));
            }
        }
        return out;
    }

    private static List<List<@Nullable Object>> keys(Source source) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        for (CatalogObject object : source.image().objects().values()) {
            if (object instanceof CatalogObject.Table table) {
                for (int i = 0; i < table.primaryKey().size(); i++) {
                    out.add(SystemTables.row(
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
}

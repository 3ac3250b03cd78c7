package io.tailwater.server.flight;

import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import org.jspecify.annotations.Nullable;

import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An information_schema with two tables and a view, that understands {@code SELECT columns FROM table [WHERE column = 'x' [AND ...]]}. */
final class FakeCatalog {
    private static final Pattern QUERY =
            Pattern.compile("SELECT (.+) FROM information_schema\\.(\\w+)(?: WHERE (.+))?");
    private static final List<Map<String, Object>> SCHEMATA =
            List.of(schema("information_schema"), schema("public"), schema("other"));
    private static final List<Map<String, Object>> TABLES = List.of(
            table("probe_t", "TABLE", "TABLE"),
            table("probexu", "TABLE", "STREAM"),
            table("delays", "VIEW", "MATERIALIZED VIEW"));
    private static final List<Map<String, @Nullable Object>> COLUMNS = List.of(
            column(2, "c_name", DataType.varchar(20), Types.VARCHAR),
            column(1, "id", DataType.INTEGER.notNull(), Types.INTEGER),
            column(3, "c_dec", DataType.decimal(12, 2), Types.DECIMAL),
            column(4, "c_ts", DataType.timestamp(3), Types.TIMESTAMP),
            column(5, "c_date", DataType.DATE, Types.DATE),
            column(6, "c_dbl", DataType.DOUBLE, Types.DOUBLE),
            column(7, "c_big", DataType.BIGINT, Types.BIGINT),
            column(8, "c_ltz", DataType.TIMESTAMP_LTZ, Types.TIMESTAMP_WITH_TIMEZONE));
    private static final List<Map<String, Object>> KEYS = List.of(Map.of(
            "constraint_name", "probe_t_pkey",
            "table_schema", "public",
            "table_name", "probe_t",
            "column_name", "id",
            "ordinal_position", 1L));

    private FakeCatalog() {}

    private static Map<String, Object> schema(String name) {
        return Map.of("catalog_name", "tailwater", "schema_name", name);
    }

    private static Map<String, Object> table(String name, String type, String kind) {
        return Map.of(
                "table_catalog", "tailwater",
                "table_schema", "public",
                "table_name", name,
                "table_type", type,
                "kind", kind);
    }

    private static Map<String, @Nullable Object> column(int position, String name, DataType type, int jdbcType) {
        Map<String, @Nullable Object> row = new java.util.HashMap<>();
        row.put("table_catalog", "tailwater");
        row.put("table_schema", "public");
        row.put("table_name", "probe_t");
        row.put("column_name", name);
        row.put("ordinal_position", (long) position);
        row.put("is_nullable", type.nullable() ? "YES" : "NO");
        row.put("data_type", type.sql());
        row.put("character_maximum_length", type.kind() == TypeKind.VARCHAR ? (long) type.precision() : null);
        row.put("numeric_precision", type.kind() == TypeKind.DECIMAL ? (long) type.precision() : null);
        row.put("numeric_scale", type.kind() == TypeKind.DECIMAL ? (long) type.scale() : null);
        row.put("datetime_precision", type.kind() == TypeKind.TIMESTAMP ? (long) type.precision() : null);
        row.put("jdbc_type", (long) jdbcType);
        return row;
    }

    static List<Column> columns(String sql) {
        List<Column> columns = new ArrayList<>();
        for (String name : match(sql).group(1).split(", ")) {
            boolean number = name.matches("ordinal_position|jdbc_type|.*_(length|precision|scale)");
            columns.add(new Column(name, number ? DataType.INTEGER : DataType.VARCHAR));
        }
        return columns;
    }

    static List<List<@Nullable Object>> rows(String sql) {
        Matcher query = match(sql);
        List<? extends Map<String, ? extends @Nullable Object>> table = switch (query.group(2)) {
            case "schemata" -> SCHEMATA;
            case "tables" -> TABLES;
            case "columns" -> COLUMNS;
            case "key_column_usage" -> KEYS;
            default -> throw new AssertionError(sql);
        };
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (Map<String, ? extends @Nullable Object> row : table) {
            if (matches(query.group(3), row)) {
                List<@Nullable Object> values = new ArrayList<>();
                columns(sql).forEach(column -> values.add(row.get(column.name())));
                rows.add(values);
            }
        }
        return rows;
    }

    private static boolean matches(@Nullable String where, Map<String, ? extends @Nullable Object> row) {
        if (where != null) {
            for (String term : where.split(" AND ")) {
                String[] sides = term.split(" = ");
                if (!("'" + row.get(sides[0]) + "'").equals(sides[1])) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Matcher match(String sql) {
        Matcher query = QUERY.matcher(sql);
        if (!query.matches()) {
            throw new AssertionError(sql);
        }
        return query;
    }
}

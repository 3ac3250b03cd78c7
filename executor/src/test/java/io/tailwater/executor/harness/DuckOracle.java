package io.tailwater.executor.harness;

import io.tailwater.api.plan.SortKey;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.testing.ZSet;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** DuckDB as the judge: tables hold the contents so far, a query gives the answer. Not thread-safe. */
public final class DuckOracle implements AutoCloseable {
    private final Connection connection;

    public DuckOracle() {
        try {
            connection = DriverManager.getConnection("jdbc:duckdb:");
            execute("SET threads = 1");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Makes a table with these rows, each as often as its weight says. */
    public void table(String name, Schema schema, ZSet content) {
        String columns = schema.columns().stream()
                .map(c -> c.name() + " " + sqlType(c.type()))
                .collect(Collectors.joining(", "));
        List<String> rows = new ArrayList<>();
        for (Map.Entry<List<Object>, Long> entry : content.rows().entrySet()) {
            List<String> values = new ArrayList<>();
            for (int c = 0; c < schema.size(); c++) {
                values.add(literal(schema.type(c), entry.getKey().get(c)));
            }
            for (long i = 0; i < entry.getValue(); i++) {
                rows.add("(" + String.join(", ", values) + ")");
            }
        }
        try {
            execute("CREATE OR REPLACE TABLE " + name + " (" + columns + ")");
            if (!rows.isEmpty()) {
                execute("INSERT INTO " + name + " VALUES " + String.join(", ", rows));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The answer, in the form of {@link ZSet}. */
    public ZSet query(String sql, Schema schema) {
        ZSet out = new ZSet();
        list(sql, schema).forEach(row -> out.addRow(1, row));
        return out;
    }

    /** The answer's rows in order. */
    public List<List<@Nullable Object>> list(String sql, Schema schema) {
        StringBuilder outer = new StringBuilder("SELECT ");
        for (int c = 0; c < schema.size(); c++) {
            outer.append(c == 0 ? "" : ", ").append(read(schema.type(c), "o" + c));
        }
        String names = java.util.stream.IntStream.range(0, schema.size())
                .mapToObj(c -> "o" + c)
                .collect(Collectors.joining(", "));
        outer.append(" FROM (").append(sql).append(") q(").append(names).append(")");
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(outer.toString())) {
            while (result.next()) {
                List<@Nullable Object> row = new ArrayList<>();
                for (int c = 0; c < schema.size(); c++) {
                    row.add(value(schema.type(c), result, c + 1));
                }
                rows.add(row);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(outer.toString(), e);
        }
        return rows;
    }

    private static @Nullable Object value(DataType type, ResultSet result, int column) throws SQLException {
        Object object = result.getObject(column);
        if (object == null) {
            return null;
        }
        return switch (type.kind()) {
            case BOOLEAN -> result.getBoolean(column);
            case DOUBLE -> result.getDouble(column);
            case DECIMAL -> new BigDecimal(result.getString(column)).setScale(type.scale());
            case VARCHAR -> result.getString(column);
            default -> result.getLong(column);
        };
    }

    private static String read(DataType type, String column) {
        return switch (type.kind()) {
            case TIMESTAMP -> "epoch_us(" + column + ")";
            case DATE -> "datediff('day', DATE '1970-01-01', " + column + ")";
            default -> "CAST(" + column + " AS " + sqlType(type) + ")";
        };
    }

    private static String sqlType(DataType type) {
        return type.sql().replace("TIMESTAMP(6)", "TIMESTAMP");
    }

    static String literal(DataType type, @Nullable Object value) {
        if (value == null || value == ZSet.Null.NULL) {
            return "NULL";
        }
        return switch (type.kind()) {
            case VARCHAR -> "'" + value.toString().replace("'", "''") + "'";
            case TIMESTAMP -> "make_timestamp(" + value + ")";
            case DATE -> "(DATE '1970-01-01' + CAST(" + value + " AS INTEGER))";
            case DOUBLE -> "CAST('" + value + "' AS DOUBLE)";
            default -> value.toString();
        };
    }

    /** ORDER BY text for sort keys over columns named c0, c1, ... */
    public static String orderBy(List<SortKey> keys) {
        return keys.stream()
                .map(k -> "c" + k.column() + (k.descending() ? " DESC" : " ASC")
                        + (k.nullsFirst() ? " NULLS FIRST" : " NULLS LAST"))
                .collect(Collectors.joining(", "));
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

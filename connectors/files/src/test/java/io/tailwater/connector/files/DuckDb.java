package io.tailwater.connector.files;

import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** The oracle: what DuckDB says that a query's rows are, in the form of {@link Reading#rows}. */
final class DuckDb {
    private DuckDb() {}

    static void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static List<List<@Nullable Object>> rows(String query, Schema schema) throws SQLException {
        List<List<@Nullable Object>> out = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                List<@Nullable Object> row = new ArrayList<>();
                for (int column = 0; column < schema.size(); column++) {
                    row.add(value(rows, column + 1, schema.type(column)));
                }
                out.add(row);
            }
        }
        return out;
    }

    /** The driver compares in Turkish otherwise, and does not know its own library's name. */
    private static Connection connect() throws SQLException {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.ROOT);
        try {
            Connection connection = DriverManager.getConnection("jdbc:duckdb:");
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET threads = 1");
                statement.execute("SET preserve_insertion_order = true");
            }
            return connection;
        } finally {
            Locale.setDefault(before);
        }
    }

    private static @Nullable Object value(ResultSet rows, int column, DataType type) throws SQLException {
        if (rows.getObject(column) == null) {
            return null;
        }
        return switch (type.kind()) {
            case BOOLEAN -> rows.getBoolean(column);
            case TINYINT, SMALLINT, INTEGER, BIGINT -> rows.getLong(column);
            case DECIMAL -> new BigDecimal(rows.getString(column)).setScale(type.scale());
            case REAL -> rows.getFloat(column);
            case DOUBLE -> rows.getDouble(column);
            case VARCHAR -> rows.getString(column);
            case VARBINARY -> {
                java.sql.Blob blob = rows.getBlob(column);
                yield HexFormat.of().formatHex(blob.getBytes(1, (int) blob.length()));
            }
            case DATE -> rows.getObject(column, LocalDate.class).toEpochDay();
            case TIME -> rows.getObject(column, LocalTime.class).toNanoOfDay() / 1000;
            case TIMESTAMP, TIMESTAMP_LTZ ->
                ChronoUnit.MICROS.between(
                        LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), rows.getObject(column, LocalDateTime.class));
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH, NULL -> throw new AssertionError(type);
        };
    }
}

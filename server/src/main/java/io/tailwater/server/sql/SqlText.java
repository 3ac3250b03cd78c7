package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.planner.SqlPlanner;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Definitions as the statements that make them, and values as literals. What it prints, the planner reads back to the same. */
final class SqlText {
    private static final long MICROS = 1_000_000;

    private SqlText() {}

    /** A name as it must be written to be found and kept as it is. */
    static String identifier(String name) {
        boolean plain = name.matches("[a-z_][a-z0-9_]*") && !SqlPlanner.isReserved(name);
        return plain ? name : "\"" + name.replace("\"", "\"\"") + "\"";
    }

    static String identifier(ObjectName name) {
        String local = identifier(name.name());
        return name.schema().equals(ObjectName.PUBLIC) ? local : identifier(name.schema()) + "." + local;
    }

    static String string(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    /** The CREATE statement. */
    static String create(CatalogObject object) {
        if (object instanceof CatalogObject.Stream stream) {
            return createStream(stream);
        }
        if (object instanceof CatalogObject.Table table) {
            List<String> lines = columns(table.schema().columns());
            lines.add("PRIMARY KEY (" + names(table.schema().columns(), table.primaryKey()) + ")");
            return "CREATE TABLE " + identifier(table.name()) + " (" + body(lines) + ")" + with(table.options());
        }
        if (object instanceof CatalogObject.View view) {
            return "CREATE VIEW " + identifier(view.name()) + " AS\n" + view.query();
        }
        if (object instanceof CatalogObject.MaterializedView view) {
            return "CREATE MATERIALIZED VIEW " + identifier(view.name()) + " AS\n" + view.query();
        }
        if (object instanceof CatalogObject.SystemTable table) {
            return "-- made up by the server\nCREATE TABLE " + identifier(table.name()) + " ("
                    + body(columns(table.schema().columns())) + ")";
        }
        throw new AssertionError(object);
    }

    /** The statement that starts a job under its name. */
    static String create(JobDefinition job) {
        return "CREATE JOB " + identifier(job.name()) + " AS\n" + job.sql();
    }

    private static String createStream(CatalogObject.Stream stream) {
        List<Column> columns = stream.schema().columns();
        List<String> lines = columns(columns);
        CatalogObject.Watermark watermark = stream.watermark();
        if (watermark != null) {
            String column = identifier(columns.get(watermark.column()).name());
            String delay = watermark.delayMicros() == 0 ? "" : " - " + interval(watermark.delayMicros());
            String lateness = watermark.hasLateness() ? " LATENESS " + interval(watermark.latenessMicros()) : "";
            lines.add("WATERMARK FOR " + column + " AS " + column + delay + lateness);
        }
        StringBuilder out = new StringBuilder("CREATE STREAM ").append(identifier(stream.name()));
        if (!lines.isEmpty()) {
            out.append(" (").append(body(lines)).append(")");
        }
        if (!stream.partitionBy().isEmpty()) {
            out.append(" PARTITION BY (")
                    .append(names(columns, stream.partitionBy()))
                    .append(")");
        }
        Map<String, String> options = new java.util.TreeMap<>(stream.options());
        if (stream.connector() == null && stream.partitions() != 1) {
            options.putIfAbsent("partitions", Integer.toString(stream.partitions()));
        }
        return out.append(with(options)).toString();
    }

    private static List<String> columns(List<Column> columns) {
        List<String> out = new ArrayList<>();
        columns.forEach(column -> out.add(identifier(column.name()) + " " + column.type()));
        return out;
    }

    private static String names(List<Column> columns, List<Integer> indices) {
        return indices.stream().map(i -> identifier(columns.get(i).name())).collect(Collectors.joining(", "));
    }

    private static String body(List<String> lines) {
        return "\n  " + String.join(",\n  ", lines) + "\n";
    }

    private static String with(Map<String, String> options) {
        if (options.isEmpty()) {
            return "";
        }
        List<String> lines = new ArrayList<>();
        // What it is comes before what it is made of.
        String connector = options.get("connector");
        if (connector != null) {
            lines.add("connector = " + string(connector));
        }
        options.forEach((key, value) -> {
            if (!key.equals("connector")) {
                lines.add((key.matches("[a-z_][a-z0-9_]*") ? identifier(key) : string(key)) + " = " + string(value));
            }
        });
        return " WITH (" + body(lines) + ")";
    }

    /** A day-time interval literal in the largest unit that divides it. */
    static String interval(long micros) {
        if (micros % MICROS != 0) {
            BigDecimal seconds = BigDecimal.valueOf(micros, 6);
            String digits = seconds.toBigInteger().toString();
            return "INTERVAL '" + seconds.toPlainString() + "' SECOND(" + Math.max(2, digits.length()) + ", 6)";
        }
        long seconds = micros / MICROS;
        if (seconds != 0 && seconds % 86_400 == 0) {
            return interval(seconds / 86_400, "DAY");
        }
        if (seconds != 0 && seconds % 3_600 == 0) {
            return interval(seconds / 3_600, "HOUR");
        }
        if (seconds != 0 && seconds % 60 == 0) {
            return interval(seconds / 60, "MINUTE");
        }
        return interval(seconds, "SECOND");
    }

    private static String interval(long count, String unit) {
        String digits = Long.toString(count);
        return "INTERVAL '" + digits + "' " + unit + (digits.length() > 2 ? "(" + digits.length() + ")" : "");
    }

    /** A value in the form of {@code api.batch.Values} as text. */
    static String value(Object value, DataType type) {
        return switch (type.kind()) {
            case DATE -> LocalDate.ofEpochDay((Long) value).toString();
            case TIME -> LocalTime.ofNanoOfDay((Long) value * 1_000).toString();
            case TIMESTAMP, TIMESTAMP_LTZ -> timestamp((Long) value);
            case DECIMAL -> ((BigDecimal) value).toPlainString();
            case VARBINARY -> HexFormat.of().formatHex((byte[]) value);
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    VARCHAR,
                    INTERVAL_DAY_TIME,
                    INTERVAL_YEAR_MONTH,
                    NULL -> value.toString();
        };
    }

    private static String timestamp(long micros) {
        return LocalDateTime.ofEpochSecond(
                        Math.floorDiv(micros, MICROS), (int) Math.floorMod(micros, MICROS) * 1_000, ZoneOffset.UTC)
                .toString()
                .replace('T', ' ');
    }
}

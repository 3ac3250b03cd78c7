package io.tailwater.cli.format;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * One column of a result. Immutable.
 *
 * @param label as the query names it
 * @param jdbcType one of {@link Types}
 * @param scale fractional digits of a decimal, time or timestamp
 */
public record ResultColumn(String label, int jdbcType, int scale) {
    /** The columns that {@code metadata} describes. */
    public static List<ResultColumn> of(ResultSetMetaData metadata) throws SQLException {
        List<ResultColumn> columns = new ArrayList<>();
        for (int i = 1; i <= metadata.getColumnCount(); i++) {
            columns.add(new ResultColumn(metadata.getColumnLabel(i), metadata.getColumnType(i), metadata.getScale(i)));
        }
        return List.copyOf(columns);
    }

    /** Whether values are numbers, which tables align right and JSON does not quote. */
    public boolean isNumber() {
        return switch (jdbcType) {
            case Types.TINYINT,
                    Types.SMALLINT,
                    Types.INTEGER,
                    Types.BIGINT,
                    Types.DECIMAL,
                    Types.NUMERIC,
                    Types.REAL,
                    Types.FLOAT,
                    Types.DOUBLE -> true;
            default -> false;
        };
    }

    /** Characters that most values need. */
    int usualWidth() {
        return switch (jdbcType) {
            case Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> scale == 0 ? 19 : 20 + scale;
            case Types.DATE, Types.BIGINT, Types.DOUBLE, Types.FLOAT, Types.DECIMAL, Types.NUMERIC -> 10;
            case Types.VARCHAR -> label.equals("op") ? 2 : 12;
            default -> 8;
        };
    }

    /** Whether values are true and false. */
    public boolean isBoolean() {
        return jdbcType == Types.BOOLEAN || jdbcType == Types.BIT;
    }
}

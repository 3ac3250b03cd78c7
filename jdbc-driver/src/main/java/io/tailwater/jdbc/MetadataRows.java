package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.ResultColumn;
import org.jspecify.annotations.Nullable;

import java.sql.ResultSet;
import java.time.ZoneOffset;
import java.util.List;

/** Result sets made in the driver. */
final class MetadataRows {
    private MetadataRows() {}

    static ResultSet of(List<ResultColumn> columns, List<@Nullable Object[]> rows) {
        return new TailwaterResultSet(null, columns, new ListRows(rows), ZoneOffset.UTC, 0, 0);
    }

    static ResultSet empty(List<ResultColumn> columns) {
        return of(columns, List.of());
    }
}

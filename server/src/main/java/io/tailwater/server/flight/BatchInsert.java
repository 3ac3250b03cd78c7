package io.tailwater.server.flight;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A prepared {@code INSERT INTO stream [(columns)] VALUES (?, ...)}, whose rows of parameters can be appended together: with one parse, and one
 * sync of the disk for many. On a stream that means the same as row by row, but that a part is appended whole or not at all. Immutable.
 */
final class BatchInsert {
    private static final String NAME = "(?:\"(?:[^\"]|\"\")+\"|[A-Za-z_]\\w*)";
    private static final Pattern STATEMENT = Pattern.compile(
            "\\s*INSERT\\s+INTO\\s+(?:(" + NAME + ")\\s*\\.\\s*)?(" + NAME + ")\\s*(?:\\(\\s*(" + NAME + "(?:\\s*,\\s*"
                    + NAME + ")*)\\s*\\))?\\s*VALUES\\s*\\(\\s*\\?(?:\\s*,\\s*\\?)*\\s*\\)\\s*;?\\s*",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern ONE_NAME = Pattern.compile(NAME);
    /** Rows appended, and synced, at a time. */
    private static final int MOST_ROWS = 8192;

    private final String target;
    private final Schema columns;

    private BatchInsert(String target, Schema columns) {
        this.target = target;
        this.columns = columns;
    }

    /** Empty if the statement is of another form, or its target no stream. */
    static Optional<BatchInsert> of(ClientSession session, ClientSession.PreparedHandle statement) {
        Matcher match = STATEMENT.matcher(statement.text);
        if (!match.matches()) {
            return Optional.empty();
        }
        String schema = match.group(1) == null ? session.schema() : name(match.group(1));
        String table = name(match.group(2));
        List<List<@Nullable Object>> kinds = CatalogAnswers.select(
                session,
                "SELECT kind FROM information_schema.tables WHERE table_schema = " + literal(schema)
                        + " AND table_name = " + literal(table));
        if (kinds.size() != 1 || !"STREAM".equals(kinds.get(0).get(0))) {
            return Optional.empty();
        }
        List<DataType> types = statement.description.parameters();
        List<String> names = match.group(3) == null ? columnsOf(session, schema, table) : names(match.group(3));
        if (names.size() != types.size()) {
            return Optional.empty();
        }
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            columns.add(new Column(names.get(i), types.get(i).withNullable(true)));
        }
        return Optional.of(new BatchInsert(schema + "." + table, new Schema(columns)));
    }

    private static List<String> columnsOf(ClientSession session, String schema, String table) {
        List<String> names = new ArrayList<>();
        for (List<@Nullable Object> row : CatalogAnswers.select(
                session,
                "SELECT column_name FROM information_schema.columns WHERE table_schema = " + literal(schema)
                        + " AND table_name = " + literal(table) + " ORDER BY ordinal_position")) {
            names.add(String.valueOf(row.get(0)));
        }
        return names;
    }

    private static List<String> names(String list) {
        List<String> names = new ArrayList<>();
        Matcher each = ONE_NAME.matcher(list);
        while (each.find()) {
            names.add(name(each.group()));
        }
        return names;
    }

    /** Without its quotes, or folded to lower case. */
    private static String name(String written) {
        return written.startsWith("\"")
                ? written.substring(1, written.length() - 1).replace("\"\"", "\"")
                : written.toLowerCase(Locale.ROOT);
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /**
     * Appends rows of parameters.
     *
     * @param appended gets a count of 1 for each row when it is durable, separated by commas
     * @throws StreamException if a row cannot be appended; then none of its part is
     */
    void append(
            ClientSession session, List<List<@Nullable Object>> rows, MemoryAccount account, StringBuilder appended) {
        for (int from = 0; from < rows.size(); from += MOST_ROWS) {
            List<List<@Nullable Object>> part = rows.subList(from, Math.min(rows.size(), from + MOST_ROWS));
            long count = session.sql().ingest(target, batch(session, part, account), columns);
            for (long i = 0; i < count; i++) {
                appended.append(appended.length() == 0 ? "1" : ",1");
            }
        }
    }

    private ColumnBatch batch(ClientSession session, List<List<@Nullable Object>> rows, MemoryAccount account) {
        try (BatchBuilder builder = new BatchBuilder(columns, rows.size(), false, account)) {
            for (int row = 0; row < rows.size(); row++) {
                List<@Nullable Object> values = rows.get(row);
                StatementRunner.checkCount(columns.size(), values.size());
                for (int column = 0; column < columns.size(); column++) {
                    Object value = ParameterValues.of(values.get(column), columns.type(column), session.zone());
                    Values.set(builder, column, row, value);
                }
            }
            return builder.finish(rows.size());
        }
    }
}

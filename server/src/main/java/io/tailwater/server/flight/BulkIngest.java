package io.tailwater.server.flight;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementIngest.TableDefinitionOptions.TableExistsOption;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Appends the rows that a client sends in Arrow batches to a stream or table. */
final class BulkIngest {
    /** Rows handed on at a time: a client's batch may be of any size. */
    private static final int SLICE_ROWS = 8192;

    private final ClientSession session;
    private final MemoryAccount account;

    BulkIngest(ClientSession session, MemoryAccount account) {
        this.session = session;
        this.account = account;
    }

    /**
     * Appends batch by batch; each is durable when the next begins.
     *
     * @return rows appended
     */
    long append(CommandStatementIngest command, FlightStream stream) {
        TableExistsOption ifExists = command.getTableDefinitionOptions().getIfExists();
        if (ifExists == TableExistsOption.TABLE_EXISTS_OPTION_REPLACE
                || ifExists == TableExistsOption.TABLE_EXISTS_OPTION_FAIL) {
            throw new StreamException(
                    ErrorCode.FEATURE_NOT_SUPPORTED,
                    "bulk ingest appends to what exists; it creates and replaces nothing",
                    -1,
                    "Create the stream or table first, and ingest in mode append.",
                    null);
        }
        String table = command.hasSchema() && !command.getSchema().isEmpty()
                ? command.getSchema() + "." + command.getTable()
                : command.getTable();
        long rows = 0;
        while (stream.next()) {
            VectorSchemaRoot root = stream.getRoot();
            Schema schema = new Schema(root.getSchema().getFields().stream()
                    .map(field -> new Column(field.getName(), ArrowTypes.sql(field)))
                    .toList());
            for (int from = 0; from < root.getRowCount(); from += SLICE_ROWS) {
                int count = Math.min(SLICE_ROWS, root.getRowCount() - from);
                rows += append(table, root, schema, from, count);
            }
        }
        return rows;
    }

    private long append(String table, VectorSchemaRoot root, Schema schema, int from, int count) {
        try (BatchBuilder builder = new BatchBuilder(schema, count, false, account)) {
            for (int column = 0; column < schema.size(); column++) {
                DataType type = schema.type(column);
                for (int row = 0; row < count; row++) {
                    Object value = ArrowValues.get(root.getVector(column), from + row);
                    Values.set(builder, column, row, ParameterValues.of(value, type, session.zone()));
                }
            }
            return session.sql().ingest(table, builder.finish(count), schema);
        }
    }
}

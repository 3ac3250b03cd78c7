package io.tailwater.connector.jdbc;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.ConnectorOption;
import io.tailwater.api.connector.Delivery;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.api.connector.TargetConnector;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code connector = 'jdbc'}: a table of PostgreSQL that jobs write to, each row once.
 *
 * <p>With a key, rows are put and deleted by it: such a table follows a query that updates, and doing a tick again changes nothing. Without one rows are appended, and
 * the table {@code tailwater_committed} beside it keeps for each job and worker the last tick, written in one transaction with the tick's rows; a tick that is there is
 * not written again. Thread-safe.
 */
public final class JdbcConnector implements TargetConnector {
    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConnectorOption> options() {
        return JdbcOptions.DECLARED;
    }

    @Override
    public String whyNotRead() {
        return "only writes";
    }

    @Override
    public boolean acceptsUpdates(CatalogObject.Stream stream) {
        return JdbcOptions.parse(stream).resolvedMode() == JdbcOptions.Mode.UPSERT;
    }

    @Override
    public List<Integer> upsertKey(CatalogObject.Stream stream) {
        return JdbcOptions.parse(stream).key().stream()
                .map(column -> stream.schema().indexOf(column).orElseThrow())
                .toList();
    }

    @Override
    public Delivery delivery(CatalogObject.Stream stream) {
        JdbcOptions options = JdbcOptions.parse(stream);
        if (options.resolvedMode() == JdbcOptions.Mode.UPSERT) {
            return new Delivery(
                    Delivery.Way.UPSERT, "puts and deletes rows by key (" + String.join(", ", options.key()) + ")");
        }
        return options.exactlyOnce()
                ? new Delivery(
                        Delivery.Way.COMMITTED_TICK,
                        "keeps the last tick in " + Target.COMMITTED + ", in one transaction with its rows")
                : Delivery.atLeastOnce("keeps no ticks, as its option delivery says");
    }

    @Override
    public CatalogObject.Stream resolve(CatalogObject.Stream declared, Path workingDirectory) {
        JdbcOptions options = JdbcOptions.parse(declared);
        try (Connection connection = Database.connect(options, "tailwater")) {
            return resolve(declared, options, Target.read(connection, options));
        } catch (SQLException e) {
            throw Database.failure(options, "look at table " + options.table(), e);
        }
    }

    private static CatalogObject.Stream resolve(CatalogObject.Stream declared, JdbcOptions options, Target target) {
        Schema schema = declared.schema().size() > 0 ? declared.schema() : target.implied();
        target.requireFits(schema);
        List<String> key = options.mode() == JdbcOptions.Mode.APPEND ? List.of() : target.key(options.key(), schema);
        if (key.isEmpty() && options.mode() == JdbcOptions.Mode.UPSERT) {
            throw new StreamException(
                    ErrorCode.INVALID_TABLE_DEFINITION,
                    "table " + target.sql() + " has no primary key among the stream's columns to upsert by",
                    -1,
                    "Add one, name another unique constraint with key = '...', or write with mode = 'append'.",
                    null);
        }
        target.requirePrivileges(
                !key.isEmpty()
                        ? List.of("INSERT", "UPDATE", "DELETE", "SELECT", Target.TEMPORARY)
                        : options.exactlyOnce() ? List.of("INSERT", Target.KEEP_TICKS) : List.of("INSERT"),
                options);
        SortedMap<String, String> resolved = new TreeMap<>(declared.options());
        resolved.put(JdbcOptions.MODE, (key.isEmpty() ? JdbcOptions.Mode.APPEND : JdbcOptions.Mode.UPSERT).toString());
        if (!key.isEmpty()) {
            resolved.put(JdbcOptions.KEY, String.join(", ", key));
        }
        return new CatalogObject.Stream(
                declared.name(), schema, declared.watermark(), declared.partitionBy(), declared.partitions(), resolved);
    }

    /** The position is the last tick. */
    @Override
    public SinkWriter write(CatalogObject.Stream stream, WriteContext context) {
        return new JdbcSinkWriter(stream.schema(), JdbcOptions.parse(stream), context);
    }
}

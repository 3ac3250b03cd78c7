package io.tailwater.connector.jdbc;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.connector.Connector;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.Schema;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

/** Writes ticks over one connection, each in one transaction. Owned by one writer. */
final class TickTransaction {
    private static final int CHUNK_CHARS = 1 << 16;
    private static final String STAGED = "pg_temp.tailwater_rows";

    private final Connection connection;
    private final JdbcOptions options;
    private final Connector.WriteContext context;
    private final Target target;
    private final List<String> columns;
    private final CopyText text = new CopyText();

    private TickTransaction(
            Connection connection, Schema schema, JdbcOptions options, Connector.WriteContext context, Target target) {
        this.connection = connection;
        this.options = options;
        this.context = context;
        this.target = target;
        columns = schema.columns().stream()
                .map(Column::name)
                .map(Database::quoted)
                .toList();
    }

    /** Makes what is needed besides the target. */
    static TickTransaction begin(
            Connection connection, Schema schema, JdbcOptions options, Connector.WriteContext context)
            throws SQLException {
        TickTransaction made =
                new TickTransaction(connection, schema, options, context, Target.read(connection, options));
        if (options.resolvedMode() == JdbcOptions.Mode.UPSERT) {
            made.execute("CREATE TEMPORARY TABLE tailwater_rows ON COMMIT DELETE ROWS AS SELECT 0::bigint AS \"#\","
                    + " 0::bigint AS \"+\", " + made.list("") + " FROM " + made.target.sql() + " WITH NO DATA");
        } else if (options.exactlyOnce()) {
            made.createCommitted();
            made.requireSameWorkers();
        }
        connection.commit();
        return made;
    }

    private void createCommitted() throws SQLException {
        try (PreparedStatement look = connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
            look.setString(1, target.committedSql());
            try (ResultSet there = look.executeQuery()) {
                if (there.next() && there.getBoolean(1)) {
                    return;
                }
            }
        }
        // Two workers that create it at once would make one of them fail.
        execute("SELECT pg_advisory_xact_lock(hashtext('" + Target.COMMITTED + "'))");
        execute("CREATE TABLE IF NOT EXISTS " + target.committedSql()
                + " (installation text NOT NULL, application text NOT NULL, job bigint NOT NULL, worker integer NOT NULL,"
                + " name text NOT NULL, workers integer NOT NULL, tick bigint NOT NULL, committed_at timestamptz NOT NULL DEFAULT now(),"
                + " PRIMARY KEY (installation, application, job, worker))");
        connection.commit();
    }

    /**
     * A tick that runs again with more or fewer workers is dealt differently, so shares of it that are there already cannot be told. All ticks up to the one that was
     * committed last are done with.
     */
    private void requireSameWorkers() throws SQLException {
        try (PreparedStatement look = connection.prepareStatement("SELECT workers FROM " + target.committedSql()
                + " WHERE installation = ? AND application = ? AND job = ? AND tick > ? AND workers <> ? LIMIT 1")) {
            look.setString(1, context.installation());
            look.setString(2, context.application());
            look.setLong(3, context.jobId());
            look.setLong(4, context.resumeAt());
            look.setInt(5, context.workers());
            try (ResultSet row = look.executeQuery()) {
                if (row.next()) {
                    throw new StreamException(
                            ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            "a tick after " + context.resumeAt() + " was written to " + target.sql() + " by "
                                    + row.getInt(1) + " workers, and there are " + context.workers() + " now",
                            -1,
                            "Start the server once with executor.workers = " + row.getInt(1) + ".",
                            null);
                }
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String list(String prefix) {
        return columns.stream().map(c -> prefix + c).collect(Collectors.joining(", "));
    }

    /** Writes a tick, unless the target has it. */
    void write(long tick, List<ColumnBatch> rows) throws SQLException {
        if (options.resolvedMode() == JdbcOptions.Mode.UPSERT) {
            if (copy("COPY " + STAGED + " FROM STDIN", rows, true)) {
                delete();
            }
            upsert();
        } else {
            if (options.exactlyOnce() && !claim(tick)) {
                connection.rollback();
                return;
            }
            copy("COPY " + target.sql() + " (" + list("") + ") FROM STDIN", rows, false);
        }
        connection.commit();
    }

    /** Notes the tick. Returns false if it was there. */
    private boolean claim(long tick) throws SQLException {
        try (PreparedStatement put = connection.prepareStatement(
                "INSERT INTO " + target.committedSql()
                        + " AS c (installation, application, job, worker, name, workers, tick) VALUES (?, ?, ?, ?, ?, ?, ?)"
                        + " ON CONFLICT (installation, application, job, worker) DO UPDATE"
                        + " SET tick = EXCLUDED.tick, workers = EXCLUDED.workers, committed_at = now() WHERE c.tick < EXCLUDED.tick")) {
            identify(put);
            put.setString(5, context.job());
            put.setInt(6, context.workers());
            put.setLong(7, tick);
            if (put.executeUpdate() > 0) {
                return true;
            }
        }
        try (PreparedStatement look = connection.prepareStatement("SELECT tick FROM " + target.committedSql()
                + " WHERE installation = ? AND application = ? AND job = ? AND worker = ?")) {
            identify(look);
            try (ResultSet row = look.executeQuery()) {
                if (row.next() && row.getLong(1) > tick) {
                    throw new StreamException(
                            ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            target.committedSql() + " says that job " + context.job() + " has written tick "
                                    + row.getLong(1) + ", and this is tick " + tick,
                            -1,
                            "The data directory is older than what was written: restore both or neither, or delete the rows of this job from "
                                    + Target.COMMITTED + ".",
                            null);
                }
            }
        }
        return false;
    }

    private void identify(PreparedStatement statement) throws SQLException {
        statement.setString(1, context.installation());
        statement.setString(2, context.application());
        statement.setLong(3, context.jobId());
        statement.setInt(4, context.worker());
    }

    /** Returns whether any row goes away. */
    private boolean copy(String sql, List<ColumnBatch> rows, boolean staged) throws SQLException {
        boolean back = false;
        CopyIn out = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
        try {
            long number = 0;
            for (ColumnBatch batch : rows) {
                for (int row = 0; row < batch.rows(); row++) {
                    long weight = batch.weight(row);
                    back |= weight < 0;
                    if (staged) {
                        text.field(number++).field(weight).row(batch, row);
                    } else if (weight < 0) {
                        throw new StreamException(
                                ErrorCode.APPEND_ONLY_VIOLATION,
                                "rows are only appended to " + target.sql() + ", but this query takes rows back");
                    }
                    for (long copy = 0; !staged && copy < weight; copy++) {
                        text.row(batch, row);
                    }
                    if (text.length() >= CHUNK_CHARS) {
                        send(out);
                    }
                }
            }
            send(out);
            out.endCopy();
            return back;
        } finally {
            if (out.isActive()) {
                out.cancelCopy();
            }
        }
    }

    private void send(CopyIn out) throws SQLException {
        byte[] bytes = text.take();
        out.writeToCopy(bytes, 0, bytes.length);
    }

    /** Deletes keys that only go. */
    private void delete() throws SQLException {
        List<String> key = key();
        execute("DELETE FROM " + target.sql() + " AS t USING " + STAGED + " AS r WHERE r.\"+\" < 0 AND "
                + same(key, "t", "r") + " AND NOT EXISTS (SELECT 1 FROM " + STAGED + " AS p WHERE p.\"+\" > 0 AND "
                + same(key, "p", "r") + ")");
    }

    /** Of the rows put under a key the last one stays. */
    private void upsert() throws SQLException {
        List<String> key = key();
        String keys = String.join(", ", key);
        String others = columns.stream()
                .filter(c -> !key.contains(c))
                .map(c -> c + " = EXCLUDED." + c)
                .collect(Collectors.joining(", "));
        execute("INSERT INTO " + target.sql() + " (" + list("") + ") SELECT DISTINCT ON (" + keys + ") " + list("")
                + " FROM " + STAGED + " WHERE \"+\" > 0 ORDER BY " + keys + ", \"#\" DESC ON CONFLICT (" + keys
                + ") DO " + (others.isEmpty() ? "NOTHING" : "UPDATE SET " + others));
    }

    private List<String> key() {
        return options.key().stream().map(Database::quoted).toList();
    }

    private static String same(List<String> key, String a, String b) {
        return key.stream().map(c -> a + "." + c + " = " + b + "." + c).collect(Collectors.joining(" AND "));
    }
}

package io.tailwater.connector.jdbc;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A table of PostgreSQL as its catalog describes it. Immutable.
 *
 * @param keys column names of each unique constraint over plain columns, the primary key first
 * @param lacks privileges that who connects has not
 */
record Target(String schema, String name, List<Field> fields, List<Key> keys, List<String> lacks) {
    /** Where ticks are kept, in the target's schema. */
    static final String COMMITTED = "tailwater_committed";

    static final String TEMPORARY = "TEMPORARY";
    static final String KEEP_TICKS = "KEEP TICKS";

    private static final String TABLE = """
            SELECT n.nspname, c.relname, c.relkind, c.oid,
                   has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),
                   has_table_privilege(c.oid, 'DELETE'), has_table_privilege(c.oid, 'SELECT'),
                   has_database_privilege(current_database(), 'TEMP'),
                   CASE WHEN k.id IS NULL THEN has_schema_privilege(n.oid, 'CREATE')
                        ELSE has_table_privilege(k.id, 'INSERT') AND has_table_privilege(k.id, 'UPDATE') AND has_table_privilege(k.id, 'SELECT') END
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              CROSS JOIN LATERAL (SELECT to_regclass(quote_ident(n.nspname) || '.tailwater_committed')::oid AS id) AS k
            WHERE c.oid = to_regclass(?)
            """;
    private static final String FIELDS = """
            SELECT a.attname, COALESCE(b.typname, t.typname),
                   CASE WHEN t.typbasetype <> 0 THEN t.typtypmod ELSE a.atttypmod END,
                   format_type(a.atttypid, a.atttypmod), a.attnotnull OR t.typnotnull,
                   a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL, a.attidentity = 'a' OR a.attgenerated <> '',
                   a.attidentity <> ''
            FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = t.typbasetype
            WHERE a.attrelid = ? AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """;
    private static final String KEYS = """
            SELECT array_to_string(array_agg(a.attname ORDER BY k.n), E'\\n')
            FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, n)
              JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
            WHERE i.indrelid = ? AND i.indisunique AND i.indimmediate AND i.indisvalid
              AND i.indpred IS NULL AND i.indexprs IS NULL AND k.n <= i.indnkeyatts
            GROUP BY i.indexrelid, i.indisprimary ORDER BY i.indisprimary DESC, i.indexrelid
            """;

    /**
     * A column.
     *
     * @param optional whether a row may leave it out: it has a default or may be NULL
     * @param computed whether PostgreSQL refuses values for it
     * @param numbered whether it is an identity column
     */
    record Field(
            String name, PostgresType type, boolean notNull, boolean optional, boolean computed, boolean numbered) {}

    /** Columns of a unique constraint. */
    record Key(List<String> columns) {}

    /** Looks the table up; fails with 42P01 if there is none. */
    static Target read(Connection connection, JdbcOptions options) throws SQLException {
        long id;
        String schema;
        String name;
        List<String> lacks = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(TABLE)) {
            statement.setString(1, options.table());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new StreamException(
                            ErrorCode.UNDEFINED_TABLE,
                            "there is no table " + options.table() + " in " + options.shortUrl(),
                            -1,
                            "Create it there first; option table may name its schema: public.flights.",
                            null);
                }
                schema = row.getString(1);
                name = row.getString(2);
                id = row.getLong(4);
                if (!List.of("r", "p", "f").contains(row.getString(3))) {
                    throw new StreamException(
                            ErrorCode.WRONG_OBJECT_TYPE,
                            options.table() + " in " + options.shortUrl() + " is not a table",
                            -1,
                            "Rows can be written to tables only, not to views or indexes.",
                            null);
                }
                List<String> privileges = List.of("INSERT", "UPDATE", "DELETE", "SELECT", TEMPORARY, KEEP_TICKS);
                for (int i = 0; i < privileges.size(); i++) {
                    if (!row.getBoolean(5 + i)) {
                        lacks.add(privileges.get(i));
                    }
                }
            }
        }
        return new Target(schema, name, fields(connection, id), keys(connection, id), List.copyOf(lacks));
    }

    private static List<Field> fields(Connection connection, long table) throws SQLException {
        List<Field> out = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(FIELDS)) {
            statement.setLong(1, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    boolean notNull = row.getBoolean(5);
                    out.add(new Field(
                            row.getString(1),
                            new PostgresType(row.getString(2), row.getInt(3), row.getString(4)),
                            notNull,
                            !notNull || row.getBoolean(6),
                            row.getBoolean(7),
                            row.getBoolean(8)));
                }
            }
        }
        return List.copyOf(out);
    }

    private static List<Key> keys(Connection connection, long table) throws SQLException {
        List<Key> out = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(KEYS)) {
            statement.setLong(1, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    out.add(new Key(List.of(row.getString(1).split("\n", -1))));
                }
            }
        }
        return List.copyOf(out);
    }

    /** As SQL names it. */
    String sql() {
        return Database.quoted(schema) + "." + Database.quoted(name);
    }

    String committedSql() {
        return Database.quoted(schema) + "." + COMMITTED;
    }

    private @Nullable Field field(String wanted) {
        return fields.stream().filter(f -> f.name().equals(wanted)).findFirst().orElse(null);
    }

    /** Our columns for all of its own that a row gives. */
    Schema implied() {
        List<Column> out = new ArrayList<>();
        for (Field field : fields) {
            if (field.computed() || field.numbered()) {
                continue;
            }
            DataType type = field.type().implied();
            if (type == null) {
                throw new StreamException(
                        ErrorCode.FEATURE_NOT_SUPPORTED,
                        "column \"" + field.name() + "\" of " + sql() + " has type "
                                + field.type().shown() + ", for which no type is implied",
                        -1,
                        "Write CREATE STREAM name (column type, ...) WITH (...).",
                        null);
            }
            out.add(new Column(field.name(), type.withNullable(!field.notNull())));
        }
        return new Schema(out);
    }

    /** Refuses a stream whose rows do not fit. */
    void requireFits(Schema schema) {
        for (Column column : schema.columns()) {
            Field field = field(column.name());
            if (field == null) {
                throw new StreamException(
                        ErrorCode.UNDEFINED_COLUMN,
                        "table " + sql() + " has no column \"" + column.name() + "\"",
                        -1,
                        "Its columns are: " + fields.stream().map(Field::name).collect(Collectors.joining(", ")) + ".",
                        null);
            }
            if (field.computed()) {
                throw new StreamException(
                        ErrorCode.INVALID_TABLE_DEFINITION,
                        "column \"" + column.name() + "\" of " + sql()
                                + " is computed by PostgreSQL and cannot be written",
                        -1,
                        "Leave it out.",
                        null);
            }
            if (!field.type().holds(column.type())) {
                throw new StreamException(
                        ErrorCode.DATATYPE_MISMATCH,
                        "column \"" + column.name() + "\" of " + sql() + " has type "
                                + field.type().shown() + ", which cannot hold every "
                                + column.type().sql(),
                        -1,
                        "It would have to be " + PostgresType.of(column.type()) + ".",
                        null);
            }
        }
        Set<String> given = schema.columns().stream().map(Column::name).collect(Collectors.toSet());
        for (Field field : fields) {
            if (!field.optional() && !given.contains(field.name())) {
                throw new StreamException(
                        ErrorCode.INVALID_TABLE_DEFINITION,
                        "column \"" + field.name() + "\" of " + sql()
                                + " is NOT NULL without a default, but the stream lacks it",
                        -1,
                        "Add it to the column list.",
                        null);
            }
        }
    }

    /** The columns to upsert by: those asked for, else the primary key; empty if there is none. */
    List<String> key(List<String> wanted, Schema schema) {
        for (Key key : keys) {
            boolean chosen = wanted.isEmpty()
                    ? key.equals(keys.get(0)) && key.columns().stream().allMatch(c -> notNull(c))
                    : new HashSet<>(wanted).equals(new HashSet<>(key.columns()));
            if (!chosen) {
                continue;
            }
            for (String column : key.columns()) {
                if (schema.indexOf(column).isEmpty()) {
                    if (wanted.isEmpty()) {
                        return List.of();
                    }
                    throw new StreamException(
                            ErrorCode.UNDEFINED_COLUMN,
                            "the stream has no column \"" + column + "\", which the key names");
                }
                if (!notNull(column)) {
                    throw new StreamException(
                            ErrorCode.INVALID_TABLE_DEFINITION,
                            "column \"" + column + "\" of " + sql() + " may be NULL, so it cannot be a key",
                            -1,
                            "ALTER it to NOT NULL.",
                            null);
                }
            }
            return key.columns();
        }
        if (wanted.isEmpty()) {
            return List.of();
        }
        throw new StreamException(
                ErrorCode.INVALID_TABLE_DEFINITION,
                "table " + sql() + " has no unique constraint on (" + String.join(", ", wanted) + ")",
                -1,
                "Add one, or write with mode = 'append'.",
                null);
    }

    private boolean notNull(String column) {
        Field field = field(column);
        return field != null && field.notNull();
    }

    void requirePrivileges(List<String> needed, JdbcOptions options) {
        for (String privilege : needed) {
            if (lacks.contains(privilege)) {
                boolean ticks = privilege.equals(KEEP_TICKS);
                String what = ticks
                        ? "make or write " + committedSql() + ", which keeps the ticks"
                        : privilege.equals(TEMPORARY)
                                ? "make temporary tables, which mode upsert needs"
                                : privilege + " on " + sql();
                throw new StreamException(
                        ErrorCode.INVALID_AUTHORIZATION,
                        "who connects to " + options.shortUrl() + " may not " + what,
                        -1,
                        ticks ? "GRANT CREATE on the schema, or settle for delivery = 'at_least_once'." : "GRANT it.",
                        null);
            }
        }
    }
}

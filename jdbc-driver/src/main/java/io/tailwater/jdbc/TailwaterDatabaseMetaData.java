package io.tailwater.jdbc;

import io.tailwater.jdbc.arrow.Kind;
import io.tailwater.jdbc.arrow.ResultColumn;
import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.RowIdLifetime;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the database holds, asked from {@code information_schema} by SELECTs of their own, so that it works beside open results. What the database lacks,
 * such as foreign keys and procedures, is a result without rows. Thread-safe.
 */
final class TailwaterDatabaseMetaData extends FixedMetaData {
    private final TailwaterConnection connection;

    TailwaterDatabaseMetaData(TailwaterConnection connection) {
        this.connection = connection;
    }

    // ---- objects

    @Override
    public ResultSet getCatalogs() throws SQLException {
        connection.checkOpen();
        return MetadataRows.of(columns("TABLE_CAT"), List.<@Nullable Object[]>of(row(TailwaterConnection.CATALOG)));
    }

    @Override
    public ResultSet getSchemas() throws SQLException {
        return getSchemas(null, null);
    }

    @Override
    public ResultSet getSchemas(@Nullable String catalog, @Nullable String schemaPattern) throws SQLException {
        LikePattern schemas = new LikePattern(schemaPattern);
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (@Nullable Object[] found : select("SELECT schema_name, catalog_name FROM information_schema.schemata")) {
            if (inCatalog(catalog, found[1]) && schemas.matches((String) found[0])) {
                rows.add(found);
            }
        }
        rows.sort(by(1, 0));
        return MetadataRows.of(columns("TABLE_SCHEM", "TABLE_CATALOG"), rows);
    }

    @Override
    public ResultSet getTableTypes() throws SQLException {
        connection.checkOpen();
        Set<String> types = new TreeSet<>(List.of("SYSTEM TABLE", "TABLE", "VIEW"));
        if (nativeTypes()) {
            types.addAll(List.of("STREAM", "MATERIALIZED VIEW"));
        }
        List<@Nullable Object[]> rows = new ArrayList<>();
        types.forEach(type -> rows.add(row(type)));
        return MetadataRows.of(columns("TABLE_TYPE"), rows);
    }

    private boolean nativeTypes() {
        return connection.url().property("tableTypes", "standard").equals("native");
    }

    @Override
    public ResultSet getTables(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String tablePattern,
            String @Nullable [] types)
            throws SQLException {
        LikePattern schemas = new LikePattern(schemaPattern);
        LikePattern tables = new LikePattern(tablePattern);
        Set<String> wanted = types == null ? Set.of() : new TreeSet<>(Arrays.asList(types));
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (@Nullable Object[] found :
                select("SELECT table_catalog, table_schema, table_name, table_type, kind FROM information_schema.tables"
                        + where(schemas, tables))) {
            boolean own = "SYSTEM TABLE".equals(found[4]) || (nativeTypes() && found[4] != null);
            Object type = own ? found[4] : found[3];
            if (inCatalog(catalog, found[0])
                    && schemas.matches((String) found[1])
                    && tables.matches((String) found[2])
                    && (types == null || wanted.contains(String.valueOf(type)))) {
                rows.add(row(found[0], found[1], found[2], type, found[4], null, null, null, null, null));
            }
        }
        rows.sort(by(3, 0, 1, 2));
        return MetadataRows.of(
                columns(
                        "TABLE_CAT",
                        "TABLE_SCHEM",
                        "TABLE_NAME",
                        "TABLE_TYPE",
                        "REMARKS",
                        "TYPE_CAT",
                        "TYPE_SCHEM",
                        "TYPE_NAME",
                        "SELF_REFERENCING_COL_NAME",
                        "REF_GENERATION"),
                rows);
    }

    @Override
    public ResultSet getColumns(
            @Nullable String catalog,
            @Nullable String schemaPattern,
            @Nullable String tablePattern,
            @Nullable String columnPattern)
            throws SQLException {
        LikePattern schemas = new LikePattern(schemaPattern);
        LikePattern tables = new LikePattern(tablePattern);
        LikePattern names = new LikePattern(columnPattern);
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (@Nullable Object[] found : select("SELECT table_catalog, table_schema, table_name, column_name, jdbc_type, data_type,"
                + " character_maximum_length, numeric_precision, numeric_scale, datetime_precision, is_nullable,"
                + " ordinal_position FROM information_schema.columns" + where(schemas, tables))) {
            if (inCatalog(catalog, found[0])
                    && schemas.matches((String) found[1])
                    && tables.matches((String) found[2])
                    && names.matches((String) found[3])) {
                rows.add(columnRow(found));
            }
        }
        rows.sort(by(0, 1, 2, 16));
        return MetadataRows.of(
                columns(
                        "TABLE_CAT",
                        "TABLE_SCHEM",
                        "TABLE_NAME",
                        "COLUMN_NAME",
                        "DATA_TYPE:INTEGER",
                        "TYPE_NAME",
                        "COLUMN_SIZE:INTEGER",
                        "BUFFER_LENGTH:INTEGER",
                        "DECIMAL_DIGITS:INTEGER",
                        "NUM_PREC_RADIX:INTEGER",
                        "NULLABLE:INTEGER",
                        "REMARKS",
                        "COLUMN_DEF",
                        "SQL_DATA_TYPE:INTEGER",
                        "SQL_DATETIME_SUB:INTEGER",
                        "CHAR_OCTET_LENGTH:INTEGER",
                        "ORDINAL_POSITION:INTEGER",
                        "IS_NULLABLE",
                        "SCOPE_CATALOG",
                        "SCOPE_SCHEMA",
                        "SCOPE_TABLE",
                        "SOURCE_DATA_TYPE:SMALLINT",
                        "IS_AUTOINCREMENT",
                        "IS_GENERATEDCOLUMN"),
                rows);
    }

    private static @Nullable Object[] columnRow(@Nullable Object[] found) {
        int type = number(found[4], Types.OTHER);
        String typeName = typeName(String.valueOf(found[5]));
        Kind kind = kind(type, typeName);
        Integer size;
        Integer digits = null;
        switch (kind) {
            case VARCHAR:
            case VARBINARY:
                size = number(found[6], Integer.MAX_VALUE);
                break;
            case DECIMAL:
                size = number(found[7], kind.precision());
                digits = number(found[8], 0);
                break;
            case TIME:
            case TIMESTAMP:
            case TIMESTAMP_LTZ:
                digits = number(found[9], 6);
                size = kind.precision() + (digits == 0 ? 0 : digits + 1);
                break;
            default:
                size = kind.precision();
                digits = kind.isInteger() ? 0 : null;
                break;
        }
        boolean nullable = !"NO".equals(found[10]);
        return row(
                found[0],
                found[1],
                found[2],
                found[3],
                type,
                typeName,
                size,
                null,
                digits,
                kind.isNumber() ? 10 : null,
                nullable ? columnNullable : columnNoNulls,
                null,
                null,
                null,
                null,
                kind == Kind.VARCHAR || kind == Kind.VARBINARY ? size : null,
                number(found[11], 0),
                nullable ? "YES" : "NO",
                null,
                null,
                null,
                null,
                "NO",
                "NO");
    }

    /** Without length, precision and scale. */
    private static String typeName(String sqlType) {
        return sqlType.replaceAll("\\s*\\([^)]*\\)", "").trim();
    }

    private static Kind kind(int jdbcType, String typeName) {
        for (Kind kind : Kind.values()) {
            if (kind.jdbcType() == jdbcType
                    && (jdbcType != Types.OTHER || kind.sqlName().equals(typeName))) {
                return kind;
            }
        }
        return Kind.NULL;
    }

    @Override
    public ResultSet getPrimaryKeys(@Nullable String catalog, @Nullable String schema, @Nullable String table)
            throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (@Nullable Object[] found : select("SELECT table_schema, table_name, column_name, ordinal_position, constraint_name"
                + " FROM information_schema.key_column_usage")) {
            if (inCatalog(catalog, TailwaterConnection.CATALOG)
                    && (schema == null || schema.equals(found[0]))
                    && (table == null || table.equals(found[1]))) {
                rows.add(row(TailwaterConnection.CATALOG, found[0], found[1], found[2], number(found[3], 0), found[4]));
            }
        }
        rows.sort(by(3));
        return MetadataRows.of(
                columns("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "KEY_SEQ:SMALLINT", "PK_NAME"), rows);
    }

    /** The primary key, if there is one. */
    @Override
    public ResultSet getBestRowIdentifier(
            @Nullable String catalog, @Nullable String schema, @Nullable String table, int scope, boolean nullable)
            throws SQLException {
        Set<String> key = new TreeSet<>();
        try (ResultSet keys = getPrimaryKeys(catalog, schema, table)) {
            while (keys.next()) {
                key.add(keys.getString("COLUMN_NAME"));
            }
        }
        List<@Nullable Object[]> rows = new ArrayList<>();
        if (!key.isEmpty() && table != null) {
            try (ResultSet found = getColumns(catalog, escape(schema), escape(table), null)) {
                while (found.next()) {
                    if (key.contains(found.getString("COLUMN_NAME"))) {
                        rows.add(row(
                                bestRowSession,
                                found.getString("COLUMN_NAME"),
                                found.getInt("DATA_TYPE"),
                                found.getString("TYPE_NAME"),
                                found.getObject("COLUMN_SIZE"),
                                null,
                                found.getObject("DECIMAL_DIGITS"),
                                bestRowNotPseudo));
                    }
                }
            }
        }
        return MetadataRows.of(ROW_IDENTIFIER, rows);
    }

    private static @Nullable String escape(@Nullable String name) {
        return name == null ? null : name.replaceAll("([%_\\\\])", "\\\\$1");
    }

    @Override
    public ResultSet getTypeInfo() throws SQLException {
        connection.checkOpen();
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (kind != Kind.NULL) {
                rows.add(typeRow(kind));
            }
        }
        rows.sort(Comparator.comparingInt(row -> number(row[1], 0)));
        return MetadataRows.of(
                columns(
                        "TYPE_NAME",
                        "DATA_TYPE:INTEGER",
                        "PRECISION:INTEGER",
                        "LITERAL_PREFIX",
                        "LITERAL_SUFFIX",
                        "CREATE_PARAMS",
                        "NULLABLE:SMALLINT",
                        "CASE_SENSITIVE:BOOLEAN",
                        "SEARCHABLE:SMALLINT",
                        "UNSIGNED_ATTRIBUTE:BOOLEAN",
                        "FIXED_PREC_SCALE:BOOLEAN",
                        "AUTO_INCREMENT:BOOLEAN",
                        "LOCAL_TYPE_NAME",
                        "MINIMUM_SCALE:SMALLINT",
                        "MAXIMUM_SCALE:SMALLINT",
                        "SQL_DATA_TYPE:INTEGER",
                        "SQL_DATETIME_SUB:INTEGER",
                        "NUM_PREC_RADIX:INTEGER"),
                rows);
    }

    private static @Nullable Object[] typeRow(Kind kind) {
        String prefix = null;
        String parameters = null;
        switch (kind) {
            case VARCHAR:
                prefix = "'";
                parameters = "length";
                break;
            case VARBINARY:
                prefix = "X'";
                parameters = "length";
                break;
            case DECIMAL:
                parameters = "precision,scale";
                break;
            case DATE:
            case TIME:
            case TIMESTAMP:
                prefix = kind.sqlName() + " '";
                parameters = kind == Kind.DATE ? null : "precision";
                break;
            default:
                break;
        }
        return row(
                kind.sqlName(),
                kind.jdbcType(),
                kind.precision(),
                prefix,
                prefix == null ? null : "'",
                parameters,
                typeNullable,
                kind == Kind.VARCHAR,
                typeSearchable,
                !kind.isNumber(),
                false,
                false,
                kind.sqlName(),
                0,
                kind == Kind.DECIMAL ? 38 : kind.hasFraction() ? 6 : 0,
                null,
                null,
                kind.isNumber() ? 10 : null);
    }

    // ---- what there is none of

    private static final List<ResultColumn> ROW_IDENTIFIER = columns(
            "SCOPE:SMALLINT",
            "COLUMN_NAME",
            "DATA_TYPE:INTEGER",
            "TYPE_NAME",
            "COLUMN_SIZE:INTEGER",
            "BUFFER_LENGTH:INTEGER",
            "DECIMAL_DIGITS:SMALLINT",
            "PSEUDO_COLUMN:SMALLINT");
    private static final List<ResultColumn> FOREIGN_KEYS = columns(
            "PKTABLE_CAT",
            "PKTABLE_SCHEM",
            "PKTABLE_NAME",
            "PKCOLUMN_NAME",
            "FKTABLE_CAT",
            "FKTABLE_SCHEM",
            "FKTABLE_NAME",
            "FKCOLUMN_NAME",
            "KEY_SEQ:SMALLINT",
            "UPDATE_RULE:SMALLINT",
            "DELETE_RULE:SMALLINT",
            "FK_NAME",
            "PK_NAME",
            "DEFERRABILITY:SMALLINT");

    @Override
    public ResultSet getVersionColumns(@Nullable String catalog, @Nullable String schema, @Nullable String table)
            throws SQLException {
        return none(ROW_IDENTIFIER);
    }

    @Override
    public ResultSet getImportedKeys(@Nullable String catalog, @Nullable String schema, @Nullable String table)
            throws SQLException {
        return none(FOREIGN_KEYS);
    }

    @Override
    public ResultSet getExportedKeys(@Nullable String catalog, @Nullable String schema, @Nullable String table)
            throws SQLException {
        return none(FOREIGN_KEYS);
    }

    @Override
    public ResultSet getCrossReference(
            @Nullable String parentCatalog,
            @Nullable String parentSchema,
            @Nullable String parentTable,
            @Nullable String foreignCatalog,
            @Nullable String foreignSchema,
            @Nullable String foreignTable)
            throws SQLException {
        return none(FOREIGN_KEYS);
    }

    @Override
    public ResultSet getIndexInfo(
            @Nullable String catalog,
            @Nullable String schema,
            @Nullable String table,
            boolean unique,
            boolean approximate)
            throws SQLException {
        return none(columns(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "NON_UNIQUE:BOOLEAN",
                "INDEX_QUALIFIER",
                "INDEX_NAME",
                "TYPE:SMALLINT",
                "ORDINAL_POSITION:SMALLINT",
                "COLUMN_NAME",
                "ASC_OR_DESC",
                "CARDINALITY:BIGINT",
                "PAGES:BIGINT",
                "FILTER_CONDITION"));
    }

    @Override
    public ResultSet getColumnPrivileges(
            @Nullable String catalog, @Nullable String schema, @Nullable String table, @Nullable String column)
            throws SQLException {
        return none(columns(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "COLUMN_NAME",
                "GRANTOR",
                "GRANTEE",
                "PRIVILEGE",
                "IS_GRANTABLE"));
    }

    @Override
    public ResultSet getTablePrivileges(@Nullable String catalog, @Nullable String schema, @Nullable String table)
            throws SQLException {
        return none(
                columns("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "GRANTOR", "GRANTEE", "PRIVILEGE", "IS_GRANTABLE"));
    }

    @Override
    public ResultSet getProcedures(@Nullable String catalog, @Nullable String schema, @Nullable String name)
            throws SQLException {
        return none(columns(
                "PROCEDURE_CAT",
                "PROCEDURE_SCHEM",
                "PROCEDURE_NAME",
                "RESERVED1",
                "RESERVED2",
                "RESERVED3",
                "REMARKS",
                "PROCEDURE_TYPE:SMALLINT",
                "SPECIFIC_NAME"));
    }

    @Override
    public ResultSet getProcedureColumns(
            @Nullable String catalog, @Nullable String schema, @Nullable String name, @Nullable String column)
            throws SQLException {
        return none(columns(
                "PROCEDURE_CAT",
                "PROCEDURE_SCHEM",
                "PROCEDURE_NAME",
                "COLUMN_NAME",
                "COLUMN_TYPE:SMALLINT",
                "DATA_TYPE:INTEGER",
                "TYPE_NAME",
                "PRECISION:INTEGER",
                "LENGTH:INTEGER",
                "SCALE:SMALLINT",
                "RADIX:SMALLINT",
                "NULLABLE:SMALLINT",
                "REMARKS",
                "COLUMN_DEF",
                "SQL_DATA_TYPE:INTEGER",
                "SQL_DATETIME_SUB:INTEGER",
                "CHAR_OCTET_LENGTH:INTEGER",
                "ORDINAL_POSITION:INTEGER",
                "IS_NULLABLE",
                "SPECIFIC_NAME"));
    }

    @Override
    public ResultSet getFunctions(@Nullable String catalog, @Nullable String schema, @Nullable String name)
            throws SQLException {
        return none(columns(
                "FUNCTION_CAT",
                "FUNCTION_SCHEM",
                "FUNCTION_NAME",
                "REMARKS",
                "FUNCTION_TYPE:SMALLINT",
                "SPECIFIC_NAME"));
    }

    @Override
    public ResultSet getFunctionColumns(
            @Nullable String catalog, @Nullable String schema, @Nullable String name, @Nullable String column)
            throws SQLException {
        return none(columns(
                "FUNCTION_CAT",
                "FUNCTION_SCHEM",
                "FUNCTION_NAME",
                "COLUMN_NAME",
                "COLUMN_TYPE:SMALLINT",
                "DATA_TYPE:INTEGER",
                "TYPE_NAME",
                "PRECISION:INTEGER",
                "LENGTH:INTEGER",
                "SCALE:SMALLINT",
                "RADIX:SMALLINT",
                "NULLABLE:SMALLINT",
                "REMARKS",
                "CHAR_OCTET_LENGTH:INTEGER",
                "ORDINAL_POSITION:INTEGER",
                "IS_NULLABLE",
                "SPECIFIC_NAME"));
    }

    @Override
    public ResultSet getPseudoColumns(
            @Nullable String catalog, @Nullable String schema, @Nullable String table, @Nullable String column)
            throws SQLException {
        return none(columns(
                "TABLE_CAT",
                "TABLE_SCHEM",
                "TABLE_NAME",
                "COLUMN_NAME",
                "DATA_TYPE:INTEGER",
                "COLUMN_SIZE:INTEGER",
                "DECIMAL_DIGITS:INTEGER",
                "NUM_PREC_RADIX:INTEGER",
                "COLUMN_USAGE",
                "REMARKS",
                "CHAR_OCTET_LENGTH:INTEGER",
                "IS_NULLABLE"));
    }

    @Override
    public ResultSet getUDTs(
            @Nullable String catalog, @Nullable String schema, @Nullable String name, int @Nullable [] types)
            throws SQLException {
        return none(columns(
                "TYPE_CAT",
                "TYPE_SCHEM",
                "TYPE_NAME",
                "CLASS_NAME",
                "DATA_TYPE:INTEGER",
                "REMARKS",
                "BASE_TYPE:SMALLINT"));
    }

    @Override
    public ResultSet getSuperTypes(@Nullable String catalog, @Nullable String schema, @Nullable String name)
            throws SQLException {
        return none(
                columns("TYPE_CAT", "TYPE_SCHEM", "TYPE_NAME", "SUPERTYPE_CAT", "SUPERTYPE_SCHEM", "SUPERTYPE_NAME"));
    }

    @Override
    public ResultSet getSuperTables(@Nullable String catalog, @Nullable String schema, @Nullable String name)
            throws SQLException {
        return none(columns("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "SUPERTABLE_NAME"));
    }

    @Override
    public ResultSet getAttributes(
            @Nullable String catalog, @Nullable String schema, @Nullable String type, @Nullable String attribute)
            throws SQLException {
        return none(columns(
                "TYPE_CAT",
                "TYPE_SCHEM",
                "TYPE_NAME",
                "ATTR_NAME",
                "DATA_TYPE:INTEGER",
                "ATTR_TYPE_NAME",
                "ATTR_SIZE:INTEGER",
                "DECIMAL_DIGITS:INTEGER",
                "NUM_PREC_RADIX:INTEGER",
                "NULLABLE:INTEGER",
                "REMARKS",
                "ATTR_DEF",
                "SQL_DATA_TYPE:INTEGER",
                "SQL_DATETIME_SUB:INTEGER",
                "CHAR_OCTET_LENGTH:INTEGER",
                "ORDINAL_POSITION:INTEGER",
                "IS_NULLABLE",
                "SCOPE_CATALOG",
                "SCOPE_SCHEMA",
                "SCOPE_TABLE",
                "SOURCE_DATA_TYPE:SMALLINT"));
    }

    @Override
    public ResultSet getClientInfoProperties() throws SQLException {
        return none(columns("NAME", "MAX_LEN:INTEGER", "DEFAULT_VALUE", "DESCRIPTION"));
    }

    private ResultSet none(List<ResultColumn> columns) throws SQLException {
        connection.checkOpen();
        return MetadataRows.empty(columns);
    }

    // ---- the rest

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public String getURL() {
        return connection.url().toString();
    }

    @Override
    public String getUserName() {
        return connection.url().property("user", "");
    }

    @Override
    public String getDatabaseProductVersion() {
        return connection.serverVersion();
    }

    @Override
    int version(int part) {
        String[] parts = connection.serverVersion().split("[.-]");
        return part < parts.length && parts[part].matches("\\d{1,6}") ? Integer.parseInt(parts[part]) : 0;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public RowIdLifetime getRowIdLifetime() {
        return RowIdLifetime.ROWID_UNSUPPORTED;
    }

    @Override
    public boolean supportsConvert(int from, int to) {
        return false;
    }

    @Override
    public boolean supportsTransactionIsolationLevel(int level) {
        return level == Connection.TRANSACTION_NONE;
    }

    @Override
    public boolean supportsResultSetType(int type) {
        return type == ResultSet.TYPE_FORWARD_ONLY;
    }

    @Override
    public boolean supportsResultSetConcurrency(int type, int concurrency) {
        return type == ResultSet.TYPE_FORWARD_ONLY && concurrency == ResultSet.CONCUR_READ_ONLY;
    }

    @Override
    public boolean supportsResultSetHoldability(int holdability) {
        return holdability == ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }

    @Override
    public boolean ownUpdatesAreVisible(int type) {
        return false;
    }

    @Override
    public boolean ownDeletesAreVisible(int type) {
        return false;
    }

    @Override
    public boolean ownInsertsAreVisible(int type) {
        return false;
    }

    @Override
    public boolean othersUpdatesAreVisible(int type) {
        return false;
    }

    @Override
    public boolean othersDeletesAreVisible(int type) {
        return false;
    }

    @Override
    public boolean othersInsertsAreVisible(int type) {
        return false;
    }

    @Override
    public boolean updatesAreDetected(int type) {
        return false;
    }

    @Override
    public boolean deletesAreDetected(int type) {
        return false;
    }

    @Override
    public boolean insertsAreDetected(int type) {
        return false;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return Wrappers.unwrap(this, type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    // ---- how rows are found and made

    private List<@Nullable Object[]> select(String sql) throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            try (ResultSet result = statement.executeQuery(sql)) {
                int width = result.getMetaData().getColumnCount();
                while (result.next()) {
                    @Nullable Object[] row = new Object[width];
                    for (int i = 0; i < width; i++) {
                        row[i] = result.getObject(i + 1);
                    }
                    rows.add(row);
                }
            }
        }
        return rows;
    }

    /** Lets the server find what has no wildcards; the rest is filtered here. */
    private static String where(LikePattern schemas, LikePattern tables) {
        String schema = schemas.literal();
        String table = tables.literal();
        String first = schema == null ? "" : " WHERE table_schema = " + literal(schema);
        String second = table == null ? "" : (schema == null ? " WHERE " : " AND ") + "table_name = " + literal(table);
        return first + second;
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static boolean inCatalog(@Nullable String wanted, @Nullable Object catalog) {
        return wanted == null || wanted.equals(catalog);
    }

    private static int number(@Nullable Object value, int otherwise) {
        return value instanceof Number ? ((Number) value).intValue() : otherwise;
    }

    private static @Nullable Object[] row(@Nullable Object... values) {
        return values;
    }

    /** Each {@code NAME} or {@code NAME:KIND}; a VARCHAR unless said otherwise. */
    private static List<ResultColumn> columns(String... names) {
        List<ResultColumn> columns = new ArrayList<>();
        for (String name : names) {
            int colon = name.indexOf(':');
            columns.add(
                    colon < 0
                            ? ResultColumn.of(name, Kind.VARCHAR)
                            : ResultColumn.of(name.substring(0, colon), Kind.valueOf(name.substring(colon + 1))));
        }
        return List.copyOf(columns);
    }

    /** Orders rows by these columns, numbers by size, NULL first. */
    private static Comparator<@Nullable Object[]> by(int... columns) {
        return (a, b) -> {
            for (int column : columns) {
                int order = compare(a[column], b[column]);
                if (order != 0) {
                    return order;
                }
            }
            return 0;
        };
    }

    private static int compare(@Nullable Object a, @Nullable Object b) {
        if (a == null || b == null) {
            return Boolean.compare(a != null, b != null);
        }
        return a instanceof Number && b instanceof Number
                ? Long.compare(((Number) a).longValue(), ((Number) b).longValue())
                : a.toString().compareTo(b.toString());
    }
}

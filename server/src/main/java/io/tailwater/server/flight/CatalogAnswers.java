package io.tailwater.server.flight;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Values;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.TypeKind;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import io.tailwater.server.sql.SqlSession.Outcome;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.sql.FlightSqlProducer.Schemas;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetDbSchemas;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetPrimaryKeys;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetSqlInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetTables;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandGetXdbcTypeInfo;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlNullOrdering;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlOuterJoinsSupportLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedCaseSensitivity;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedElementActions;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedGroupBy;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedResultSetType;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedSubqueries;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedTransaction;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportedUnions;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlTransactionIsolationLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SupportedAnsi92SqlGrammarLevel;
import org.apache.arrow.flight.sql.impl.FlightSql.SupportedSqlGrammar;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Answers to Flight SQL's metadata commands, from SELECTs over {@code information_schema} in the caller's session. Thread-safe. */
final class CatalogAnswers {
    static final String CATALOG = "tailwater";
    static final String PRODUCT_VERSION = "0.1.0";

    /** How Flight SQL spells that there is no limit, or none is known. */
    private static final long NO_LIMIT = 0;

    private final BufferAllocator allocator;
    private final SqlInfoBuilder sqlInfo = new SqlInfoBuilder()
            .withFlightSqlServerName("Tailwater")
            .withFlightSqlServerVersion(PRODUCT_VERSION)
            .withFlightSqlServerArrowVersion("19.0.0")
            .withFlightSqlServerReadOnly(false)
            .withFlightSqlServerSql(true)
            .withFlightSqlServerSubstrait(false)
            .withFlightSqlServerTransaction(SqlSupportedTransaction.SQL_SUPPORTED_TRANSACTION_NONE)
            .withFlightSqlServerCancel(true)
            .withFlightSqlServerBulkIngestion(true)
            .withFlightSqlServerBulkIngestionTransaction(false)
            .withFlightSqlServerStatementTimeout(0)
            .withFlightSqlServerTransactionTimeout(0)
            .withSqlIdentifierQuoteChar("\"")
            .withSqlSearchStringEscape("\\")
            .withSqlExtraNameCharacters("")
            .withSqlSchemaTerm("schema")
            .withSqlCatalogTerm("catalog")
            .withSqlProcedureTerm("procedure")
            .withSqlDdlCatalog(false)
            .withSqlDdlSchema(true)
            .withSqlDdlTable(true)
            .withSqlIdentifierCase(SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_LOWERCASE)
            .withSqlQuotedIdentifierCase(SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
            .withSqlAllTablesAreSelectable(true)
            .withSqlNullOrdering(SqlNullOrdering.SQL_NULLS_SORTED_HIGH)
            .withSqlSupportsColumnAliasing(true)
            .withSqlNullPlusNullIsNull(true)
            .withSqlSupportsTableCorrelationNames(true)
            .withSqlSupportsDifferentTableCorrelationNames(false)
            .withSqlSupportsExpressionsInOrderBy(true)
            .withSqlSupportsOrderByUnrelated(true)
            .withSqlSupportsLikeEscapeClause(true)
            .withSqlSupportsNonNullableColumns(true)
            .withSqlSupportsIntegrityEnhancementFacility(false)
            .withSqlCatalogAtStart(true)
            .withSqlSelectForUpdateSupported(false)
            .withSqlStoredProceduresSupported(false)
            .withSqlCorrelatedSubqueriesSupported(true)
            .withSqlTransactionsSupported(false)
            .withSqlDataDefinitionCausesTransactionCommit(false)
            .withSqlDataDefinitionsInTransactionsIgnored(false)
            .withSqlBatchUpdatesSupported(true)
            .withSqlSavepointsSupported(false)
            .withSqlNamedParametersSupported(false)
            .withSqlLocatorsUpdateCopy(false)
            .withSqlStoredFunctionsUsingCallSyntaxSupported(false)
            .withSqlSupportedGroupBy(
                    SqlSupportedGroupBy.SQL_GROUP_BY_UNRELATED, SqlSupportedGroupBy.SQL_GROUP_BY_BEYOND_SELECT)
            .withSqlSupportedGrammar(SupportedSqlGrammar.SQL_MINIMUM_GRAMMAR, SupportedSqlGrammar.SQL_CORE_GRAMMAR)
            .withSqlAnsi92SupportedLevel(SupportedAnsi92SqlGrammarLevel.ANSI92_ENTRY_SQL)
            .withSqlSchemasSupportedActions(SqlSupportedElementActions.SQL_ELEMENT_IN_INDEX_DEFINITIONS)
            .withSqlCatalogsSupportedActions()
            .withSqlSupportedPositionedCommands()
            .withSqlSubQueriesSupported(
                    SqlSupportedSubqueries.SQL_SUBQUERIES_IN_COMPARISONS,
                    SqlSupportedSubqueries.SQL_SUBQUERIES_IN_EXISTS,
                    SqlSupportedSubqueries.SQL_SUBQUERIES_IN_INS)
            .withSqlSupportedUnions(SqlSupportedUnions.SQL_UNION, SqlSupportedUnions.SQL_UNION_ALL)
            .withSqlOuterJoinSupportLevel(SqlOuterJoinsSupportLevel.SQL_LIMITED_OUTER_JOINS)
            .withSqlSupportedTransactionsIsolationLevels(SqlTransactionIsolationLevel.SQL_TRANSACTION_NONE)
            .withSqlSupportedResultSetTypes(SqlSupportedResultSetType.SQL_RESULT_SET_TYPE_FORWARD_ONLY)
            .withSqlDefaultTransactionIsolation(SqlTransactionIsolationLevel.SQL_TRANSACTION_NONE_VALUE)
            .withSqlSupportsConvert(Map.of())
            .withSqlMaxRowSizeIncludesBlobs(true)
            .withSqlMaxBinaryLiteralLength(NO_LIMIT)
            .withSqlMaxCharLiteralLength(NO_LIMIT)
            .withSqlMaxColumnNameLength(NO_LIMIT)
            .withSqlMaxColumnsInGroupBy(NO_LIMIT)
            .withSqlMaxColumnsInIndex(NO_LIMIT)
            .withSqlMaxColumnsInOrderBy(NO_LIMIT)
            .withSqlMaxColumnsInSelect(NO_LIMIT)
            .withSqlMaxColumnsInTable(NO_LIMIT)
            .withSqlMaxConnections(NO_LIMIT)
            .withSqlMaxCursorNameLength(NO_LIMIT)
            .withSqlMaxIndexLength(NO_LIMIT)
            .withSqlDbSchemaNameLength(NO_LIMIT)
            .withSqlMaxProcedureNameLength(NO_LIMIT)
            .withSqlMaxCatalogNameLength(NO_LIMIT)
            .withSqlMaxRowSize(NO_LIMIT)
            .withSqlMaxStatementLength(NO_LIMIT)
            .withSqlMaxStatements(NO_LIMIT)
            .withSqlMaxTableNameLength(NO_LIMIT)
            .withSqlMaxTablesInSelect(NO_LIMIT)
            .withSqlMaxUsernameLength(NO_LIMIT);

    CatalogAnswers(BufferAllocator allocator) {
        this.allocator = allocator;
    }

    static byte[] serialize(Schema schema) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            MessageSerializer.serialize(new WriteChannel(Channels.newChannel(out)), schema);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    void sqlInfo(CommandGetSqlInfo command, ServerStreamListener listener) {
        sqlInfo.send(command.getInfoList(), listener);
    }

    void catalogs(ServerStreamListener listener) {
        send(Schemas.GET_CATALOGS_SCHEMA, List.<@Nullable Object[]>of(new Object[] {CATALOG}), listener);
    }

    void tableTypes(ServerStreamListener listener) {
        send(
                Schemas.GET_TABLE_TYPES_SCHEMA,
                List.<@Nullable Object[]>of(
                        new Object[] {"SYSTEM TABLE"}, new Object[] {"TABLE"}, new Object[] {"VIEW"}),
                listener);
    }

    void none(Schema schema, ServerStreamListener listener) {
        send(schema, List.of(), listener);
    }

    void schemas(ClientSession session, CommandGetDbSchemas command, ServerStreamListener listener) {
        Pattern names = like(command.hasDbSchemaFilterPattern() ? command.getDbSchemaFilterPattern() : "%");
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (List<@Nullable Object> found :
                select(session, "SELECT catalog_name, schema_name FROM information_schema.schemata")) {
            if (matches(names, found.get(1)) && inCatalog(command.hasCatalog(), command.getCatalog(), found.get(0))) {
                rows.add(found.toArray());
            }
        }
        rows.sort(byText(0, 1));
        send(Schemas.GET_SCHEMAS_SCHEMA, rows, listener);
    }

    void tables(ClientSession session, CommandGetTables command, ServerStreamListener listener) {
        Pattern schemas = like(command.hasDbSchemaFilterPattern() ? command.getDbSchemaFilterPattern() : "%");
        Pattern names = like(command.hasTableNameFilterPattern() ? command.getTableNameFilterPattern() : "%");
        TreeSet<String> types = new TreeSet<>(command.getTableTypesList());
        boolean withSchema = command.getIncludeSchema();
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (List<@Nullable Object> found : select(
                session,
                "SELECT table_catalog, table_schema, table_name, table_type, kind FROM information_schema.tables")) {
            Object type = "SYSTEM TABLE".equals(found.get(4)) ? found.get(4) : found.get(3);
            if (inCatalog(command.hasCatalog(), command.getCatalog(), found.get(0))
                    && matches(schemas, found.get(1))
                    && matches(names, found.get(2))
                    && (types.isEmpty() || types.contains(String.valueOf(type)))) {
                @Nullable Object[] row = new Object[withSchema ? 5 : 4];
                for (int i = 0; i < 3; i++) {
                    row[i] = found.get(i);
                }
                row[3] = type;
                if (withSchema) {
                    row[4] = tableSchema(session, String.valueOf(found.get(1)), String.valueOf(found.get(2)));
                }
                rows.add(row);
            }
        }
        rows.sort(byText(3, 0, 1, 2));
        send(withSchema ? Schemas.GET_TABLES_SCHEMA : Schemas.GET_TABLES_SCHEMA_NO_SCHEMA, rows, listener);
    }

    private static byte[] tableSchema(ClientSession session, String schema, String table) {
        String sql = "SELECT * FROM " + quoted(schema) + "." + quoted(table);
        return serialize(ArrowTypes.schema(session.sql().prepare(sql).result(), Map.of()));
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    void primaryKeys(ClientSession session, CommandGetPrimaryKeys command, ServerStreamListener listener) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (List<@Nullable Object> found : select(
                session,
                "SELECT table_schema, table_name, column_name, ordinal_position, constraint_name"
                        + " FROM information_schema.key_column_usage")) {
            if (command.getTable().equals(found.get(1))
                    && (!command.hasDbSchema() || command.getDbSchema().equals(found.get(0)))
                    && inCatalog(command.hasCatalog(), command.getCatalog(), CATALOG)) {
                rows.add(new Object[] {CATALOG, found.get(0), found.get(1), found.get(2), found.get(3), found.get(4)});
            }
        }
        rows.sort(Comparator.comparing(row -> String.valueOf(row[2])));
        send(Schemas.GET_PRIMARY_KEYS_SCHEMA, rows, listener);
    }

    void typeInfo(CommandGetXdbcTypeInfo command, ServerStreamListener listener) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (TypeKind kind : TypeKind.values()) {
            int code = jdbcType(kind);
            if (kind != TypeKind.NULL && (!command.hasDataType() || command.getDataType() == code)) {
                rows.add(typeRow(kind, code));
            }
        }
        rows.sort(Comparator.comparingInt(row -> row[1] instanceof Integer code ? code : 0));
        send(Schemas.GET_TYPE_INFO_SCHEMA, rows, listener);
    }

    /** In the order of Flight SQL's GetXdbcTypeInfo. */
    private static @Nullable Object[] typeRow(TypeKind kind, int code) {
        DataType type = kind == TypeKind.DECIMAL ? DataType.decimal(38, 0) : new DataType(kind, 0, 0, true);
        String name = ArrowTypes.typeName(type);
        boolean text = kind.isView();
        boolean temporal = code == Types.DATE || code == Types.TIME || code == Types.TIMESTAMP;
        String prefix = text ? "'" : temporal ? name + " '" : null;
        List<String> parameters =
                text ? List.of("length") : kind == TypeKind.DECIMAL ? List.of("precision", "scale") : List.of();
        Integer columnSize = columnSize(kind);
        return new Object[] {
            name,
            code,
            columnSize,
            prefix,
            prefix == null ? null : "'",
            parameters,
            1,
            kind == TypeKind.VARCHAR,
            3,
            !kind.isNumeric(),
            false,
            false,
            name,
            0,
            kind == TypeKind.DECIMAL ? 38 : 6,
            code,
            null,
            kind.isNumeric() ? 10 : null,
            null
        };
    }

    private static @Nullable Integer columnSize(TypeKind kind) {
        return switch (kind) {
            case BOOLEAN -> 1;
            case TINYINT -> 3;
            case SMALLINT -> 5;
            case INTEGER, DATE -> 10;
            case BIGINT -> 19;
            case DECIMAL -> 38;
            case REAL -> 7;
            case DOUBLE -> 15;
            case TIME -> 15;
            case TIMESTAMP, TIMESTAMP_LTZ -> 26;
            case VARCHAR, VARBINARY -> Integer.MAX_VALUE;
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH, NULL -> null;
        };
    }

    private static int jdbcType(TypeKind kind) {
        return switch (kind) {
            case BOOLEAN -> Types.BOOLEAN;
            case TINYINT -> Types.TINYINT;
            case SMALLINT -> Types.SMALLINT;
            case INTEGER -> Types.INTEGER;
            case BIGINT -> Types.BIGINT;
            case DECIMAL -> Types.DECIMAL;
            case REAL -> Types.REAL;
            case DOUBLE -> Types.DOUBLE;
            case VARCHAR -> Types.VARCHAR;
            case VARBINARY -> Types.VARBINARY;
            case DATE -> Types.DATE;
            case TIME -> Types.TIME;
            case TIMESTAMP -> Types.TIMESTAMP;
            case TIMESTAMP_LTZ -> Types.TIMESTAMP_WITH_TIMEZONE;
            case INTERVAL_DAY_TIME, INTERVAL_YEAR_MONTH -> Types.OTHER;
            case NULL -> Types.NULL;
        };
    }

    // ---- how rows are found and sent

    /** All rows of a bounded query over system tables. */
    static List<List<@Nullable Object>> select(ClientSession session, String sql) {
        Outcome outcome = session.sql().execute(sql, List.of(), Duration.ofSeconds(60), new CancelSignal());
        if (!(outcome instanceof Outcome.Rows rows)) {
            throw new AssertionError(sql + " gave no rows");
        }
        List<List<@Nullable Object>> result = new ArrayList<>();
        try (ResultStream stream = rows.stream()) {
            while (true) {
                ResultStream.Next next = stream.next(1_000_000_000L);
                if (next instanceof ResultStream.Next.End) {
                    return result;
                } else if (next instanceof ResultStream.Next.Rows some) {
                    try (ColumnBatch batch = some.batch()) {
                        for (int row = 0; row < batch.rows(); row++) {
                            List<@Nullable Object> values = new ArrayList<>();
                            for (int column = 0; column < batch.columns(); column++) {
                                values.add(Values.get(batch, column, row));
                            }
                            result.add(values);
                        }
                    }
                }
            }
        }
    }

    private static boolean inCatalog(boolean filtered, String wanted, @Nullable Object catalog) {
        return !filtered || wanted.equals(catalog);
    }

    private static boolean matches(Pattern pattern, @Nullable Object name) {
        return name != null && pattern.matcher(name.toString()).matches();
    }

    /** A LIKE pattern, escaped by a backslash. */
    private static Pattern like(String pattern) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\\' && i + 1 < pattern.length()) {
                i++;
                regex.append(Pattern.quote(pattern.substring(i, i + 1)));
            } else if (c == '%') {
                regex.append(".*");
            } else {
                regex.append(c == '_' ? "." : Pattern.quote(String.valueOf(c)));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    private static Comparator<@Nullable Object[]> byText(int... columns) {
        return (a, b) -> {
            for (int column : columns) {
                int order = String.valueOf(a[column]).compareTo(String.valueOf(b[column]));
                if (order != 0) {
                    return order;
                }
            }
            return 0;
        };
    }

    private void send(Schema schema, List<@Nullable Object[]> rows, ServerStreamListener listener) {
        try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
            listener.start(root);
            root.allocateNew();
            for (int row = 0; row < rows.size(); row++) {
                for (int column = 0; column < schema.getFields().size(); column++) {
                    set(root.getVector(column), row, rows.get(row)[column]);
                }
            }
            root.setRowCount(rows.size());
            listener.putNext();
            listener.completed();
        }
    }

    private static void set(FieldVector vector, int row, @Nullable Object value) {
        if (value == null) {
            vector.setNull(row);
        } else if (vector instanceof VarCharVector text) {
            text.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
        } else if (vector instanceof IntVector number && value instanceof Number given) {
            number.setSafe(row, given.intValue());
        } else if (vector instanceof BitVector bit && value instanceof Boolean given) {
            bit.setSafe(row, given ? 1 : 0);
        } else if (vector instanceof VarBinaryVector bytes && value instanceof byte[] given) {
            bytes.setSafe(row, given);
        } else if (vector instanceof ListVector list && value instanceof List<?> given) {
            UnionListWriter writer = list.getWriter();
            writer.setPosition(row);
            writer.startList();
            given.forEach(item -> writer.writeVarChar(item.toString()));
            writer.endList();
        } else {
            throw new AssertionError(vector.getClass() + " cannot take " + value.getClass());
        }
    }
}

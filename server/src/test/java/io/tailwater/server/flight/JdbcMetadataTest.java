package io.tailwater.server.flight;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class JdbcMetadataTest extends EndpointFixture {
    private final DatabaseMetaData metadata = connection.getMetaData();

    JdbcMetadataTest() throws SQLException {}

    @Test
    void everyMethodWithoutArgumentsAnswers() throws Exception {
        for (Method method : DatabaseMetaData.class.getMethods()) {
            if (method.getParameterCount() == 0) {
                Object answer = method.invoke(metadata);
                assertThat(answer).as(method.getName()).isNotNull();
                if (answer instanceof ResultSet rows) {
                    rows.close();
                }
            }
        }
    }

    @Test
    void productAndDriverAreNamed() throws SQLException {
        assertThat(metadata.getDatabaseProductName()).isEqualTo("Tailwater");
        assertThat(metadata.getDatabaseProductVersion()).isEqualTo(CatalogAnswers.PRODUCT_VERSION);
        assertThat(metadata.getDatabaseMinorVersion()).isEqualTo(1);
        assertThat(metadata.getJDBCMajorVersion()).isEqualTo(4);
    }

    @Test
    void tablesAreFoundByTypeNameAndSchema() throws SQLException {
        assertThat(rows(metadata.getTables(null, null, "probe_t", new String[] {"TABLE"})))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("TABLE_TYPE", "TABLE")
                        .containsEntry("TABLE_SCHEM", "public")
                        .containsEntry("TABLE_CAT", "tailwater"));
        assertThat(rows(metadata.getTables(null, null, null, null)))
                .extracting(row -> row.get("TABLE_NAME"))
                .containsExactly("probe_t", "probexu", "delays");
        assertThat(rows(metadata.getTables(null, null, "%", null))).hasSize(3);
        assertThat(rows(metadata.getTables(null, null, "%", new String[] {"NO SUCH TYPE"})))
                .isEmpty();
        assertThat(rows(metadata.getTables(null, "no_such_schema", "%", null))).isEmpty();
        assertThat(rows(metadata.getTables(null, "", "%", null))).isEmpty();
        assertThat(rows(metadata.getTables("no_such_catalog", null, "%", null))).isEmpty();
    }

    @Test
    void wildcardsAreEscapedByABackslash() throws SQLException {
        assertThat(rows(metadata.getTables(null, null, "probe_t", null))).hasSize(1);
        assertThat(rows(metadata.getTables(null, null, "probe__", null))).hasSize(2);
        assertThat(rows(metadata.getTables(null, null, "probe\\_t", null))).hasSize(1);
        assertThat(rows(metadata.getTables(null, null, "probe\\_%", null))).hasSize(1);
        assertThat(rows(metadata.getColumns(null, null, "probe\\_t", "c\\_dec")))
                .hasSize(1);
        assertThat(rows(metadata.getColumns(null, null, "probe\\_t", "c_d%"))).hasSize(3);
    }

    @Test
    void nativeTypesAreAnOption() throws SQLException {
        try (Connection other = connect("?tableTypes=native")) {
            assertThat(rows(other.getMetaData().getTables(null, null, "%", new String[] {"STREAM"})))
                    .extracting(row -> row.get("TABLE_NAME"))
                    .containsExactly("probexu");
            assertThat(rows(other.getMetaData().getTableTypes())).hasSize(5);
        }
    }

    @Test
    void columnsAreDescribedInOrder() throws SQLException {
        List<Map<String, Object>> columns = rows(metadata.getColumns(null, null, "probe_t", "%"));
        assertThat(columns).extracting(row -> row.get("ORDINAL_POSITION")).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(columns).extracting(row -> row.get("DATA_TYPE")).containsExactly(4, 12, 3, 93, 91, 8, -5, 2014);
        assertThat(columns)
                .extracting(row -> row.get("TYPE_NAME"))
                .containsExactly(
                        "INTEGER",
                        "VARCHAR",
                        "DECIMAL",
                        "TIMESTAMP",
                        "DATE",
                        "DOUBLE",
                        "BIGINT",
                        "TIMESTAMP WITH LOCAL TIME ZONE");
        assertThat(columns).extracting(row -> row.get("COLUMN_SIZE")).containsExactly(10, 20, 12, 23, 10, 15, 19, 32);
        assertThat(columns.get(2)).containsEntry("DECIMAL_DIGITS", 2);
        assertThat(columns.get(0)).containsEntry("NULLABLE", 0).containsEntry("IS_NULLABLE", "NO");
        assertThat(columns.get(1)).containsEntry("NULLABLE", 1).containsEntry("IS_NULLABLE", "YES");
        assertThat(columns.get(0).keySet())
                .containsExactly(
                        "TABLE_CAT",
                        "TABLE_SCHEM",
                        "TABLE_NAME",
                        "COLUMN_NAME",
                        "DATA_TYPE",
                        "TYPE_NAME",
                        "COLUMN_SIZE",
                        "BUFFER_LENGTH",
                        "DECIMAL_DIGITS",
                        "NUM_PREC_RADIX",
                        "NULLABLE",
                        "REMARKS",
                        "COLUMN_DEF",
                        "SQL_DATA_TYPE",
                        "SQL_DATETIME_SUB",
                        "CHAR_OCTET_LENGTH",
                        "ORDINAL_POSITION",
                        "IS_NULLABLE",
                        "SCOPE_CATALOG",
                        "SCOPE_SCHEMA",
                        "SCOPE_TABLE",
                        "SOURCE_DATA_TYPE",
                        "IS_AUTOINCREMENT",
                        "IS_GENERATEDCOLUMN");
    }

    @Test
    void keysAreKnown() throws SQLException {
        assertThat(rows(metadata.getPrimaryKeys(null, null, "probe_t")))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("COLUMN_NAME", "id")
                        .containsEntry("KEY_SEQ", 1)
                        .containsEntry("PK_NAME", "probe_t_pkey"));
        assertThat(rows(metadata.getPrimaryKeys(null, null, "probexu"))).isEmpty();
        assertThat(rows(metadata.getBestRowIdentifier(null, null, "probe_t", 1, true)))
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("COLUMN_NAME", "id"));
    }

    @Test
    void whatThereIsNoneOfIsEmptyAndTyped() throws SQLException {
        assertThat(empty(metadata.getIndexInfo(null, null, "t", false, true))).isEqualTo(13);
        assertThat(empty(metadata.getImportedKeys(null, null, "t"))).isEqualTo(14);
        assertThat(empty(metadata.getExportedKeys(null, null, "t"))).isEqualTo(14);
        assertThat(empty(metadata.getCrossReference(null, null, "t", null, null, "t")))
                .isEqualTo(14);
        assertThat(empty(metadata.getVersionColumns(null, null, "t"))).isEqualTo(8);
        assertThat(empty(metadata.getProcedures(null, null, "%"))).isEqualTo(9);
        assertThat(empty(metadata.getProcedureColumns(null, null, "%", "%"))).isEqualTo(20);
        assertThat(empty(metadata.getFunctions(null, null, "%"))).isEqualTo(6);
        assertThat(empty(metadata.getFunctionColumns(null, null, "%", "%"))).isEqualTo(17);
        assertThat(empty(metadata.getUDTs(null, null, "%", null))).isEqualTo(7);
        assertThat(empty(metadata.getTablePrivileges(null, null, "t"))).isEqualTo(7);
        assertThat(empty(metadata.getColumnPrivileges(null, null, "t", "%"))).isEqualTo(8);
        assertThat(empty(metadata.getPseudoColumns(null, null, "t", "%"))).isEqualTo(12);
        assertThat(empty(metadata.getSuperTables(null, null, "t"))).isEqualTo(4);
        assertThat(empty(metadata.getSuperTypes(null, null, "t"))).isEqualTo(6);
        assertThat(empty(metadata.getAttributes(null, null, "%", "%"))).isEqualTo(21);
    }

    @Test
    void typesAreSortedByTheirCode() throws SQLException {
        List<Map<String, Object>> types = rows(metadata.getTypeInfo());
        List<Object> codes = types.stream().map(row -> row.get("DATA_TYPE")).toList();
        assertThat(codes).contains(4, 12, 93, 91, 8, -5, 16);
        assertThat(codes).isSortedAccordingTo(java.util.Comparator.comparing(code -> (Integer) code));
        assertThat(types.get(0)).hasSize(18);
    }

    @Test
    void schemasAreFiltered() throws SQLException {
        assertThat(rows(metadata.getSchemas()))
                .extracting(row -> row.get("TABLE_SCHEM"))
                .containsExactly("information_schema", "other", "public");
        assertThat(rows(metadata.getSchemas(null, "NO_SUCH%"))).isEmpty();
        assertThat(rows(metadata.getSchemas("tailwater", "pub%"))).hasSize(1);
        assertThat(rows(metadata.getCatalogs())).hasSize(1);
    }

    @Test
    void metadataWorksBesideOpenResults() throws SQLException {
        try (Statement statement = connection.createStatement();
                Statement push = connection.createStatement();
                ResultSet open = statement.executeQuery("SELECT n FROM series 100000");
                ResultSet quiet = push.executeQuery("SELECT n FROM quiet EMIT CHANGES")) {
            assertThat(open.next()).isTrue();
            assertThat(rows(metadata.getColumns(null, null, "probe_t", "%"))).hasSize(8);
            assertThat(open.next()).isTrue();
            assertThat(quiet.isClosed()).isFalse();
        }
    }

    private static int empty(ResultSet rows) throws SQLException {
        assertThat(rows.next()).isFalse();
        return rows.getMetaData().getColumnCount();
    }

    private static List<Map<String, Object>> rows(ResultSet result) throws SQLException {
        List<Map<String, Object>> rows = new ArrayList<>();
        ResultSetMetaData columns = result.getMetaData();
        while (result.next()) {
            Map<String, Object> row = new LinkedHashMap<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                row.put(columns.getColumnLabel(i), result.getObject(i));
            }
            rows.add(row);
        }
        result.close();
        return rows;
    }
}

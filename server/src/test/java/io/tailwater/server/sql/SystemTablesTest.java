package io.tailwater.server.sql;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.server.catalog.Catalogs;
import io.tailwater.server.catalog.LoggedEngine;
import io.tailwater.server.engine.Engine;
import io.tailwater.server.engine.Recovery;
import org.junit.jupiter.api.Test;

import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

final class SystemTablesTest {
    private final LoggedEngine engine = new LoggedEngine();
    private final SystemTables tables = new SystemTables(
            engine,
            () -> List.of(new SystemTables.Setting("fsync", "all", "input", "server", "What is synced.")),
            () -> List.of(new SystemTables.Node("1", "server", true, null, "localhost:7480", 42, "RUNNING")));
    private final CatalogImage image = CatalogImage.EMPTY
            .with(Catalogs.stream("s"))
            .with(new CatalogObject.Table(
                    Catalogs.name("t"),
                    Schema.of(
                            new Column("b", DataType.varchar(5).notNull()),
                            new Column("a", DataType.decimal(10, 2).notNull()),
                            new Column("ts", DataType.timestamp(3)),
                            new Column("d", DataType.DATE)),
                    List.of(1, 0),
                    new TreeMap<>()))
            .with(Catalogs.view("v", "s"))
            .with(Catalogs.materialized("mv", "s"))
            .withJob(Catalogs.job("j", "s", "s", "t"));

    private List<List<Object>> rows(String schema, String table) {
        return new ArrayList<>(tables.list(new ObjectName(schema, table), image));
    }

    private static Engine.JobStatus failed() {
        return new Engine.JobStatus(
                "j",
                "INSERT",
                Engine.JobStatus.State.FAILED,
                10,
                5,
                1,
                3,
                1_000_000L,
                "boom",
                List.of(new Engine.ReaderStatus(
                        0,
                        Catalogs.name("s"),
                        1_000_000L,
                        3_000_000L,
                        1,
                        List.of(new Engine.SplitPosition("0", 7), new Engine.SplitPosition("1", 9)),
                        2,
                        4)),
                List.of(new Engine.OperatorStatus(0, "Scan", 0, 10, 0, 0)));
    }

    @Test
    void watermarksHaveARowForEachReader() {
        engine.jobs = List.of(failed());
        assertThat(rows("sys", "watermarks"))
                .containsExactly(Arrays.asList("j", "public", "s", 3L, 1_000_000L, 3_000_000L, false, true, 1L, 2L));
    }

    @Test
    void errorsAreFailuresAndRowsLeftOut() {
        engine.jobs = List.of(failed());
        assertThat(rows("sys", "errors"))
                .containsExactly(
                        Arrays.asList("j", null, null, "boom", 0L, 0L),
                        Arrays.asList("j", "public", "s", null, 2L, 4L));
    }

    @Test
    void snapshotsTellHowLongTheyTookAndWhatIsSinceTheOneBefore() {
        engine.snapshots = List.of(
                new Recovery.SnapshotStatus(7, 1_000_000, 5, 50, 2, 80, 3, -1, -1),
                new Recovery.SnapshotStatus(9, 3_000_000, 6, 60, 3, 140, 4, 1_500_000, 2_000_000));
        assertThat(rows("sys", "snapshots"))
                .containsExactly(
                        Arrays.asList("default", 7L, 1_000_000L, 5L, 50L, 2L, 80L, 3L, null, null, null),
                        Arrays.asList("default", 9L, 3_000_000L, 6L, 60L, 3L, 140L, 4L, 1.5, 2.0, 2_000L));
    }

    @Test
    void eachTableMakesRowsOfItsSchema() {
        engine.jobs = List.of(failed());
        engine.streams = List.of(new Engine.StreamStatus(Catalogs.name("s"), 1, 2, 3, 4));
        engine.snapshots = List.of(
                new Recovery.SnapshotStatus(7, 1_000_000, 5, 50, 2, 80, 3, -1, -1),
                new Recovery.SnapshotStatus(9, 3_000_000, 6, 60, 3, 140, 4, 1_500_000, 2_000_000));
        engine.points = List.of(new Recovery.RecoveryPoint("p", 9, 3_000_000, 140, 3, List.of("j", "v")));
        MemoryAccount memory = MemoryAccount.unlimited("test");
        for (CatalogObject.SystemTable table : SystemTables.definitions()) {
            List<ColumnBatch> batches = tables.rows(image.with(table)).rows(table.name(), memory);
            assertThat(BatchRows.count(batches)).as(table.name().toString()).isPositive();
            for (ColumnBatch batch : batches) {
                assertThat(batch.columns()).isEqualTo(table.schema().size());
                for (int column = 0; column < batch.columns(); column++) {
                    if (!table.schema().type(column).nullable()) {
                        assertThat(batch.validity(column))
                                .as(table.name() + "." + table.schema().column(column))
                                .isZero();
                    }
                }
            }
            BatchRows.close(batches);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void tablesAndViewsHaveTheTypesThatToolsKnow() {
        assertThat(rows("information_schema", "tables"))
                .containsExactly(
                        List.of("tailwater", "public", "mv", "VIEW", "MATERIALIZED VIEW"),
                        List.of("tailwater", "public", "s", "TABLE", "STREAM"),
                        List.of("tailwater", "public", "t", "TABLE", "TABLE"),
                        List.of("tailwater", "public", "v", "VIEW", "VIEW"));
    }

    @Test
    void columnsCarryPrecisionAndJdbcType() {
        List<List<Object>> columns = rows("information_schema", "columns");
        assertThat(columns)
                .contains(
                        Arrays.asList(
                                "tailwater",
                                "public",
                                "t",
                                "b",
                                1L,
                                "NO",
                                "VARCHAR(5)",
                                5L,
                                null,
                                null,
                                null,
                                (long) Types.VARCHAR,
                                "VARCHAR"),
                        Arrays.asList(
                                "tailwater",
                                "public",
                                "t",
                                "a",
                                2L,
                                "NO",
                                "DECIMAL(10, 2)",
                                null,
                                10L,
                                2L,
                                null,
                                (long) Types.DECIMAL,
                                "DECIMAL"),
                        Arrays.asList(
                                "tailwater",
                                "public",
                                "t",
                                "ts",
                                3L,
                                "YES",
                                "TIMESTAMP(3)",
                                null,
                                null,
                                null,
                                3L,
                                (long) Types.TIMESTAMP,
                                "TIMESTAMP"));
    }

    @Test
    void keysComeInTheOrderOfTheKey() {
        assertThat(rows("information_schema", "key_column_usage"))
                .containsExactly(List.of("t_pkey", "public", "t", "a", 1L), List.of("t_pkey", "public", "t", "b", 2L));
    }

    @Test
    void aConnectorStreamHasNoCounts() {
        TreeMap<String, String> options = new TreeMap<>();
        options.put("connector", "file");
        CatalogImage more =
                image.with(new CatalogObject.Stream(Catalogs.name("f"), Catalogs.SCHEMA, null, List.of(), 1, options));
        assertThat(tables.list(new ObjectName("sys", "streams"), more))
                .contains(Arrays.asList("public", "f", "connector", "file", 1L, null, null, null));
    }
}

package io.tailwater.connector.files;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** DuckDB writes the files and is the oracle for what they hold. */
class ParquetReadTest {
    private static final String EVERY_TYPE = "SELECT "
            + "i % 2 = 0 AS b, (i % 100)::TINYINT AS t, (i * 6)::SMALLINT AS s, (i * 1001)::INTEGER AS i,"
            + " i * 1000000007 AS l, (i % 250)::UTINYINT AS ut, (4000000000 + i)::UINTEGER AS ui,"
            + " (18446744073709540000 + i)::UBIGINT AS ul, (i / 100)::DECIMAL(4, 2) AS d4, (i / 7)::DECIMAL(15, 3) AS d15,"
            + " (i / 7)::DECIMAL(38, 10) AS d38, (i / 3)::FLOAT AS f, i / 3 AS d, 'text ' || (i % 17) AS v,"
            + " 'only here ' || i || repeat('x', (i % 50)::INT) AS v2, encode('b' || i) AS y,"
            + " DATE '1999-12-31' + i::INT AS dt, TIME '00:00:00.5' + INTERVAL (i) SECOND AS tm,"
            + " TIMESTAMP '1969-12-31 23:00:00.123456' + INTERVAL (i) SECOND AS ts,"
            + " (TIMESTAMP '2001-01-01 00:00:00.123' + INTERVAL (i) SECOND)::TIMESTAMP_MS AS tms,"
            + " (TIMESTAMP '2001-01-01 00:00:00.123456' + INTERVAL (i) SECOND)::TIMESTAMP_NS AS tns"
            + " FROM range(5000) r(i)";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMPRESSION zstd, ROW_GROUP_SIZE 2048",
                "COMPRESSION snappy",
                "COMPRESSION gzip",
                "COMPRESSION uncompressed, PARQUET_VERSION V2"
            })
    void everyTypeReadsAsDuckDbReadsIt(String options) throws Exception {
        String nullable =
                "SELECT " + "CASE WHEN hash(i) % 5 = 0 THEN NULL ELSE COLUMNS(*) END FROM (" + EVERY_TYPE + ")";
        for (String query : List.of(EVERY_TYPE, nullable)) {
            Path file = write(query, options);
            CatalogObject.Stream stream = Reading.stream(file, Schema.of(), Map.of());
            assertThat(Reading.rows(stream)).isEqualTo(DuckDb.rows("SELECT * FROM '" + file + "'", stream.schema()));
        }
    }

    @Test
    void columnsAndTypesAreImplied() throws Exception {
        assertThat(Reading.stream(write(EVERY_TYPE, "COMPRESSION zstd"), Schema.of(), Map.of())
                        .schema())
                .hasToString("(b BOOLEAN, t TINYINT, s SMALLINT, i INTEGER, l BIGINT, ut INTEGER, ui BIGINT,"
                        + " ul DECIMAL(20, 0), d4 DECIMAL(4, 2), d15 DECIMAL(15, 3), d38 DECIMAL(38, 10), f REAL, d DOUBLE,"
                        + " v VARCHAR, v2 VARCHAR, y VARBINARY, dt DATE, tm TIME(6), ts TIMESTAMP(6), tms TIMESTAMP(3),"
                        + " tns TIMESTAMP(6))");
    }

    @Test
    void anyRangeOfAnyColumnsHasTheSameRows() throws Exception {
        Path file = write(
                "SELECT i AS a, CASE WHEN i % 3 = 0 THEN NULL ELSE 'v' || i % 100 END AS b,"
                        + " TIMESTAMP '2001-01-01 00:00:00' + INTERVAL (hash(i) % 1000) SECOND AS t FROM range(20000) r(i)",
                "ROW_GROUP_SIZE 6000");
        CatalogObject.Stream stream = Reading.stream(file, Schema.of(), Map.of());
        List<List<@Nullable Object>> whole = Reading.rows(stream);
        MemoryAccount memory = MemoryAccount.unlimited("test");
        Random random = new Random(2);
        for (int trial = 0; trial < 5; trial++) {
            List<List<@Nullable Object>> read = new ArrayList<>();
            try (SplitReader reader = Reading.open(stream, List.of(1, 0), 2, memory);
                    SplitReader replay = Reading.open(stream, List.of(0, 1, 2), -1, memory)) {
                long at = 0;
                boolean finished = false;
                while (!finished) {
                    SplitReader.Ready ready = Reading.await(reader, at, 1 + random.nextInt(5000));
                    assertThat(ready.to() - at).isEqualTo(ready.rows());
                    List<List<@Nullable Object>> again = Reading.range(replay, at, ready.to());
                    assertThat(again).isEqualTo(whole.subList((int) at, (int) ready.to()));
                    List<Long> times =
                            again.stream().map(row -> (Long) row.get(2)).toList();
                    assertThat(ready.minTime())
                            .isEqualTo(times.stream().min(Long::compare).orElseThrow());
                    assertThat(ready.maxTime())
                            .isEqualTo(times.stream().max(Long::compare).orElseThrow());
                    read.addAll(Reading.range(reader, at, ready.to()));
                    at = ready.to();
                    finished = ready.finished();
                }
                int from = random.nextInt(20000);
                int to = from + random.nextInt(20001 - from);
                assertThat(Reading.range(replay, from, to)).isEqualTo(whole.subList(from, to));
            }
            assertThat(read)
                    .isEqualTo(whole.stream()
                            .map(row -> Arrays.asList(row.get(1), row.get(0)))
                            .toList());
        }
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void declaredColumnsAreFoundByNameAndWidened() throws Exception {
        Path file = write("SELECT 5::INTEGER AS A, 'x' AS b, [1] AS c", "COMPRESSION zstd");
        Schema schema = Schema.of(new Column("b", DataType.varchar(3)), new Column("a", DataType.decimal(10, 2)));
        assertThat(Reading.rows(Reading.stream(file, schema, Map.of())))
                .containsExactly(Arrays.asList("x", new java.math.BigDecimal("5.00")));
        refused(ErrorCode.UNDEFINED_COLUMN, "no column \"z\"", file, Schema.of(new Column("z", DataType.BIGINT)));
        refused(
                ErrorCode.DATATYPE_MISMATCH,
                "cannot be read as BIGINT",
                file,
                Schema.of(new Column("b", DataType.BIGINT)));
        refused(ErrorCode.DATATYPE_MISMATCH, "cannot be read as", file, Schema.of(new Column("c", DataType.VARCHAR)));
        refused(ErrorCode.FEATURE_NOT_SUPPORTED, "column \"c\"", file, Schema.of());
    }

    @Test
    void rowsThatDoNotFitFailWithRowAndColumnOrAreSkipped() throws Exception {
        Path file = write(
                "SELECT CASE WHEN i % 1000 = 999 THEN 300 ELSE i % 100 END AS a,"
                        + " CASE WHEN i = 1500 THEN 'too long' WHEN i = 3000 THEN NULL ELSE 'ok' END AS b"
                        + " FROM range(6000) r(i)",
                "ROW_GROUP_SIZE 2048");
        Schema schema = Schema.of(
                new Column("a", DataType.TINYINT),
                new Column("b", DataType.varchar(3).notNull()));
        CatalogObject.Stream failing = Reading.stream(file, schema, Map.of());
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (SplitReader reader = Reading.open(failing, List.of(0, 1), -1, memory)) {
            assertThat(Reading.await(reader, 0, 10_000).rows()).isEqualTo(999);
            assertThatThrownBy(() -> Reading.await(reader, 999, 10_000))
                    .isInstanceOfSatisfying(
                            StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_RECORD))
                    .hasMessageContaining("row 1000, column \"a\": out of range for TINYINT: 300");
        }
        CatalogObject.Stream skipping = Reading.stream(file, schema, Map.of("on_error", "skip"));
        assertThat(Reading.rows(skipping)).hasSize(6000 - 8);
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void whatIsNoParquetIsRefused() throws Exception {
        Path file = Files.writeString(directory.resolve("t.parquet"), "certainly not a Parquet file");
        assertThatThrownBy(() -> Reading.stream(file, Schema.of(), Map.of()))
                .hasMessageContaining("is no sound Parquet file");
        Path sound = write("SELECT i AS a FROM range(10000) r(i)", "COMPRESSION snappy");
        byte[] bytes = Files.readAllBytes(sound);
        Random random = new Random(1);
        for (int trial = 0; trial < 40; trial++) {
            byte[] broken = bytes.clone();
            for (int i = 0; i < 20; i++) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            }
            Files.write(file, broken);
            try {
                Reading.rows(Reading.stream(file, Schema.of(), Map.of()));
            } catch (StreamException e) {
                assertThat(e.code().kind()).as(e.getMessage()).isEqualTo(ErrorCode.Kind.USER);
            }
        }
    }

    private void refused(ErrorCode code, String message, Path path, Schema schema) {
        assertThatThrownBy(() -> Reading.stream(path, schema, Map.of()))
                .isInstanceOfSatisfying(StreamException.class, e -> {
                    assertThat(e).hasMessageContaining(message);
                    assertThat(e.code()).isEqualTo(code);
                });
    }

    private Path write(String query, String options) throws Exception {
        Path file = directory.resolve("t" + Integer.toHexString((query + options).hashCode()) + ".parquet");
        DuckDb.execute("COPY (" + query + ") TO '" + file + "' (FORMAT parquet, " + options + ")");
        return file;
    }
}

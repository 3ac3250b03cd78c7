package io.tailwater.connector.files;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.TimeStampNanoVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Files that Arrow's own library writes. */
class ArrowReadTest {
    private static final int ROWS = 5000;

    @TempDir
    private Path directory;

    @Test
    void filesAndStreamsOfSeveralBatchesAreReadWithTheirColumnsImplied() throws Exception {
        for (boolean file : new boolean[] {true, false}) {
            Path path = directory.resolve(file ? "t.arrow" : "t.arrows");
            List<List<@Nullable Object>> expected = write(path, file);
            CatalogObject.Stream stream = Reading.stream(path, Schema.of(), Map.of());
            assertThat(stream.schema())
                    .hasToString("(id BIGINT, x DOUBLE, name VARCHAR, d DATE, price DECIMAL(12, 2), ms TIMESTAMP(3),"
                            + " ns TIMESTAMP(6))");
            assertThat(Reading.rows(stream)).isEqualTo(expected);
            assertThat(Reading.rows(stream, List.of(6, 2)))
                    .isEqualTo(expected.stream()
                            .map(row -> Arrays.asList(row.get(6), row.get(2)))
                            .toList());
        }
    }

    @Test
    void anEmptyDirectoryThatIsFollowedTakesAFileOnceItIsComplete() throws Exception {
        Path whole = directory.resolve("whole");
        write(whole, true);
        byte[] bytes = Files.readAllBytes(whole);
        Files.delete(whole);
        Schema id = Schema.of(new Column("ID", DataType.BIGINT));
        CatalogObject.Stream stream = Reading.stream(directory, id, Map.of("format", "arrow", "tail", "true"));
        Path path = directory.resolve("t.arrow");
        Files.write(path, Arrays.copyOf(bytes, bytes.length / 2));
        assertThat(Reading.CONNECTOR.newSplits(stream, List.of())).isEmpty();
        Files.write(path, Arrays.copyOfRange(bytes, bytes.length / 2, bytes.length), StandardOpenOption.APPEND);
        List<String> splits = Reading.CONNECTOR.newSplits(stream, List.of());
        assertThat(splits).hasSize(1);
        assertThat(Reading.CONNECTOR.newSplits(stream, splits)).isEmpty();
    }

    @Test
    void whatCannotBeReadIsSaid() throws Exception {
        Path path = directory.resolve("t.arrow");
        try (RootAllocator memory = new RootAllocator();
                UInt4Vector unsigned = new UInt4Vector("u", memory);
                VectorSchemaRoot root = VectorSchemaRoot.of(unsigned);
                FileOutputStream out = new FileOutputStream(path.toFile());
                ArrowWriter writer = new ArrowFileWriter(root, null, out.getChannel())) {
            unsigned.allocateNew(1);
            unsigned.setSafe(0, 1);
            root.setRowCount(1);
            writer.writeBatch();
        }
        assertThatThrownBy(() -> Reading.stream(path, Schema.of(), Map.of()))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("column \"u\" of type Int");
        Files.writeString(path, "no arrow at all, but long enough");
        assertThatThrownBy(() -> Reading.stream(path, Schema.of(), Map.of()))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("no sound Arrow file");
        write(path, true);
        assertThatThrownBy(() -> Reading.stream(path, Schema.of(new Column("d", DataType.BIGINT)), Map.of()))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("cannot be read as BIGINT: it is DATE");
    }

    private static List<List<@Nullable Object>> write(Path path, boolean file) throws Exception {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (RootAllocator memory = new RootAllocator();
                BigIntVector id = new BigIntVector("id", memory);
                Float8Vector x = new Float8Vector("x", memory);
                VarCharVector name = new VarCharVector("name", memory);
                DateDayVector day = new DateDayVector("d", memory);
                DecimalVector price = new DecimalVector("price", memory, 12, 2);
                TimeStampMilliVector ms = new TimeStampMilliVector("ms", memory);
                TimeStampNanoVector ns = new TimeStampNanoVector("ns", memory);
                VectorSchemaRoot root = VectorSchemaRoot.of(id, x, name, day, price, ms, ns);
                FileOutputStream out = new FileOutputStream(path.toFile());
                ArrowWriter writer = file
                        ? new ArrowFileWriter(root, null, out.getChannel())
                        : new ArrowStreamWriter(root, null, out.getChannel())) {
            for (int batch = 0; batch < 3; batch++) {
                root.allocateNew();
                for (int i = 0; i < ROWS; i++) {
                    long n = batch * 10_000L + i;
                    boolean isNull = n % 7 == 3;
                    id.setSafe(i, n);
                    x.setSafe(i, n / 3.0);
                    if (!isNull) {
                        name.setSafe(i, ("name number " + n).getBytes(StandardCharsets.UTF_8));
                        price.setSafe(i, BigDecimal.valueOf(n, 2));
                    } else {
                        name.setNull(i);
                        price.setNull(i);
                    }
                    day.setSafe(i, (int) n);
                    ms.setSafe(i, n);
                    ns.setSafe(i, -n);
                    rows.add(Arrays.asList(
                            n,
                            n / 3.0,
                            isNull ? null : "name number " + n,
                            n,
                            isNull ? null : BigDecimal.valueOf(n, 2),
                            n * 1000,
                            Math.floorDiv(-n, 1000L)));
                }
                root.setRowCount(ROWS);
                writer.writeBatch();
            }
            writer.end();
        }
        return rows;
    }
}

package io.tailwater.connector.basic;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class PrintConnectorTest {
    @Test
    void eachRowIsALineWithTheStreamsName() {
        Schema schema = Schema.of(
                new Column("a", DataType.BIGINT),
                new Column("t", DataType.timestamp(3)),
                new Column("b", DataType.VARCHAR));
        CatalogObject.Stream stream =
                new CatalogObject.Stream(ObjectName.inPublic("out"), schema, null, List.of(), 1, new TreeMap<>());
        List<String> lines = new ArrayList<>();
        MemoryAccount memory = MemoryAccount.unlimited("test");
        try (SinkWriter writer =
                new PrintConnector(lines::add).write(stream, new Connector.WriteContext(0, 1, 5, memory))) {
            try (BatchBuilder out = new BatchBuilder(schema, 2, true, memory)) {
                Values.set(out, 0, 0, 1L);
                Values.set(out, 1, 0, 1_704_067_200_500_000L);
                Values.set(out, 2, 0, "x");
                Values.set(out, 0, 1, 2L);
                Values.set(out, 1, 1, null);
                Values.set(out, 2, 1, null);
                Mem.putLong(out.weights(), 2);
                Mem.putLong(out.weights() + 8, -1);
                try (ColumnBatch batch = out.finish(2)) {
                    writer.write(batch);
                }
            }
            assertThat(writer.endTick(3)).isEqualTo(7);
        }
        assertThat(lines)
                .containsExactly(
                        "out +I[1, 2024-01-01 00:00:00.500, x]",
                        "out +I[1, 2024-01-01 00:00:00.500, x]",
                        "out -D[2, NULL, NULL]");
        assertThat(memory.usedBytes()).isZero();
    }
}

package io.tailwater.connector.basic;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SinkWriter;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;
import io.tailwater.testing.ZSet;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BlackholeConnectorTest {
    private static final Schema SCHEMA = Schema.of(new Column("a", DataType.BIGINT));

    private final MemoryAccount memory = MemoryAccount.unlimited("test");
    private final BlackholeConnector connector = new BlackholeConnector();

    @Test
    void positionsCountTheRowsAcrossARestart() {
        try (SinkWriter writer = connector.write(stream(SCHEMA), new Connector.WriteContext(0, 1, -1, memory));
                ColumnBatch batch = ZSet.batch(SCHEMA, memory, List.of(List.of(1L), List.of(2L)), new long[] {1, -1})) {
            writer.write(batch);
            assertThat(writer.endTick(1)).isEqualTo(2);
            writer.write(batch);
            assertThat(writer.endTick(2)).isEqualTo(4);
            try (SinkWriter restarted = connector.write(stream(SCHEMA), new Connector.WriteContext(0, 1, 2, memory))) {
                restarted.write(batch);
                assertThat(restarted.endTick(2)).isEqualTo(4);
            }
        }
        assertThat(memory.usedBytes()).as("the writer borrows batches").isZero();
    }

    @Test
    void itTakesChangesOfAnyKindButCannotBeRead() {
        assertThat(connector.acceptsUpdates(stream(SCHEMA))).isTrue();
        assertThat(connector.readable()).isFalse();
        assertThatThrownBy(() -> connector.splits(stream(SCHEMA), 2))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_OBJECT_TYPE));
    }

    @Test
    void columnsMustBeDeclared() {
        assertThat(connector.resolve(stream(SCHEMA), Path.of("/"))).isEqualTo(stream(SCHEMA));
        assertThatThrownBy(() -> connector.resolve(stream(Schema.of()), Path.of("/")))
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_TABLE_DEFINITION));
    }

    @Test
    void itIsFoundByName() {
        assertThat(ServiceLoader.load(Connector.class).stream()
                        .map(provider -> provider.get().name()))
                .contains("blackhole");
    }

    private static CatalogObject.Stream stream(Schema schema) {
        return new CatalogObject.Stream(
                ObjectName.inPublic("hole"),
                schema,
                null,
                List.of(),
                1,
                new TreeMap<>(Map.of("connector", "blackhole")));
    }
}

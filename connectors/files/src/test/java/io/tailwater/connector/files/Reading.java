package io.tailwater.connector.files;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.Values;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.common.time.Clock;
import io.tailwater.common.type.Schema;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Reads file streams as a worker does, ready by ready, and checks on the way what a reader promises. */
final class Reading {
    static final FileConnector CONNECTOR = new FileConnector();

    private Reading() {}

    static CatalogObject.Stream stream(Path path, Schema schema, Map<String, String> options) {
        Map<String, String> with = new TreeMap<>(options);
        with.put("connector", "file");
        with.put("path", path.toString());
        return CONNECTOR.resolve(
                new CatalogObject.Stream(ObjectName.inPublic("s"), schema, null, List.of(), 1, new TreeMap<>(with)),
                Path.of("/"));
    }

    static List<Integer> all(Schema schema) {
        return IntStream.range(0, schema.size()).boxed().toList();
    }

    static String split(CatalogObject.Stream stream) {
        return split(stream, 1);
    }

    static String split(CatalogObject.Stream stream, int parallelism) {
        List<String> splits = CONNECTOR.splits(stream, parallelism);
        assertThat(splits).hasSize(1);
        return splits.get(0);
    }

    static SplitReader open(CatalogObject.Stream stream, List<Integer> columns, int time, MemoryAccount memory) {
        return CONNECTOR.open(stream, split(stream), new ReadContext(columns, time, memory, Clock.SYSTEM));
    }

    /** All rows, as {@link Values} has them, but bytes in hexadecimal. */
    static List<List<@Nullable Object>> rows(CatalogObject.Stream stream) {
        return rows(stream, all(stream.schema()));
    }

    static List<List<@Nullable Object>> rows(CatalogObject.Stream stream, List<Integer> columns) {
        MemoryAccount memory = MemoryAccount.unlimited("test");
        List<List<@Nullable Object>> out = new ArrayList<>();
        try (SplitReader reader = open(stream, columns, -1, memory)) {
            long at = 0;
            SplitReader.Ready ready;
            do {
                ready = await(reader, at, Long.MAX_VALUE);
                out.addAll(range(reader, at, ready.to()));
                at = ready.to();
            } while (!ready.finished());
        }
        assertThat(memory.usedBytes()).isZero();
        return out;
    }

    /** Waits for rows or the end. */
    static SplitReader.Ready await(SplitReader reader, long from, long maxRows) {
        Semaphore woken = new Semaphore(0);
        reader.onReady(woken::release);
        while (true) {
            SplitReader.Ready ready = reader.ready(from, maxRows);
            if (ready.rows() > 0 || ready.finished()) {
                return ready;
            }
            try {
                assertThat(woken.tryAcquire(20, TimeUnit.SECONDS))
                        .as("a wake-up")
                        .isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    static List<List<@Nullable Object>> range(SplitReader reader, long from, long to) {
        List<List<@Nullable Object>> out = new ArrayList<>();
        reader.read(from, to, batch -> drain(batch, out));
        return out;
    }

    static void drain(ColumnBatch batch, List<List<@Nullable Object>> out) {
        try (batch) {
            for (int row = 0; row < batch.rows(); row++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int column = 0; column < batch.columns(); column++) {
                    Object value = Values.get(batch, column, row);
                    values.add(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
                }
                out.add(values);
            }
        }
    }
}

package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.type.Schema;
import io.tailwater.server.engine.Engine.Position;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.SortedMap;

/** Streams and logs as the engine needs them: typed batches over partitions of frames. Thread-safe. */
interface StreamStorage extends AutoCloseable {
    /** Opens or makes the partitions of a stream. Idempotent. */
    void open(Layout layout);

    void drop(ObjectName name);

    /** Splits of a stream: external partitions first, then the application's. */
    List<String> splits(ObjectName name);

    /** Reads a split, {@code number} of those of the stream: the given columns of its schema in this order. */
    SplitReader read(ObjectName name, String split, int number, List<Integer> columns, MemoryAccount memory);

    /** Appends external rows and waits until they are durable. Owns the batch. */
    Position append(ObjectName name, ColumnBatch rows);

    /** As {@link #append} if the external partitions still end at {@code seen}; null otherwise. Owns the batch. */
    @Nullable Position appendIf(ObjectName name, ColumnBatch rows, Position seen);

    /** Durable ends of the external partitions. */
    Position position(ObjectName name);

    /** For each of {@link #splits}, where what is kept begins. */
    List<Long> starts(ObjectName name);

    /** For each of {@link #splits}, where what is visible now ends. */
    List<Long> visibleEnds(ObjectName name);

    /** Writes the application's output to a stream, from one worker. Invisible until {@link #commit}. */
    Writer writer(ObjectName name, List<Integer> partitionBy, int worker, int workers);

    /** Makes the application's frames visible, exactly these; a stream that is gone is ignored. {@code name} as {@code schema.name}. */
    void commit(String name, List<ControlRecord.PartitionRange> ranges);

    /** The application's frames that are visible, per stream as {@code schema.name}. */
    SortedMap<String, List<ControlRecord.PartitionRange>> committed();

    List<Engine.StreamStatus> status();

    /** Forces outputs to disk, data before log. */
    void sync();

    @Override
    void close();

    /**
     * How a stream is stored.
     *
     * @param incarnation of the catalog object: another one of the same name has another
     * @param retention what is kept of it
     * @param weighted whether frames carry weights: a keyed table's inbox
     * @param timeColumn event time, or -1
     */
    record Layout(
            ObjectName name,
            long incarnation,
            LogRetention retention,
            Schema schema,
            boolean weighted,
            int timeColumn,
            List<Integer> partitionBy,
            int partitions) {
        /** Of a stored stream. */
        static Layout of(CatalogObject.Stream stream, long incarnation) {
            CatalogObject.Watermark watermark = stream.watermark();
            return new Layout(
                    stream.name(),
                    incarnation,
                    LogRetention.of(stream),
                    stream.schema(),
                    false,
                    watermark == null ? -1 : watermark.column(),
                    stream.partitionBy(),
                    stream.partitions());
        }
    }

    /** One worker's appender to the application's partitions. Owned by the worker. */
    interface Writer extends AutoCloseable {
        /** Owns the batch. */
        void write(ColumnBatch batch);

        /** Writes out what is left of the tick; what was appended since the last call. */
        List<SinkOutcome.Range> endTick(long tick);

        @Override
        void close();
    }
}

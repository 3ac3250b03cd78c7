package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.SegmentStore;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.engine.Engine.Position;
import io.tailwater.storage.log.GroupCommit;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@link StreamStorage} over a segment store. Thread-safe. */
final class FrameStorage implements StreamStorage {
    private final SegmentStore store;
    private final GroupCommit commits;
    private final SpaceWait space;
    private final Map<ObjectName, StoredStream> streams = new HashMap<>();

    /** @param space where outputs wait while the disk is full */
    FrameStorage(SegmentStore store, SpaceWait space) {
        this.store = store;
        this.space = space;
        commits = new GroupCommit();
    }

    /** A stream as the application log names it. */
    static String text(ObjectName name) {
        return name.schema() + "." + name.name();
    }

    /** Under which its frames are stored: never the same for two streams, though they bear one name after the other. */
    private static String owner(ObjectName name, long incarnation) {
        return text(name) + "-" + incarnation;
    }

    private static String owner(Layout layout) {
        return owner(layout.name(), layout.incarnation());
    }

    /** The log's name of what is stored under {@code owner}. */
    static String textOf(String owner) {
        return owner.substring(0, Math.max(0, owner.lastIndexOf('-')));
    }

    @Override
    public synchronized void open(Layout layout) {
        StoredStream open = streams.get(layout.name());
        if (open == null || open.layout().incarnation() < layout.incarnation()) {
            streams.put(layout.name(), new StoredStream(layout, owner(layout), store, commits));
        }
    }

    @Override
    public void drop(ObjectName name) {
        StoredStream stream;
        synchronized (this) {
            stream = streams.get(name);
        }
        if (stream != null) {
            stream.dropped();
            store.delete(owner(stream.layout()));
            synchronized (this) {
                // Not before: a drop that failed is tried again.
                streams.remove(name);
            }
        }
    }

    private synchronized StoredStream stream(ObjectName name) {
        StoredStream stream = streams.get(name);
        if (stream == null) {
            throw new StreamException(ErrorCode.UNDEFINED_TABLE, "\"" + name + "\" has no storage: it was dropped");
        }
        return stream;
    }

    private synchronized List<StoredStream> all() {
        return new ArrayList<>(streams.values());
    }

    @Override
    public List<String> splits(ObjectName name) {
        return stream(name).splits();
    }

    @Override
    public SplitReader read(ObjectName name, String split, int number, List<Integer> columns, MemoryAccount memory) {
        return stream(name).read(split, number, columns, memory);
    }

    @Override
    public Position append(ObjectName name, ColumnBatch rows) {
        try (rows) {
            return Futures.await(stream(name).append(rows));
        }
    }

    @Override
    public @Nullable Position appendIf(ObjectName name, ColumnBatch rows, Position seen) {
        try (rows) {
            var appended = stream(name).appendIf(rows, seen);
            return appended == null ? null : Futures.await(appended);
        }
    }

    @Override
    public Position position(ObjectName name) {
        return stream(name).position();
    }

    @Override
    public List<Long> starts(ObjectName name) {
        return stream(name).starts();
    }

    @Override
    public List<Long> visibleEnds(ObjectName name) {
        return stream(name).visibleEnds();
    }

    @Override
    public Writer writer(ObjectName name, List<Integer> partitionBy, int worker, int workers) {
        return new FrameWriter(stream(name), partitionBy, worker, space);
    }

    @Override
    public void commit(String name, List<ControlRecord.PartitionRange> ranges) {
        for (StoredStream stream : all()) {
            if (text(stream.name()).equals(name)) {
                stream.commit(ranges);
            }
        }
    }

    @Override
    public SortedMap<String, List<ControlRecord.PartitionRange>> committed() {
        SortedMap<String, List<ControlRecord.PartitionRange>> out = new TreeMap<>();
        for (StoredStream stream : all()) {
            List<ControlRecord.PartitionRange> ranges = stream.committedRanges();
            if (!ranges.isEmpty()) {
                out.put(text(stream.name()), ranges);
            }
        }
        return out;
    }

    /** Owners of frames that are there although nobody opened them. */
    List<String> unopened() {
        List<String> open = all().stream().map(s -> owner(s.layout())).toList();
        return store.owners().stream().filter(o -> !open.contains(o)).toList();
    }

    void delete(String owner) {
        store.delete(owner);
    }

    /** Whether there is storage of this object, opened or not. */
    boolean exists(ObjectName name, long incarnation) {
        return store.owners().contains(owner(name, incarnation));
    }

    synchronized boolean isOpen(ObjectName name) {
        return streams.containsKey(name);
    }

    /** Whether the frames that a commit names are there; those of dropped streams do not matter. */
    boolean hasAll(List<ControlRecord.OutputCommit> outputs) {
        for (ControlRecord.OutputCommit output : outputs) {
            for (StoredStream stream : all()) {
                if (text(stream.name()).equals(output.stream())) {
                    for (ControlRecord.PartitionRange range : output.ranges()) {
                        if (range.to()
                                > stream.applicationLog(range.partition()).end()) {
                            return false;
                        }
                    }
                }
            }
        }
        return true;
    }

    /**
     * Removes what streams need not keep.
     *
     * @param needed per stream and split, the first frame that a job would read again after a restart
     */
    void retain(Map<ObjectName, Map<String, Long>> needed, long nowMicros) {
        for (StoredStream stream : all()) {
            stream.retain(needed.getOrDefault(stream.name(), Map.of()), nowMicros);
        }
    }

    @Override
    public List<Engine.StreamStatus> status() {
        return all().stream().map(StoredStream::status).toList();
    }

    @Override
    public void sync() {
        all().forEach(StoredStream::syncApplication);
    }

    @Override
    public void close() {
        commits.close();
        store.close();
    }
}

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

/** {@link StreamStorage} over a segment store. Thread-safe. */
final class FrameStorage implements StreamStorage {
    private final SegmentStore store;
    private final GroupCommit commits;
    private final Map<ObjectName, StoredStream> streams = new HashMap<>();

    FrameStorage(SegmentStore store) {
        this.store = store;
        commits = new GroupCommit();
    }

    static String owner(ObjectName name) {
        return name.schema() + "." + name.name();
    }

    @Override
    public synchronized void open(Layout layout) {
        streams.computeIfAbsent(layout.name(), n -> new StoredStream(layout, owner(n), store, commits));
    }

    @Override
    public void drop(ObjectName name) {
        synchronized (this) {
            streams.remove(name);
        }
        store.delete(owner(name));
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
    public List<Long> visibleEnds(ObjectName name) {
        return stream(name).visibleEnds();
    }

    @Override
    public Writer writer(ObjectName name, List<Integer> partitionBy, int worker, int workers) {
        return new FrameWriter(stream(name), partitionBy, worker);
    }

    @Override
    public void commit(String name, List<ControlRecord.PartitionRange> ranges) {
        for (StoredStream stream : all()) {
            if (owner(stream.name()).equals(name)) {
                stream.commit(ranges);
            }
        }
    }

    /** Names, as {@code schema.name}, of streams whose storage is there although nobody opened them. */
    List<String> unopened() {
        List<String> open = all().stream().map(s -> owner(s.name())).toList();
        return store.owners().stream().filter(o -> !open.contains(o)).toList();
    }

    void delete(String owner) {
        store.delete(owner);
    }

    /** Whether there is storage of this name, opened or not. */
    boolean exists(ObjectName name) {
        return store.owners().contains(owner(name));
    }

    /** Forgets what was committed to a stream before it was dropped. */
    void forget(String owner) {
        for (StoredStream stream : all()) {
            if (owner(stream.name()).equals(owner)) {
                stream.forgetCommits();
            }
        }
    }

    /** Whether the frames that a commit names are there; those of dropped streams do not matter. */
    boolean hasAll(List<ControlRecord.OutputCommit> outputs) {
        for (ControlRecord.OutputCommit output : outputs) {
            for (StoredStream stream : all()) {
                if (owner(stream.name()).equals(output.stream())) {
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

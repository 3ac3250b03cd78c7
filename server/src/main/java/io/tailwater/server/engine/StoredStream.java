package io.tailwater.server.engine;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.BatchGather;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.ipc.BatchEncoder;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.connector.Connector;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import io.tailwater.server.engine.Engine.Position;
import io.tailwater.storage.log.GroupCommit;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A stored stream, or a keyed table's inbox: the external writer group {@code w0}, visible once durable, and the application's {@code w1}, visible frame by
 * frame as its COMMIT records name them. Thread-safe.
 */
final class StoredStream {
    private static final int EXTERNAL = 0;
    private static final int APPLICATION = 1;

    private final StreamStorage.Layout layout;
    private final GroupCommit commits;
    private final DataType[] types;
    private final List<PartitionLog> external = new ArrayList<>();
    private final List<PartitionLog> application = new ArrayList<>();
    private final List<CommittedRanges> committed = new ArrayList<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Object appendLock = new Object();
    private int nextPartition;
    private volatile boolean dropped;

    StoredStream(StreamStorage.Layout layout, String owner, SegmentStore store, GroupCommit commits) {
        this.layout = layout;
        this.commits = commits;
        types = BatchBuilder.types(layout.schema());
        for (int p = 0; p < layout.partitions(); p++) {
            PartitionLog log = store.open(new SegmentStore.PartitionName(owner, EXTERNAL, p));
            log.onDurable(this::changed);
            external.add(log);
            application.add(store.open(new SegmentStore.PartitionName(owner, APPLICATION, p)));
            committed.add(new CommittedRanges());
        }
    }

    ObjectName name() {
        return layout.name();
    }

    StreamStorage.Layout layout() {
        return layout;
    }

    List<String> splits() {
        List<String> out = new ArrayList<>();
        for (int writer = EXTERNAL; writer <= APPLICATION; writer++) {
            for (int p = 0; p < layout.partitions(); p++) {
                out.add("w" + writer + "/p" + p);
            }
        }
        return out;
    }

    SplitReader read(String split, int number, List<Integer> columns, MemoryAccount memory) {
        int index = splits().indexOf(split);
        if (index < 0) {
            throw new StreamException(ErrorCode.DATA_CORRUPTED, name() + " has no split " + split);
        }
        int p = index % layout.partitions();
        boolean own = index >= layout.partitions();
        return new FrameReader(
                this,
                own ? application.get(p) : external.get(p),
                own ? committed.get(p) : null,
                types,
                columns.stream().mapToInt(Integer::intValue).toArray(),
                Connector.ReadContext.arrivalBase(number),
                memory);
    }

    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    private void changed() {
        listeners.forEach(Runnable::run);
    }

    /** Appends external rows. Borrows the batch. Completes when they are durable. */
    CompletableFuture<Position> append(ColumnBatch rows) {
        synchronized (appendLock) {
            return appendLocked(rows);
        }
    }

    /** Null if the external partitions do not end at {@code seen} any more. */
    @Nullable CompletableFuture<Position> appendIf(ColumnBatch rows, Position seen) {
        synchronized (appendLock) {
            for (int p = 0; p < external.size(); p++) {
                if (external.get(p).end() != seen.ends().get(p)) {
                    return null;
                }
            }
            return appendLocked(rows);
        }
    }

    private CompletableFuture<Position> appendLocked(ColumnBatch rows) {
        long[] ends = new long[external.size()];
        List<CompletableFuture<Long>> durable = new ArrayList<>();
        try (MessageBuffer buffer = new MessageBuffer(1 << 12)) {
            forEachPartition(
                    rows,
                    layout.partitionBy(),
                    -1,
                    (p, part) -> durable.add(commits.append(external.get(p), header(part, 0), encode(part, buffer))
                            .thenApply(frame -> {
                                synchronized (ends) {
                                    ends[p] = frame + 1;
                                }
                                return frame;
                            })));
        }
        return CompletableFuture.allOf(durable.toArray(CompletableFuture[]::new))
                .thenApply(done -> {
                    synchronized (ends) {
                        return new Position(
                                java.util.Arrays.stream(ends).boxed().toList());
                    }
                });
    }

    /** Takes one partition's rows; borrows the batch. */
    interface PartitionConsumer {
        void accept(int partition, ColumnBatch rows);
    }

    /**
     * Cuts a batch by partition. Borrows it.
     *
     * @param fixed partition of rows that no column decides on, or -1 for the next in turn
     */
    void forEachPartition(ColumnBatch rows, List<Integer> partitionBy, int fixed, PartitionConsumer out) {
        int partitions = layout.partitions();
        if (partitions == 1) {
            out.accept(0, rows);
            return;
        }
        if (partitionBy.isEmpty()) {
            int p = fixed >= 0 ? fixed % partitions : nextPartition;
            nextPartition = (p + 1) % partitions;
            out.accept(p, rows);
            return;
        }
        int[] keys = partitionBy.stream().mapToInt(Integer::intValue).toArray();
        int[][] selections = new int[partitions][rows.rows()];
        int[] counts = new int[partitions];
        for (int row = 0; row < rows.rows(); row++) {
            int p = Hashing.vnode(Hashing.hashKey(rows, keys, row)) % partitions;
            selections[p][counts[p]++] = row;
        }
        MemoryAccount memory = MemoryAccount.unlimited("partitioning");
        for (int p = 0; p < partitions; p++) {
            if (counts[p] > 0) {
                try (ColumnBatch part = BatchGather.gather(rows, selections[p], counts[p], memory)) {
                    out.accept(p, part);
                }
            }
        }
    }

    java.nio.ByteBuffer encode(ColumnBatch rows, MessageBuffer buffer) {
        buffer.clear();
        BatchEncoder.Encoded message = BatchEncoder.encode(rows, layout.weighted(), buffer);
        return buffer.view(message.start(), message.end());
    }

    FrameHeader header(ColumnBatch rows, long epoch) {
        long least = FrameHeader.NO_TIME;
        long greatest = FrameHeader.NO_TIME;
        int column = layout.timeColumn();
        for (int row = 0; column >= 0 && row < rows.rows(); row++) {
            if (!rows.isNull(column, row)) {
                long time = Mem.getLong(rows.data(column) + 8L * row);
                least = least == FrameHeader.NO_TIME ? time : Math.min(least, time);
                greatest = Math.max(greatest, time);
            }
        }
        return FrameHeader.data(epoch, 1, rows.rows(), least, greatest);
    }

    PartitionLog applicationLog(int partition) {
        return application.get(partition);
    }

    Position position() {
        synchronized (appendLock) {
            return new Position(external.stream().map(PartitionLog::end).toList());
        }
    }

    List<Long> starts() {
        List<Long> out = new ArrayList<>();
        external.forEach(log -> out.add(log.start()));
        application.forEach(log -> out.add(log.start()));
        return out;
    }

    List<Long> visibleEnds() {
        List<Long> out = new ArrayList<>();
        external.forEach(log -> out.add(log.durableEnd()));
        committed.forEach(ranges -> out.add(ranges.end()));
        return out;
    }

    /**
     * Removes whole segments that are too old or too much.
     *
     * @param needed per split, the first frame that a job would read again after a restart; splits that none would are not there
     */
    void retain(Map<String, Long> needed, long nowMicros) {
        LogRetention retention = layout.retention();
        if (retention.isNone()) {
            return;
        }
        List<PartitionLog> logs = new ArrayList<>(external);
        logs.addAll(application);
        List<List<PartitionLog.SegmentInfo>> segments = new ArrayList<>();
        for (PartitionLog log : logs) {
            List<PartitionLog.SegmentInfo> now = log.segments();
            if (!now.isEmpty() && retention.ends(now.get(now.size() - 1), logs.size(), nowMicros)) {
                log.roll();
            }
            segments.add(log.segments());
        }
        List<Long> ends = new ArrayList<>();
        List<String> names = splits();
        for (int i = 0; i < logs.size(); i++) {
            ends.add(needed.getOrDefault(names.get(i), logs.get(i).end()));
        }
        List<Long> keep = retention.keepFrom(segments, ends, nowMicros);
        for (int i = 0; i < logs.size(); i++) {
            PartitionLog log = logs.get(i);
            if (keep.get(i) > log.start()) {
                log.removeBefore(keep.get(i));
            }
        }
    }

    void commit(List<ControlRecord.PartitionRange> ranges) {
        for (int p = 0; p < committed.size(); p++) {
            int partition = p;
            committed
                    .get(p)
                    .addAll(ranges.stream()
                            .filter(r -> r.partition() == partition)
                            .toList());
        }
        changed();
    }

    List<ControlRecord.PartitionRange> committedRanges() {
        List<ControlRecord.PartitionRange> out = new ArrayList<>();
        for (int p = 0; p < committed.size(); p++) {
            committed.get(p).addTo(p, out);
        }
        return out;
    }

    /** Its storage is about to go: nothing rests on it any more. */
    void dropped() {
        dropped = true;
    }

    void syncApplication() {
        for (PartitionLog log : application) {
            try {
                log.sync();
            } catch (StreamException e) {
                if (!dropped) {
                    throw e;
                }
            }
        }
    }

    Engine.StreamStatus status() {
        long frames = 0;
        long rows = 0;
        long bytes = 0;
        for (PartitionLog log : external) {
            frames += log.end() - log.start();
            rows += log.rows();
            bytes += log.bytes();
        }
        for (int p = 0; p < application.size(); p++) {
            PartitionLog log = application.get(p);
            committed.get(p).removeBefore(log.start());
            frames += committed.get(p).frames();
            rows += committed.get(p).rows(log);
            bytes += log.bytes();
        }
        return new Engine.StreamStatus(name(), layout.partitions(), frames, rows, bytes);
    }
}

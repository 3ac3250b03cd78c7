package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.ipc.MessageBuffer;
import io.tailwater.api.message.SinkOutcome;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Appends one worker's output to the application's partitions of a stream. Its frames are invisible until a COMMIT names them. Owned by the worker. */
final class FrameWriter implements StreamStorage.Writer {
    private final StoredStream stream;
    private final List<Integer> partitionBy;
    private final int worker;
    private final SpaceWait space;
    private final MessageBuffer buffer = new MessageBuffer(1 << 14);
    private final List<SinkOutcome.Range> ranges = new ArrayList<>();

    FrameWriter(StoredStream stream, List<Integer> partitionBy, int worker, SpaceWait space) {
        this.stream = stream;
        this.partitionBy = partitionBy;
        this.worker = worker;
        this.space = space;
    }

    @Override
    public void write(ColumnBatch batch) {
        try (batch) {
            stream.forEachPartition(batch, partitionBy, worker, (partition, rows) -> {
                ByteBuffer body = stream.encode(rows, buffer);
                // Nothing is lost if the disk is full: the tick is bound, and goes on here once there is room.
                long frame = space.append(() -> stream.applicationLog(partition).append(stream.header(rows, 0), body));
                // Other workers append to the same partition, so a worker's frames need not be contiguous.
                int last = ranges.size() - 1;
                if (last >= 0
                        && ranges.get(last).partition() == partition
                        && ranges.get(last).to() == frame) {
                    ranges.set(
                            last,
                            new SinkOutcome.Range(partition, ranges.get(last).from(), frame + 1));
                } else {
                    ranges.add(new SinkOutcome.Range(partition, frame, frame + 1));
                }
            });
        }
    }

    @Override
    public List<SinkOutcome.Range> endTick(long tick) {
        List<SinkOutcome.Range> out = List.copyOf(ranges);
        ranges.clear();
        return out;
    }

    @Override
    public void close() {
        buffer.close();
    }
}

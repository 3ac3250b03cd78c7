package io.tailwater.storage.log;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlCodec;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore;

import java.nio.ByteBuffer;
import java.util.List;

/** An application log in a partition log: one CONTROL frame a record. Old records go by the segment. Thread-safe. */
public final class SegmentApplicationLog implements ApplicationLog {
    /** So much may be left of what could be removed: a segment costs syncs, and these bytes cost nothing but their place. */
    private static final long SEGMENT_BYTES = 8 << 20;

    private final PartitionLog log;
    private final long segmentBytes;

    private SegmentApplicationLog(PartitionLog log, long segmentBytes) {
        this.log = log;
        this.segmentBytes = segmentBytes;
    }

    /** Opens the log of an application, empty if there is none yet. */
    public static SegmentApplicationLog open(SegmentStore store, String application) {
        return open(store, application, SEGMENT_BYTES);
    }

    /** @param segmentBytes from which on a removal lets the last segment end, so that a later one can remove it */
    static SegmentApplicationLog open(SegmentStore store, String application, long segmentBytes) {
        return new SegmentApplicationLog(store.open(new SegmentStore.PartitionName(application, 0, 0)), segmentBytes);
    }

    @Override
    public long append(ControlRecord record) {
        return log.append(
                FrameHeader.control(record.epoch(), ControlCodec.VERSION), ByteBuffer.wrap(ControlCodec.write(record)));
    }

    @Override
    public void sync() {
        log.sync();
    }

    @Override
    public long start() {
        return log.start();
    }

    @Override
    public long end() {
        return log.end();
    }

    @Override
    public long epoch() {
        return log.epoch();
    }

    @Override
    public void read(long position, RecordConsumer out) {
        log.read(position, log.end(), (header, body, length) -> {
            byte[] bytes = new byte[length];
            Mem.copyToArray(body, bytes, 0, length);
            out.record(header.frame(), ControlCodec.read(bytes, header.schemaVersion()));
        });
    }

    @Override
    public void truncate(long position) {
        log.truncate(position);
    }

    @Override
    public long removeBefore(long position) {
        List<PartitionLog.SegmentInfo> segments = log.segments();
        if (!segments.isEmpty() && segments.get(segments.size() - 1).bytes() >= segmentBytes) {
            log.roll();
        }
        return log.removeBefore(position);
    }

    @Override
    public void close() {
        log.close();
    }
}

package io.tailwater.storage.log;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.storage.ApplicationLog;
import io.tailwater.api.storage.ControlCodec;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.FrameHeader;
import io.tailwater.api.storage.PartitionLog;
import io.tailwater.api.storage.SegmentStore;

import java.nio.ByteBuffer;

/** An application log in a partition log: one CONTROL frame a record. Thread-safe. */
public final class SegmentApplicationLog implements ApplicationLog {
    private final PartitionLog log;

    private SegmentApplicationLog(PartitionLog log) {
        this.log = log;
    }

    /** Opens the log of an application, empty if there is none yet. */
    public static SegmentApplicationLog open(SegmentStore store, String application) {
        return new SegmentApplicationLog(store.open(new SegmentStore.PartitionName(application, 0, 0)));
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
    public void close() {
        log.close();
    }
}

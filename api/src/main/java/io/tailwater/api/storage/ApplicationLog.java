package io.tailwater.api.storage;

import java.util.List;

/**
 * The records of one application in one order. Thread-safe; one master appends.
 *
 * <p>Fails as {@link PartitionLog} does. A record of an older epoch than the log has seen is refused with 55000: its writer was replaced.
 */
public interface ApplicationLog extends AutoCloseable {
    /** Appends and returns the record's position. Safe from the end of this process when it returns, from loss of power after {@link #sync}. */
    long append(ControlRecord record);

    /** Makes all that was appended before the call durable. */
    void sync();

    /** Position of the oldest record that is still there; {@link #end} if none is. */
    long start();

    /** Position of the next record. Positions are dense. */
    long end();

    /** Greatest epoch in the log, 0 for an empty one. */
    long epoch();

    /** All records from {@code position}, which is not before {@link #start}, to {@link #end} as of the call, in order. */
    void read(long position, RecordConsumer out);

    /** All records from {@link #start} on. For tests and small logs. */
    default List<ControlRecord> readAll() {
        List<ControlRecord> out = new java.util.ArrayList<>();
        read(start(), (position, record) -> out.add(record));
        return out;
    }

    /** Makes records at and past {@code position} not exist: after loss of power, when the frames they name did not survive. */
    void truncate(long position);

    /**
     * Lets go of records before {@code position}: a snapshot has what they led to. As whole pieces only, so some of them may stay, and none at or past {@code
     * position} goes. Returns the new {@link #start}.
     */
    long removeBefore(long position);

    @Override
    void close();

    /** Takes records from {@link #read}. */
    interface RecordConsumer {
        void record(long position, ControlRecord record);
    }
}

package io.tailwater.api.storage;

import java.util.List;

/** Where partition logs live. Thread-safe. */
public interface SegmentStore extends AutoCloseable {
    /**
     * A partition's place.
     *
     * @param owner the stream or application it belongs to; any text
     * @param writer group of writers: 0 for external ones
     */
    record PartitionName(String owner, int writer, int partition) {
        @Override
        public String toString() {
            return owner + "/w" + writer + "/p" + partition;
        }
    }

    /** Opens a partition, empty if it is not there: its first frame makes it. One that is open is returned as it is. */
    PartitionLog open(PartitionName name);

    /** Owners whose partitions have held a frame, sorted. */
    List<String> owners();

    /** The partitions of an owner, sorted by writer and partition. */
    List<PartitionName> partitions(String owner);

    /** Removes all partitions of an owner, which are closed first. Durable when it returns. Removing none is no error. */
    void delete(String owner);

    /** Syncs and closes all partitions. */
    @Override
    void close();
}

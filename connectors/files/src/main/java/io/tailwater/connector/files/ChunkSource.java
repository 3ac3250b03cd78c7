package io.tailwater.connector.files;

/** Reads a file chunk by chunk. Owned by one thread; fast when each call goes on where the last one ended. */
interface ChunkSource extends AutoCloseable {
    /**
     * The rows from {@code from} on: at most {@link #MAX_ROWS}, at least one unless the file or {@code limit} ends before it. May block on the disk.
     *
     * @param from 0 or where a row or chunk ended
     * @param limit where to stop at the latest: a position at which a row or chunk ended, or {@link Long#MAX_VALUE} for the end of the file
     * @throws io.tailwater.common.error.StreamException if the first record there is malformed and that is fatal, or the file has changed
     */
    Chunk next(long from, long limit);

    int MAX_ROWS = io.tailwater.api.batch.ColumnBatch.TARGET_ROWS;

    @Override
    void close();
}

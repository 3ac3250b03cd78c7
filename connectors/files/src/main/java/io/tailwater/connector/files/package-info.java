/**
 * Files as sources and sinks: CSV, JSON lines, Parquet.
 *
 * <p>A {@link io.tailwater.connector.files.ChunkSource} per format turns a file into chunks of rows between record boundaries; a {@link
 * io.tailwater.connector.files.Prefetch} runs one ahead on a side thread so that a worker never waits for the disk; {@link
 * io.tailwater.connector.files.FileSplitReader} cuts chunks to the ranges that ticks bind. Invariant: which rows lie between two positions depends on the
 * file's bytes and the stream's definition alone, so a range can be read again after a crash. Start at {@link
 * io.tailwater.connector.files.FileConnector}.
 */
@NullMarked
package io.tailwater.connector.files;

import org.jspecify.annotations.NullMarked;

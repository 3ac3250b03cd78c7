package io.tailwater.api.snapshot;

/**
 * A file of a snapshot as a manifest names it. Whoever opens it checks length and crc.
 *
 * @param name within the store, never used twice
 * @param bytes its length
 * @param crc CRC-32C of the whole file
 * @param rows of state in it
 * @param tick after which the state was so
 * @param full vnodes of which it holds all rows that the application has
 */
public record SnapshotFile(String name, long bytes, long crc, long rows, long tick, VnodeRange full) {}

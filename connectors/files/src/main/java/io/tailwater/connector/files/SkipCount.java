package io.tailwater.connector.files;

/** Counts skipped records once, however often their chunks are read. Thread-safe. */
final class SkipCount {
    private long total;
    private long until;

    synchronized void add(Chunk chunk) {
        if (chunk.from() >= until) {
            total += chunk.skipped().size();
            until = chunk.to();
        }
    }

    synchronized long total() {
        return total;
    }
}

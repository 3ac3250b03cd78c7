package io.tailwater.server.engine;

import io.tailwater.api.storage.ControlRecord;
import io.tailwater.api.storage.PartitionLog;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Which frames of an application's partition its COMMIT records name. What an attempt that was never committed left behind is not in it. Thread-safe. */
final class CommittedRanges {
    private final NavigableMap<Long, Long> ranges = new TreeMap<>();
    private long rows;
    private long countedTo;

    /** Adds all frames of a partition that one COMMIT names, at once: a reader sees all of them or none. */
    synchronized void addAll(List<ControlRecord.PartitionRange> added) {
        added.forEach(range -> add(range.from(), range.to()));
    }

    private void add(long from, long to) {
        long start = from;
        long end = to;
        Map.Entry<Long, Long> before = ranges.floorEntry(from);
        if (before != null && before.getValue() >= from) {
            start = before.getKey();
            end = Math.max(end, before.getValue());
        }
        for (Map.Entry<Long, Long> next = ranges.higherEntry(start);
                next != null && next.getKey() <= end;
                next = ranges.higherEntry(start)) {
            end = Math.max(end, next.getValue());
            ranges.remove(next.getKey());
        }
        ranges.put(start, end);
    }

    /** Adds all of it to a list, as ranges of this partition. */
    synchronized void addTo(int partition, List<ControlRecord.PartitionRange> out) {
        ranges.forEach((from, to) -> out.add(new ControlRecord.PartitionRange(partition, from, to)));
    }

    /** Forgets what was removed from the partition. */
    synchronized void removeBefore(long start) {
        while (!ranges.isEmpty() && ranges.firstKey() < start) {
            Map.Entry<Long, Long> first = ranges.pollFirstEntry();
            if (first.getValue() > start) {
                ranges.put(start, first.getValue());
            }
            // Rows are counted afresh: which of them the removed frames had is not known any more.
            rows = 0;
            countedTo = 0;
        }
    }

    /** End of the last committed frame; 0 if there is none. */
    synchronized long end() {
        return ranges.isEmpty() ? 0 : ranges.lastEntry().getValue();
    }

    /** The first committed frame at or past {@code frame}, or -1. */
    synchronized long next(long frame) {
        Map.Entry<Long, Long> range = ranges.floorEntry(frame);
        if (range != null && range.getValue() > frame) {
            return frame;
        }
        Long later = ranges.higherKey(frame);
        return later == null ? -1 : later;
    }

    /** End of the range that holds {@code frame}, which must be committed. */
    synchronized long endOf(long frame) {
        Map.Entry<Long, Long> range = ranges.floorEntry(frame);
        if (range == null || range.getValue() <= frame) {
            throw new AssertionError("frame " + frame + " is not committed");
        }
        return range.getValue();
    }

    synchronized long frames() {
        return ranges.entrySet().stream()
                .mapToLong(r -> r.getValue() - r.getKey())
                .sum();
    }

    /** Rows of all committed frames. Each frame's header is looked at once. */
    synchronized long rows(PartitionLog log) {
        for (Map.Entry<Long, Long> range : ranges.entrySet()) {
            for (long frame = Math.max(range.getKey(), countedTo); frame < range.getValue(); frame++) {
                rows += log.info(frame).rows();
            }
        }
        countedTo = Math.max(countedTo, end());
        return rows;
    }
}

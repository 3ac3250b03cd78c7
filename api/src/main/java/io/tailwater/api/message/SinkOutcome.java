package io.tailwater.api.message;

import io.tailwater.api.catalog.ObjectName;

import java.util.List;

/**
 * What a commit record must say of one worker's share of a job's output.
 *
 * @param ranges frames appended to partitions of the target
 * @param position at which an external writer resumes, or -1
 * @param sides frames appended to other streams than the target: rows that left the main path
 */
public record SinkOutcome(List<Range> ranges, long position, List<Side> sides) {
    public static final SinkOutcome NONE = new SinkOutcome(List.of(), -1);

    public SinkOutcome {
        ranges = List.copyOf(ranges);
        sides = List.copyOf(sides);
    }

    /** Of the target alone. */
    public SinkOutcome(List<Range> ranges, long position) {
        this(ranges, position, List.of());
    }

    public SinkOutcome withSides(List<Side> others) {
        return others.isEmpty() ? this : new SinkOutcome(ranges, position, others);
    }

    /** Frames {@code [from, to)} of a partition. */
    public record Range(int partition, long from, long to) {}

    /** Frames appended to a stream beside the target. */
    public record Side(ObjectName stream, List<Range> ranges) {
        public Side {
            ranges = List.copyOf(ranges);
        }
    }
}

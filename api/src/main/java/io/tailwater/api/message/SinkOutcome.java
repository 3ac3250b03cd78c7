package io.tailwater.api.message;

import java.util.List;

/**
 * What a commit record must say of one worker's share of a job's output.
 *
 * @param ranges frames appended to partitions of the target
 * @param position at which an external writer resumes, or -1
 */
public record SinkOutcome(List<Range> ranges, long position) {
    public static final SinkOutcome NONE = new SinkOutcome(List.of(), -1);

    public SinkOutcome {
        ranges = List.copyOf(ranges);
    }

    /** Frames {@code [from, to)} of a partition. */
    public record Range(int partition, long from, long to) {}
}

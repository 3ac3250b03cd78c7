package io.tailwater.api.message;

import java.util.List;

/**
 * A tick as it was bound: enough for any worker to run it, now or in replay.
 *
 * @param tick its number
 * @param clockMicros wall clock, never going back
 * @param muted outputs of this tick are committed already: update state, write nothing
 * @param jobs one entry per running job, by ascending job id
 * @param offerRows how many rows per split a worker should offer for the next tick
 */
public record TickPlan(long tick, long clockMicros, boolean muted, List<JobTick> jobs, long offerRows) {
    public TickPlan {
        jobs = List.copyOf(jobs);
    }

    /**
     * One job's input.
     *
     * @param watermarks per reader
     */
    public record JobTick(long job, List<InputRange> ranges, List<Long> watermarks) {
        public JobTick {
            ranges = List.copyOf(ranges);
            watermarks = List.copyOf(watermarks);
        }
    }

    /** Positions {@code [from, to)} of a split of a reader, and how many rows they hold. */
    public record InputRange(int reader, int split, long from, long to, long rows) {}
}

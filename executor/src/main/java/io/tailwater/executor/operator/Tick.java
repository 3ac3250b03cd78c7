package io.tailwater.executor.operator;

import java.util.List;

/**
 * What is fixed for all workers of an application in one tick.
 *
 * @param number grows, not necessarily by one
 * @param clockMicros the tick's wall clock, microseconds since the epoch (UTC); never goes back
 * @param watermarks per reader of the plan, microseconds of event time through this tick; {@link #NO_WATERMARK} before the first
 */
public record Tick(long number, long clockMicros, List<Long> watermarks) {
    public static final long NO_WATERMARK = Long.MIN_VALUE;
    /** The watermark of a bounded input that has ended. */
    public static final long END_OF_TIME = Long.MAX_VALUE;

    public Tick {
        watermarks = List.copyOf(watermarks);
    }
}

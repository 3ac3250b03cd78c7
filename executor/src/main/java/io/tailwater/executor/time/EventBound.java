package io.tailwater.executor.time;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Tick;

import java.util.List;

/** The least event time that may still come, by some readers' watermarks. Immutable. */
public record EventBound(List<PlanNode.Bound> bounds) {
    public EventBound {
        bounds = List.copyOf(bounds);
    }

    /**
     * The bound at the end of a tick: {@link Tick#NO_WATERMARK} as long as one of the readers has none, {@link Tick#END_OF_TIME} once all have ended.
     */
    public long at(Tick tick) {
        long least = Tick.END_OF_TIME;
        for (PlanNode.Bound bound : bounds) {
            least = Math.min(least, less(tick.watermarks().get(bound.reader()), bound.lagMicros()));
        }
        return least;
    }

    /** A watermark less a lag. Neither "none" nor "ended" can be shifted. */
    static long less(long watermark, long lagMicros) {
        if (watermark == Tick.NO_WATERMARK || watermark == Tick.END_OF_TIME) {
            return watermark;
        }
        long shifted = watermark - lagMicros;
        if (((watermark ^ lagMicros) & (watermark ^ shifted)) < 0) {
            return lagMicros > 0 ? Tick.NO_WATERMARK : Tick.END_OF_TIME;
        }
        return shifted;
    }

    /** Event time is read as microseconds in 8 bytes. */
    public static void checkTime(DataType type) {
        if (type.kind().width() != 8 || type.kind().isFloating()) {
            throw new AssertionError("event time of type " + type);
        }
    }
}

package io.tailwater.executor.time;

import io.tailwater.api.plan.PlanNode;
import io.tailwater.executor.operator.Tick;

/**
 * When to look for state below a retention bound. Looking costs a walk over all rows, so it waits until about as many rows have come as are there, or
 * a number of ticks in proportion has passed: the cost per row is constant, and no more than twice the live state is ever held for long.
 *
 * <p>Owned by one operator; not thread-safe.
 */
public final class RetentionSweep {
    /** Rows whose visit each tick pays for. */
    private static final long ROWS_PER_TICK = 1024;

    private final EventBound bounds;
    private long swept = Tick.NO_WATERMARK;
    private long rowsLeft;
    private long ticks;

    public RetentionSweep(PlanNode.Retention retention) {
        bounds = new EventBound(retention.bounds());
    }

    /**
     * Asked at the end of each tick.
     *
     * @param rows held now
     * @return the bound to drop below, or {@link Tick#NO_WATERMARK} if it is not worth a walk; after one comes {@link #done}
     */
    public long due(Tick tick, long rows) {
        long bound = bounds.at(tick);
        if (bound <= swept || rows == 0) {
            return Tick.NO_WATERMARK;
        }
        ticks++;
        if (bound != Tick.END_OF_TIME && rows - rowsLeft + ticks * ROWS_PER_TICK < rowsLeft) {
            return Tick.NO_WATERMARK;
        }
        swept = bound;
        return bound;
    }

    /** All below the bound has been dropped. */
    public void done(long rows) {
        rowsLeft = rows;
        ticks = 0;
    }
}

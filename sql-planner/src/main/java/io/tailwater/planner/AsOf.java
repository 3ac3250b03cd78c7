package io.tailwater.planner;

import io.tailwater.api.plan.PlanNode;

/** What FOR SYSTEM_TIME AS OF names. Immutable. */
public sealed interface AsOf {
    /**
     * The newest content that is kept and not later than a time.
     *
     * @param time yields one row of one TIMESTAMP WITH LOCAL TIME ZONE, which may be NULL; it scans nothing
     * @param text of the time as written
     */
    record Time(PlanNode time, String text) implements AsOf {}

    /** {@code RECOVERY_POINT('name')}: the content that a recovery point keeps. Whether there is one of the name is not checked here. */
    record Point(String name) implements AsOf {}
}

/**
 * From relational trees to the sealed plan: expressions with explicit casts, fused projections, narrowed scans, exchanges, traits. Start at {@link
 * io.tailwater.planner.physical.PlanBuilder}.
 */
@NullMarked
package io.tailwater.planner.physical;

import org.jspecify.annotations.NullMarked;

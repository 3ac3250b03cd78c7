/**
 * The sealed physical plan: what the planner yields, the catalog stores and the executor runs. Data only; start at {@link
 * io.tailwater.api.plan.PlanNode}. {@link io.tailwater.api.plan.PlanCodec} is its stored form.
 */
@NullMarked
package io.tailwater.api.plan;

import org.jspecify.annotations.NullMarked;

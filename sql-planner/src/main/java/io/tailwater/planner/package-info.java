/**
 * From SQL text and a catalog image to statements that carry sealed physical plans. Pure: the same text, image and session give the same statement.
 * Start at {@link io.tailwater.planner.SqlPlanner}; what it yields is {@link io.tailwater.planner.Statement}. Nothing outside this module sees Calcite.
 */
@NullMarked
package io.tailwater.planner;

import org.jspecify.annotations.NullMarked;

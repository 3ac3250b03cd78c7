/**
 * From a checked query to a lean relational tree: sub-queries and correlation become joins, windows become nodes of ours, conditions sink, columns that
 * nobody reads go. Start at {@link io.tailwater.planner.logical.Rewriter}.
 */
@NullMarked
package io.tailwater.planner.logical;

import org.jspecify.annotations.NullMarked;

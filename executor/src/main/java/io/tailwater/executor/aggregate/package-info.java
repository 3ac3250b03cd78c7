/**
 * Grouped aggregates over Z-sets. Start at {@link io.tailwater.executor.aggregate.AggregateOperator}.
 *
 * <p>Invariant: what an accumulator holds depends on the group's integrated rows alone, never on the order in which they came, so a replay gives the
 * same bytes and a row taken out leaves nothing behind.
 */
@NullMarked
package io.tailwater.executor.aggregate;

import org.jspecify.annotations.NullMarked;

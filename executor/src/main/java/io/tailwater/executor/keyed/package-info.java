/**
 * Keyed tables: what upserts and deletes by key mean as changes. Start at {@link io.tailwater.executor.keyed.KeyedOperator}.
 *
 * <p>Invariant: between ticks each key has at most one row, the last that was put there.
 */
@NullMarked
package io.tailwater.executor.keyed;

import org.jspecify.annotations.NullMarked;

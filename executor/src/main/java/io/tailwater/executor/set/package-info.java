/**
 * INTERSECT and EXCEPT. Start at {@link io.tailwater.executor.set.SetOperationOperator}.
 *
 * <p>Invariant: between ticks a row is held exactly if it occurs in one of the inputs.
 */
@NullMarked
package io.tailwater.executor.set;

import org.jspecify.annotations.NullMarked;

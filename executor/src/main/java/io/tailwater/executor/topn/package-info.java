/**
 * The first rows of each group in an order. Start at {@link io.tailwater.executor.topn.TopNOperator}.
 *
 * <p>Invariant: between ticks a group holds at least the rows that it has emitted; one whose input only adds rows holds no others.
 */
@NullMarked
package io.tailwater.executor.topn;

import org.jspecify.annotations.NullMarked;

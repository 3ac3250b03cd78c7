/**
 * What a materialized view holds. Start at {@link io.tailwater.executor.view.ViewSpine}: immutable sorted runs, newest last, whose sum is the view.
 *
 * <p>Invariant: the runs cover adjacent spans of ticks, so the sum of the oldest ones is the view at some earlier tick and has no negative weight.
 */
@NullMarked
package io.tailwater.executor.view;

import org.jspecify.annotations.NullMarked;

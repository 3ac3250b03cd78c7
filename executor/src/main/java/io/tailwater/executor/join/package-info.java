/**
 * Joins of two changing relations. Start at {@link io.tailwater.executor.join.JoinOperator}.
 *
 * <p>Invariant: each pair of rows is produced once, when the later of the two arrives, with the product of their weights; what an outer, semi or anti
 * join adds to that is decided once a tick, from match counts.
 */
@NullMarked
package io.tailwater.executor.join;

import org.jspecify.annotations.NullMarked;

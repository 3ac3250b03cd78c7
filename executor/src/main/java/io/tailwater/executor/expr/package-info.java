/**
 * Scalar expressions as generated code: filters, projections, predicates, window assignment and key hashes over column batches.
 *
 * <p>Start at {@link io.tailwater.executor.expr.KeyHash} for hashes. Invariant: nothing here keeps rows; a batch comes in and batches go out,
 * and no row costs an allocation on a common path.
 */
@NullMarked
package io.tailwater.executor.expr;

import org.jspecify.annotations.NullMarked;

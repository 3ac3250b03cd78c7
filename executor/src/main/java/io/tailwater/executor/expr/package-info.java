/**
 * Scalar expressions as generated code: filters, projections, predicates, window assignment and key hashes over column batches.
 *
 * <p>Start at {@link io.tailwater.executor.expr.CalcOperator}; from there, {@code Projector} runs loops over a batch, {@code KernelWriter} and {@code
 * ExprCompiler} write them, {@code KernelCache} compiles them, and what they call ({@code Decimals}, {@code TextFunctions}, {@code Datetimes}...) is plain
 * static code over addresses. {@link io.tailwater.executor.expr.KeyHash} hashes keys. Invariant: nothing here keeps rows; a batch comes in and batches go
 * out, and no row costs an allocation on a common path.
 */
@NullMarked
package io.tailwater.executor.expr;

import org.jspecify.annotations.NullMarked;

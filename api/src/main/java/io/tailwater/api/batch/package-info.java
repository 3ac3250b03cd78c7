/**
 * Column batches: how rows travel between operators, and the only code that touches raw memory or reference counts.
 *
 * <p>Start at {@link io.tailwater.api.batch.ColumnBatch}. Invariant: a batch has one owner, who closes it; methods named {@code emit},
 * {@code onBatch}, {@code take} transfer ownership, all others borrow.
 */
@NullMarked
package io.tailwater.api.batch;

import org.jspecify.annotations.NullMarked;

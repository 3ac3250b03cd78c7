/**
 * What every operator is: a step over Z-set batches that is told when a tick ends. Start at {@link io.tailwater.executor.operator.Operator}.
 */
@NullMarked
package io.tailwater.executor.operator;

import org.jspecify.annotations.NullMarked;

/** The data plane: operators, generated expressions, workers, exchange. */
@NullMarked
package io.tailwater.executor;

import org.jspecify.annotations.NullMarked;

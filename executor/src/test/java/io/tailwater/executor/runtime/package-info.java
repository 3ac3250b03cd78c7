/** Workers, message by message. */
@NullMarked
package io.tailwater.executor.runtime;

import org.jspecify.annotations.NullMarked;

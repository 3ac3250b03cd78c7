/**
 * Shows people what is on disk. Start at {@link io.tailwater.storage.inspect.Inspector}. Invariant: nothing is changed or locked, so that it may be used beside a
 * running server and on what nobody understands any more; what is damaged is told, and the rest goes on.
 */
@NullMarked
package io.tailwater.storage.inspect;

import org.jspecify.annotations.NullMarked;

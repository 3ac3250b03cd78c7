/**
 * State on its way to and from snapshots. Start at {@link io.tailwater.executor.snapshot.StateWriter}.
 */
@NullMarked
package io.tailwater.executor.snapshot;

import org.jspecify.annotations.NullMarked;

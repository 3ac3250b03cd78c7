/**
 * Event time: what watermarks release, close and let go of. Start at {@link io.tailwater.executor.time.EventBound}.
 *
 * <p>Invariant: all decisions follow from the watermarks of ticks, which are the same for all workers and in every replay.
 */
@NullMarked
package io.tailwater.executor.time;

import org.jspecify.annotations.NullMarked;

/**
 * What is built on partition logs: group commit and application logs.
 *
 * <p>Start at {@link io.tailwater.storage.log.GroupCommit}. Invariant: an acknowledgement is given only after a sync that covers its frame.
 */
@NullMarked
package io.tailwater.storage.log;

import org.jspecify.annotations.NullMarked;

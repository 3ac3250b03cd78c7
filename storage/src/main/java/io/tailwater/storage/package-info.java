/**
 * Everything that lasts: the data directory, partition logs, group commit, application logs, the embedded metadata store.
 *
 * <p>Start at {@link io.tailwater.storage.DataDirectory}. Invariant: nothing is acknowledged before it is where the acknowledgement says it is, and
 * nothing that was acknowledged is ever cut off as if it were a torn tail.
 */
@NullMarked
package io.tailwater.storage;

import org.jspecify.annotations.NullMarked;

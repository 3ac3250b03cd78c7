/**
 * Contracts of everything that lasts: frames in partition logs, the application log and its records, the metadata store.
 *
 * <p>Start at {@link io.tailwater.api.storage.PartitionLog}, {@link io.tailwater.api.storage.ControlRecord} and {@link
 * io.tailwater.api.storage.MetadataStore}. Invariant: what was acknowledged as durable is either returned as it was written or reported as
 * corrupt, never silently missing.
 */
@NullMarked
package io.tailwater.api.storage;

import org.jspecify.annotations.NullMarked;

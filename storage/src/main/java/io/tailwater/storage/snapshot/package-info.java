/**
 * Snapshots as files: state files in Arrow's format, and the manifests that name them.
 *
 * <p>Start at {@link io.tailwater.storage.snapshot.FileSnapshotStore}. Invariant: a name means the same bytes for ever, or none; what a manifest names was
 * durable before the manifest was written.
 */
@NullMarked
package io.tailwater.storage.snapshot;

import org.jspecify.annotations.NullMarked;

/**
 * The metadata store of a server that stands alone.
 *
 * <p>Start at {@link io.tailwater.storage.metadata.EmbeddedMetadataStore}. Invariant: memory never shows what the journal does not hold.
 */
@NullMarked
package io.tailwater.storage.metadata;

import org.jspecify.annotations.NullMarked;

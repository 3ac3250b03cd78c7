/** Contracts between the siblings: column batches, the physical plan, the catalog's definitions, connector and storage SPIs. */
@NullMarked
package io.tailwater.api;

import org.jspecify.annotations.NullMarked;

/**
 * What the catalog holds: definitions as immutable records, and {@link io.tailwater.api.catalog.CatalogImage}, the one consistent picture that a
 * statement is planned against.
 */
@NullMarked
package io.tailwater.api.catalog;

import org.jspecify.annotations.NullMarked;

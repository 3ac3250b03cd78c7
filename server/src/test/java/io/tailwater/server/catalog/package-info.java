/** Tests of the catalog. */
@NullMarked
package io.tailwater.server.catalog;

import org.jspecify.annotations.NullMarked;

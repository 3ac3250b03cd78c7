/** The endpoint with a SQL service that knows a few statements by heart: through our driver, and through the standard client. */
@NullMarked
package io.tailwater.server.flight;

import org.jspecify.annotations.NullMarked;

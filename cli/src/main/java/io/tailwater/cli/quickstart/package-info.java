/**
 * {@code bin/tailwater quickstart}: a tour that runs by itself, on a server of its own with real flights. Start at {@link
 * io.tailwater.cli.quickstart.QuickstartCommand}.
 */
@NullMarked
package io.tailwater.cli.quickstart;

import org.jspecify.annotations.NullMarked;

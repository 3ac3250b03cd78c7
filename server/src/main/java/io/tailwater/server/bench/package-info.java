/**
 * {@code bin/tailwater bench}: runs the Nexmark queries of {@code examples/nexmark} on an embedded server and measures them, or writes their results. They
 * take the way of any client's SQL through parser, planner and engine. Start at {@link io.tailwater.server.bench.NexmarkCommand}.
 */
@NullMarked
package io.tailwater.server.bench;

import org.jspecify.annotations.NullMarked;

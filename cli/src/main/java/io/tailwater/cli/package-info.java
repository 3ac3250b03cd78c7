/**
 * The SQL shell and the quickstart: everything over plain JDBC, so that the driver is used every day. Invariant: only result rows go to standard output.
 * Start at {@link io.tailwater.cli.Main}.
 */
@NullMarked
package io.tailwater.cli;

import org.jspecify.annotations.NullMarked;

/**
 * The SQL shell, at a terminal and for scripts: one loop reads statements, one class runs them. Invariant: only result rows go to standard output; counts,
 * job names, warnings and errors go to standard error. Start at {@link io.tailwater.cli.shell.SqlCommand}.
 */
@NullMarked
package io.tailwater.cli.shell;

import org.jspecify.annotations.NullMarked;

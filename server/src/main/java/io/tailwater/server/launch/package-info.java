/**
 * The commands of the server's launcher: reads settings, sets up the log, starts and stops the process, and turns every failure into a message a user
 * can act on. Invariant: no stack trace reaches the console. Start at {@link io.tailwater.server.launch.StandaloneCommand}.
 */
@NullMarked
package io.tailwater.server.launch;

import org.jspecify.annotations.NullMarked;

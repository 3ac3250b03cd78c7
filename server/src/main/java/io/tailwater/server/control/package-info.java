/**
 * The application master's decisions as a pure state machine: (state, event) to (state, commands). No threads, clocks, files or logging here, so a seed
 * replays any run. Start at {@link io.tailwater.server.control.ApplicationMaster}.
 */
@NullMarked
package io.tailwater.server.control;

import org.jspecify.annotations.NullMarked;

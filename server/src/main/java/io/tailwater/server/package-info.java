/** The composition root: wires planner, executor, storage and connectors into a process, and offers it to clients. */
@NullMarked
package io.tailwater.server;

import org.jspecify.annotations.NullMarked;

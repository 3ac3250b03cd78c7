/** Tests through what a user types: scripts and commands, as processes. They use the packaged jars and never build. */
@NullMarked
package io.tailwater.endtoend;

import org.jspecify.annotations.NullMarked;

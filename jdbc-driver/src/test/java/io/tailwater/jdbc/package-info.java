/** The parts of the driver that need no server. What needs one is tested in the module {@code server}. */
@NullMarked
package io.tailwater.jdbc;

import org.jspecify.annotations.NullMarked;

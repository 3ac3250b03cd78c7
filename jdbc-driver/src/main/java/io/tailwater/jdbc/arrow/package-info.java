/**
 * Arrow IPC messages decoded in place, from the bytes they arrived in: no direct memory, no copies but of the values asked for. Start at {@link
 * io.tailwater.jdbc.arrow.IpcMessage}.
 */
@NullMarked
package io.tailwater.jdbc.arrow;

import org.jspecify.annotations.NullMarked;

/**
 * Column batches as Arrow IPC messages and schemas as Arrow schemas: the form of rows in log frames and on the wire.
 *
 * <p>Start at {@link io.tailwater.api.batch.ipc.BatchEncoder}. Invariant: what the encoder writes, any Arrow library reads; what the decoder
 * reads may come from a stranger, so every length and offset in it is checked before it is used.
 */
@NullMarked
package io.tailwater.api.batch.ipc;

import org.jspecify.annotations.NullMarked;

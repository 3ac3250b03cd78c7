/**
 * The protocol of ticks and snapshots as a small model whose every state is visited; docs/protocol.md tells it in words. Start at {@link
 * io.tailwater.server.control.model.ProtocolTest}.
 */
@NullMarked
package io.tailwater.server.control.model;

import org.jspecify.annotations.NullMarked;

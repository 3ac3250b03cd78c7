/**
 * What application master and workers say to each other. Plain records, the same in one process and (later) over the network; start at {@link
 * io.tailwater.api.message.ToWorker} and {@link io.tailwater.api.message.FromWorker}.
 */
@NullMarked
package io.tailwater.api.message;

import org.jspecify.annotations.NullMarked;

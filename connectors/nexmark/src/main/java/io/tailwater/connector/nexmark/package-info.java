/**
 * The event stream of the Nexmark benchmark as a source: people, auctions and bids, made up as they are read.
 *
 * <p>Invariant: event {@code i} is a pure function of (seed, {@code i}), whichever columns are read and however the stream is split. The events
 * are those of the Flink peer that the project measures itself against, to the byte. Start at {@link
 * io.tailwater.connector.nexmark.NexmarkConnector}; the hot loops are in {@link io.tailwater.connector.nexmark.BidColumns}.
 */
@NullMarked
package io.tailwater.connector.nexmark;

import org.jspecify.annotations.NullMarked;

/**
 * What a connector must offer: how its options are checked, how its input is split and read so that any range can be read again, how its output is
 * written so that a crash tears nothing. Start at {@link io.tailwater.api.connector.Connector}.
 */
@NullMarked
package io.tailwater.api.connector;

import org.jspecify.annotations.NullMarked;

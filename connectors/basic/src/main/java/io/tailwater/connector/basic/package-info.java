/**
 * Connectors that touch nothing outside the process. Invariant: none of them can fail for a reason of its own. Start at {@link
 * io.tailwater.connector.basic.BlackholeConnector}.
 */
@NullMarked
package io.tailwater.connector.basic;

import org.jspecify.annotations.NullMarked;

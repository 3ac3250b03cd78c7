/**
 * The application log: one per application, holding all that made each tick deterministic, in one order. Start at {@link
 * io.tailwater.api.applog.AppRecord}; the log itself is {@link io.tailwater.api.applog.AppLog}.
 */
@NullMarked
package io.tailwater.api.applog;

import org.jspecify.annotations.NullMarked;

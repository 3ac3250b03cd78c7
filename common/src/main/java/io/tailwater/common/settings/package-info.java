/**
 * Settings: each declared once, in {@link io.tailwater.common.settings.ServerSettings}, with its type, default and reason to exist. Invariant: a process
 * never runs with a key it does not know. Start at {@link io.tailwater.common.settings.Settings}.
 */
@NullMarked
package io.tailwater.common.settings;

import org.jspecify.annotations.NullMarked;

/**
 * What a consistent snapshot of an application is made of. Start at {@link io.tailwater.api.snapshot.StateRows}.
 */
@NullMarked
package io.tailwater.api.snapshot;

import org.jspecify.annotations.NullMarked;

/** Test fixtures shared by the modules: batches as text, leak checks. */
@NullMarked
package io.tailwater.testing;

import org.jspecify.annotations.NullMarked;

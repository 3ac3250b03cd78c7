/**
 * Names and types: the catalog image as Calcite sees it, Tailwater's dialect, its functions, and the translation of Calcite's errors. Start at {@link
 * io.tailwater.planner.validate.Frontend}.
 */
@NullMarked
package io.tailwater.planner.validate;

import org.jspecify.annotations.NullMarked;

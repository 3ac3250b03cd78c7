/**
 * What the parser yields: Tailwater's own statements as records of Calcite's nodes, not yet checked against anything. Start at {@link
 * io.tailwater.planner.syntax.Syntax}. The parser itself is generated from {@code src/main/codegen}.
 */
@NullMarked
package io.tailwater.planner.syntax;

import org.jspecify.annotations.NullMarked;

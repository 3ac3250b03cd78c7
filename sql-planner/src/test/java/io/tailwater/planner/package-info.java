/** Golden plans, error texts and statements. */
@org.jspecify.annotations.NullMarked
package io.tailwater.planner;

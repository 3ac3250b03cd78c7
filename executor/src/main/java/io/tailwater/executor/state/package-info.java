/**
 * What stateful operators remember: hash tables, ordered multisets and encoded rows, all off-heap and all accounted for.
 *
 * <p>Start at {@link io.tailwater.executor.state.RowLayout} (how a row of any types is one block of bytes), then {@link
 * io.tailwater.executor.state.StateTable} (key to row). Invariant: the address of a row never changes while the row lives, so addresses serve as
 * references; what a row refers to (long strings) belongs to the same {@link io.tailwater.executor.state.Arena} as the row.
 */
@NullMarked
package io.tailwater.executor.state;

import org.jspecify.annotations.NullMarked;

/**
 * SQL types, columns and schemas as every module sees them. Values are plain records; start at {@link
 * io.tailwater.common.type.DataType}.
 */
@NullMarked
package io.tailwater.common.type;

import org.jspecify.annotations.NullMarked;

/** Protobuf by hand, checked against what its own library writes. */
@NullMarked
package io.tailwater.jdbc.wire;

import org.jspecify.annotations.NullMarked;

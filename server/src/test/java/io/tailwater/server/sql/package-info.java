/** Tests of SQL sessions. */
@NullMarked
package io.tailwater.server.sql;

import org.jspecify.annotations.NullMarked;

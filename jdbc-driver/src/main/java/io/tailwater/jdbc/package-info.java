/**
 * The JDBC driver. Start at {@link io.tailwater.jdbc.TailwaterDriver}; public types beside it are what {@code unwrap} gives: {@link
 * io.tailwater.jdbc.TailwaterStatement}, {@link io.tailwater.jdbc.TailwaterResultSet}, and {@link io.tailwater.jdbc.TailwaterSQLException}.
 *
 * <p>Layers: {@code wire} talks to the server, {@code arrow} decodes what it says, this package makes java.sql of it. Invariants: SQLSTATE 08xxx means
 * that the connection is lost and nothing else does; no call but one that waits for rows waits longer than a round trip; what a statement
 * holds on the server ends with it.
 */
@NullMarked
package io.tailwater.jdbc;

import org.jspecify.annotations.NullMarked;

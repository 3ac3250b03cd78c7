/**
 * The wire: Arrow Flight over gRPC, and protobuf messages written and read by hand, so that the driver needs neither generated classes nor
 * direct memory. Start at {@link io.tailwater.jdbc.wire.FlightChannel}.
 *
 * <p>Beside standard Flight SQL it speaks three extensions of Tailwater's endpoint, which make a statement one round trip:
 *
 * <ul>
 *   <li>action {@code tailwater.OpenSession}: {1 user, 2 password, 3 schema, 4 zone, 5 property {1 key, 2 value}} gives {1 session id, 2
 *       schema, 3 product version, 4 zone}. Every later call carries the id in the header {@code tailwater-session}.
 *   <li>action {@code tailwater.Ping}: fails if the session is gone.
 *   <li>ticket {@code tailwater.Execute}: {1 sql, 2 prepared handle, 3 timeout in ms, 4 row of parameters {1 value {...}}}. The answer begins with a
 *       schema, whose metadata says what happened ({@code tailwater.done}, {@code tailwater.job}, ...), and goes on with the rows.
 * </ul>
 *
 * <p>Failures carry trailers {@code tailwater-sqlstate}, {@code tailwater-position} and {@code tailwater-hint-bin}.
 */
@NullMarked
package io.tailwater.jdbc.wire;

import org.jspecify.annotations.NullMarked;

/**
 * The SQL endpoint: Arrow Flight SQL over gRPC, for any {@link io.tailwater.server.sql.SqlService}. Start at {@link
 * io.tailwater.server.flight.FlightEndpoint}.
 *
 * <p>Standard clients work without knowing Tailwater. Our JDBC driver uses three extensions, which make a statement one round trip:
 *
 * <ul>
 *   <li>action {@code tailwater.OpenSession}: {1 user, 2 password, 3 schema, 4 zone, 5 setting {1 key, 2 value}} gives {1 session id, 2 schema,
 *       3 product version, 4 zone}; later calls carry the id in the header {@code tailwater-session}.
 *   <li>action {@code tailwater.Ping}: fails if the session is gone.
 *   <li>ticket {@code tailwater.Execute}: {1 sql, 2 prepared handle, 3 time-out in ms, 4 row {1 value}}, where a value is nothing for NULL or one of {1
 *       bool, 2 sint, 3 double, 4 decimal as text, 5 text, 6 bytes, 7 date, 8 time, 9 timestamp, 10 instant} in days and microseconds. The answer begins
 *       with a schema; {@code tailwater.done} in its metadata says that there are no rows, and what the statement did instead.
 * </ul>
 *
 * <p>Each record batch of a result carries {1 tick, 2 watermark} in its metadata; a quiet result sends an empty one about each second. Failures carry
 * trailers: see {@link io.tailwater.server.flight.FlightErrors}.
 *
 * <p>Invariants: gRPC's threads never wait for rows; nothing outlives the session, and no session the connections that used it.
 */
@NullMarked
package io.tailwater.server.flight;

import org.jspecify.annotations.NullMarked;

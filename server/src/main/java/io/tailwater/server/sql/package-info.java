/**
 * SQL sessions: from statement text to effects and rows. Endpoints (Flight SQL) know only {@link io.tailwater.server.sql.SqlService} and what it
 * hands out.
 */
@NullMarked
package io.tailwater.server.sql;

import org.jspecify.annotations.NullMarked;

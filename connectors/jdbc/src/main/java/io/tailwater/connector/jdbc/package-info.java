/**
 * Writes to PostgreSQL: what a job puts out becomes rows of a table, by key or appended, each once. Invariant: a tick's rows reach the target in one transaction for
 * each worker, and that transaction leaves the same however often it is run. Start at {@link io.tailwater.connector.jdbc.JdbcConnector}.
 */
@NullMarked
package io.tailwater.connector.jdbc;

import org.jspecify.annotations.NullMarked;

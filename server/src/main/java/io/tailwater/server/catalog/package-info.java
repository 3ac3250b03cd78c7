/**
 * The catalog of one server: definitions of streams, tables, views and jobs, kept durably and changed one at a time.
 *
 * <p>Invariant: a change is decided purely ({@link io.tailwater.server.catalog.CatalogDecision}), written in one metadata transaction that compares the
 * version, and only then seen by statements. What is created is durable before the engine works on it and visible after; what is dropped disappears
 * before the engine frees it. A crash in between is repaired at start-up by {@link io.tailwater.server.catalog.CatalogService#restore}. Start at {@link
 * io.tailwater.server.catalog.CatalogService}.
 */
@NullMarked
package io.tailwater.server.catalog;

import org.jspecify.annotations.NullMarked;

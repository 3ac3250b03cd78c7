package io.tailwater.server.sql;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.server.catalog.CatalogService;
import io.tailwater.server.catalog.ConnectorRegistry;
import io.tailwater.server.engine.Engine;

import java.nio.file.Path;

/**
 * What all sessions of a server share.
 *
 * @param memory for rows on their way between clients and engine
 * @param workingDirectory what relative paths in connector options are relative to
 */
record SqlContext(
        Engine engine,
        CatalogService catalog,
        ConnectorRegistry connectors,
        SystemTables systemTables,
        TableLocks locks,
        MemoryAccount memory,
        Path workingDirectory) {}

package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;

/** What planning must know of the connectors that are installed. */
public interface Connectors {
    /** Whether a scan of this connector stream ends by itself. Asked only for streams with a {@code connector} option. */
    boolean bounded(CatalogObject.Stream stream);

    /** Whether the connector can be a source. */
    boolean readable(CatalogObject.Stream stream);

    /** Whether the connector can be a sink. */
    boolean writable(CatalogObject.Stream stream);
}

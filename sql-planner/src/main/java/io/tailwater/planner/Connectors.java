package io.tailwater.planner;

import io.tailwater.api.catalog.CatalogObject;

import java.util.List;

/** What planning must know of the connectors that are installed. Asked only for streams with a {@code connector} option. */
public interface Connectors {
    /** Whether a scan of this connector stream ends by itself. */
    boolean bounded(CatalogObject.Stream stream);

    /** Whether the connector can be a source. */
    boolean readable(CatalogObject.Stream stream);

    /** Whether the connector can be a sink. */
    boolean writable(CatalogObject.Stream stream);

    /** Whether the connector, as a sink, takes rows back: see {@code Connector.acceptsUpdates}. */
    default boolean acceptsUpdates(CatalogObject.Stream stream) {
        return false;
    }

    /** By which columns the connector, as a sink, puts and deletes rows: see {@code Connector.upsertKey}. */
    default List<Integer> upsertKey(CatalogObject.Stream stream) {
        return List.of();
    }
}

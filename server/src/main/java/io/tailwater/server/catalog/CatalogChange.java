package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;

/** A wish to change the catalog, as a statement states it. Immutable. */
public sealed interface CatalogChange {
    /** What CREATE does when the name is taken by the same kind of object. */
    enum IfExists {
        FAIL,
        SKIP,
        REPLACE
    }

    record Create(CatalogObject object, IfExists ifExists) implements CatalogChange {}

    record CreateJob(JobDefinition job) implements CatalogChange {}

    /**
     * DROP of an object.
     *
     * @param kind {@link CatalogObject#kindName} of what the statement says it is
     * @param cascade also drop what depends on it; else refuse
     */
    record Drop(ObjectName name, String kind, boolean missingOk, boolean cascade) implements CatalogChange {}

    record DropJob(String name, boolean missingOk) implements CatalogChange {}
}

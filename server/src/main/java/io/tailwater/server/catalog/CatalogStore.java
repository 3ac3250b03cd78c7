package io.tailwater.server.catalog;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Where definitions are kept: text by key, and a version that grows with every commit. */
public interface CatalogStore {
    /** All that is stored. */
    Stored load();

    /**
     * Makes {@code expectedVersion + 1} of version {@code expectedVersion}, all or nothing, durable when it returns.
     *
     * @param puts keys to set, as {@link CatalogKeys} makes them
     * @param deletes keys to remove; a key that is not there is no error
     * @throws io.tailwater.common.error.StreamException 55000 if the stored version is another one: nothing has changed then
     */
    void commit(long expectedVersion, Map<String, String> puts, Collection<String> deletes);

    /** A consistent picture of the store. {@code version} is 0 before the first commit. */
    record Stored(long version, SortedMap<String, String> entries) {
        public Stored {
            entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
        }
    }
}

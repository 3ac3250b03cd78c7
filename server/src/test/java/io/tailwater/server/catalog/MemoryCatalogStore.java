package io.tailwater.server.catalog;

import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Keeps the catalog as long as the test. */
public final class MemoryCatalogStore implements CatalogStore {
    private Stored stored = new Stored(0, new TreeMap<>());

    @Override
    public Stored load() {
        return stored;
    }

    @Override
    public void commit(long expectedVersion, Map<String, String> puts, Collection<String> deletes) {
        if (stored.version() != expectedVersion) {
            throw new StreamException(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, "version " + stored.version());
        }
        TreeMap<String, String> next = new TreeMap<>(stored.entries());
        deletes.forEach(next::remove);
        next.putAll(puts);
        stored = new Stored(expectedVersion + 1, next);
    }
}

package io.tailwater.server.catalog;

import io.tailwater.api.storage.MetadataStore;
import io.tailwater.api.storage.MetadataStore.Condition;
import io.tailwater.api.storage.MetadataStore.Operation;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The catalog under {@code /tailwater/catalog/} of the metadata store, its version under {@code /tailwater/catalog/version}. Thread-safe. */
public final class MetadataCatalogStore implements CatalogStore {
    private static final String PREFIX = "/tailwater/catalog/";
    private static final String VERSION = PREFIX + "version";

    private final MetadataStore metadata;

    /** A catalog in this store, which outlives it. */
    public MetadataCatalogStore(MetadataStore metadata) {
        this.metadata = metadata;
    }

    @Override
    public Stored load() {
        long version = 0;
        TreeMap<String, String> entries = new TreeMap<>();
        for (MetadataStore.Entry entry : metadata.range(PREFIX)) {
            if (entry.key().equals(VERSION)) {
                version = parse(entry.value());
            } else {
                entries.put(entry.key().substring(PREFIX.length()), entry.value());
            }
        }
        return new Stored(version, entries);
    }

    private static long parse(String version) {
        try {
            return Long.parseLong(version);
        } catch (NumberFormatException e) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED, "the stored catalog version is no number: " + version, -1, null, e);
        }
    }

    @Override
    public void commit(long expectedVersion, Map<String, String> puts, Collection<String> deletes) {
        Condition unchanged = expectedVersion == 0
                ? new Condition.Absent(VERSION)
                : new Condition.Value(VERSION, Long.toString(expectedVersion));
        List<Operation> operations = new ArrayList<>();
        operations.add(new Operation.Put(VERSION, Long.toString(expectedVersion + 1)));
        puts.forEach((key, value) -> operations.add(new Operation.Put(PREFIX + key, value)));
        deletes.forEach(key -> operations.add(new Operation.Delete(PREFIX + key)));
        if (!metadata.commit(List.of(unchanged), operations).succeeded()) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "the stored catalog is no longer of version " + expectedVersion,
                    -1,
                    "Another server changes the same catalog. Restart this one.",
                    null);
        }
    }
}

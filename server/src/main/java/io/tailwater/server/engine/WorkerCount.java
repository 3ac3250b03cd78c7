package io.tailwater.server.engine;

import io.tailwater.api.storage.MetadataStore;

import java.util.List;
import java.util.OptionalInt;

/** How many workers an application runs with, where a statement has said it. */
public final class WorkerCount {
    private static final String KEY = "applications/" + ApplicationEngine.APPLICATION + "/workers";

    private WorkerCount() {}

    /** What was said last; empty if it was never said or has been left to the server's settings. */
    public static OptionalInt read(MetadataStore metadata) {
        return metadata.get(KEY)
                .map(entry -> OptionalInt.of(Integer.parseInt(entry.value())))
                .orElseGet(OptionalInt::empty);
    }

    /** @param workers from the next start on; 0 leaves it to the server's settings */
    static void write(MetadataStore metadata, int workers) {
        if (workers == 0) {
            metadata.commit(List.of(), List.of(new MetadataStore.Operation.Delete(KEY)));
        } else {
            metadata.put(KEY, Integer.toString(workers));
        }
    }
}

package io.tailwater.storage.metadata;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.api.storage.MetadataStore;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** What the journal holds. Fields by position; new ones go to the end. Immutable. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_ARRAY)
@JsonSubTypes({
    @JsonSubTypes.Type(value = JournalRecord.Checkpoint.class, name = "checkpoint"),
    @JsonSubTypes.Type(value = JournalRecord.Transaction.class, name = "transaction"),
    @JsonSubTypes.Type(value = JournalRecord.Granted.class, name = "granted"),
    @JsonSubTypes.Type(value = JournalRecord.Ended.class, name = "ended")
})
sealed interface JournalRecord {
    /** The whole state: the first record of each journal. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Checkpoint(long revision, long nextLease, List<StoredEntry> entries, List<Granted> leases)
            implements JournalRecord {}

    /** The changes of one revision. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Transaction(long revision, List<Written> puts, List<String> deletes) implements JournalRecord {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Granted(long lease, long ttlMicros) implements JournalRecord {}

    /** A lease that has ended; its keys go in a transaction of their own before it. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Ended(long lease) implements JournalRecord {}

    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record Written(String key, String value, long lease) {
        /** The key as it is after this; {@code before} is null if it was not there. */
        MetadataStore.Entry entry(MetadataStore.@Nullable Entry before, long revision) {
            return new MetadataStore.Entry(
                    key,
                    value,
                    before == null ? revision : before.created(),
                    revision,
                    before == null ? 1 : before.version() + 1,
                    lease);
        }
    }

    /** {@link MetadataStore.Entry} in its stored form. */
    @JsonFormat(shape = JsonFormat.Shape.ARRAY)
    record StoredEntry(String key, String value, long created, long modified, long version, long lease) {
        static StoredEntry of(MetadataStore.Entry entry) {
            return new StoredEntry(
                    entry.key(), entry.value(), entry.created(), entry.modified(), entry.version(), entry.lease());
        }

        MetadataStore.Entry entry() {
            return new MetadataStore.Entry(key, value, created, modified, version, lease);
        }
    }
}

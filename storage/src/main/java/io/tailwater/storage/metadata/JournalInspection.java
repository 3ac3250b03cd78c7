package io.tailwater.storage.metadata;

import io.tailwater.api.storage.MetadataStore;
import io.tailwater.common.error.StreamException;
import io.tailwater.storage.file.FileIo;
import io.tailwater.storage.file.IoErrors;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the journal of an embedded metadata store says, without a store: nothing is changed, and what is damaged is told. The keys are as of the last whole record.
 * Owned by one thread.
 */
public final class JournalInspection {
    private final TreeMap<String, MetadataStore.Entry> entries = new TreeMap<>();
    private long revision;
    private long bytes;
    private long unfinished;
    private @Nullable StreamException damage;

    private JournalInspection() {}

    /**
     * Reads the journal in {@code directory}.
     *
     * @throws StreamException XX001 if it is missing or no journal, 58030 if it cannot be read
     */
    public static JournalInspection read(FileIo io, Path directory) {
        Path path = directory.resolve(Journal.NAME);
        JournalInspection out = new JournalInspection();
        try (FileIo.OpenFile file = io.openToRead(path)) {
            Journal.Found found = Journal.read(file, path, out::apply);
            out.bytes = found.end();
            out.unfinished = found.unfinished();
            try {
                found.check(path);
            } catch (StreamException e) {
                out.damage = e;
            }
            return out;
        } catch (NoSuchFileException e) {
            throw IoErrors.corrupt(path, 0, "the file is missing");
        } catch (IOException e) {
            throw IoErrors.of("cannot read " + path, e);
        }
    }

    private void apply(JournalRecord record) {
        if (record instanceof JournalRecord.Checkpoint checkpoint) {
            revision = checkpoint.revision();
            entries.clear();
            checkpoint.entries().forEach(e -> entries.put(e.key(), e.entry()));
        } else if (record instanceof JournalRecord.Transaction transaction) {
            revision = transaction.revision();
            transaction.deletes().forEach(entries::remove);
            transaction.puts().forEach(p -> entries.put(p.key(), p.entry(entries.get(p.key()), revision)));
        }
    }

    /** All keys, sorted. */
    public List<MetadataStore.Entry> entries() {
        return List.copyOf(entries.values());
    }

    public long revision() {
        return revision;
    }

    /** Bytes of all whole records. */
    public long bytes() {
        return bytes;
    }

    /** Bytes behind the last whole record. */
    public long unfinished() {
        return unfinished;
    }

    public Optional<StreamException> damage() {
        return Optional.ofNullable(damage);
    }
}

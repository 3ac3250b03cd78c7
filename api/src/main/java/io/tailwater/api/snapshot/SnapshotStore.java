package io.tailwater.api.snapshot;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Snapshot files and manifests, on a file system that all executors share. Files are written under names of their own, synced before anybody hears of them, and
 * never renamed, changed or reused, so that a writer that was replaced can leave garbage but no harm; this is safe on NFS. Thread-safe.
 *
 * <p>Fails with a StreamException: XX001 names the file that is missing, shorter or otherwise not what was written; 53100 means that the disk is full; 58030 is any
 * other failure of the disk.
 */
public interface SnapshotStore {
    /** Writes captured state as one file, which is durable when this returns. Borrows the rows; a part without rows is left out. */
    SnapshotFile write(String application, long epoch, long tick, VnodeRange full, List<StateRows> state);

    /** Checks that the file is there and as it was written, to its last byte. */
    void verify(SnapshotFile file);

    /**
     * Reads one job's state in the order it was written.
     *
     * @param worker whose, or -1 for all workers'
     * @param out borrows the rows
     */
    void read(SnapshotFile file, long job, int worker, Consumer<StateRows> out);

    /** Writes a manifest, which is durable when this returns. Returns its name, never used before. */
    String writeManifest(String application, long epoch, long tick, String json);

    /** The text of a manifest, checked. */
    String readManifest(String name);

    /** Names of all manifests of an application that can be read, from old to new. To find what a lost metadata store knew: nothing else lists. */
    List<String> manifests(String application);

    /** Applications that have written anything here, sorted. */
    List<String> applications();

    /**
     * Removes files and manifests of an application that nobody needs. Failing to is no error: the next call tries again.
     *
     * @param kept names that stay
     * @param olderThanMicros what was written later than this wall-clock time stays too: its manifest may be on its way
     * @return how many went
     */
    int collect(String application, Set<String> kept, long olderThanMicros);
}

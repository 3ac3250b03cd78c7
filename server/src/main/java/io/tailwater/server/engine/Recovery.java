package io.tailwater.server.engine;

import io.tailwater.server.sql.CancelSignal;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Snapshots and recovery points of an application. Thread-safe. */
public interface Recovery {
    /** Snapshots that this process has taken, and before them what it found when it started, oldest first; only the latest. */
    List<SnapshotStatus> snapshots();

    /** All recovery points, by name. */
    List<RecoveryPoint> points();

    /**
     * Takes a snapshot and keeps it under a name. Returns when it is durable.
     *
     * @param cancel ends the wait; the snapshot is taken nevertheless, but has no name
     * @throws io.tailwater.common.error.StreamException 42710 if there is one of this name; 55000 if no snapshots are taken; 57014
     */
    RecoveryPoint createPoint(String name, CancelSignal cancel);

    /** As {@link #createPoint(String, CancelSignal)}, however long it takes. */
    default RecoveryPoint createPoint(String name) {
        return createPoint(name, new CancelSignal());
    }

    /** Forgets a recovery point. Fails with 42704 if there is none of this name. */
    void dropPoint(String name);

    /**
     * Brings jobs back to what they were at a recovery point, from where they read on.
     *
     * @param job the only one to go back, or null for all
     * @throws io.tailwater.common.error.StreamException 42704 if there is no such point; 55000 if a job cannot go back, and says why
     */
    void rollback(@Nullable String job, String point);

    /** A moment whose content is kept. Immutable. */
    sealed interface Past {
        /** The newest snapshot or recovery point that is kept and not later than this. */
        record Time(long micros) implements Past {}

        /** A recovery point. */
        record Point(String name) implements Past {}
    }

    /**
     * A snapshot that was taken.
     *
     * @param rows of state that were written for it
     * @param bytes of the file that was written for it
     * @param files that a restart from it reads, and their bytes
     * @param fullVnodes of which all was written, not only what had changed
     * @param captureNanos for which workers stood still; -1 if another process took it
     * @param writeNanos from then until it was committed; -1 if another process took it
     */
    record SnapshotStatus(
            long tick,
            long createdMicros,
            long rows,
            long bytes,
            int files,
            long chainBytes,
            int fullVnodes,
            long captureNanos,
            long writeNanos) {}

    /** A snapshot that is kept until it is dropped. */
    record RecoveryPoint(String name, long tick, long createdMicros, long bytes, int files, List<String> jobs) {
        public RecoveryPoint {
            jobs = List.copyOf(jobs);
        }
    }
}

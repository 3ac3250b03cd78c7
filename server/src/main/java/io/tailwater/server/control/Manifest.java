package io.tailwater.server.control;

import io.tailwater.api.plan.PlanCodec;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.executor.snapshot.SnapshotChain;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A consistent snapshot of an application, as its manifest tells it: everything that is needed to go on from a tick without the log before it. Stored as JSON.
 * Immutable.
 *
 * @param format of this record
 * @param createdMicros wall clock when it was taken
 * @param logPosition of the first record of the application log that it does not cover
 * @param workers that captured the state
 * @param files state, from old to new; see {@link io.tailwater.api.snapshot.VnodeRange}
 * @param outputs per stream, as {@code schema.name}, the application's frames that had been committed
 * @param parent manifest before this one, or empty
 */
public record Manifest(
        int format,
        String application,
        long epoch,
        long tick,
        long clockMicros,
        long createdMicros,
        long lastJob,
        long planVersion,
        long logPosition,
        int workers,
        List<JobImage> jobs,
        List<SnapshotFile> files,
        SortedMap<String, List<ControlRecord.PartitionRange>> outputs,
        String parent) {
    private static final int FORMAT = 1;

    public Manifest {
        jobs = List.copyOf(jobs);
        files = List.copyOf(files);
        outputs = new TreeMap<>(outputs);
    }

    /** Of what the master knows; {@link #located} and {@link #with} add the rest. */
    static Manifest of(
            String application,
            long epoch,
            long tick,
            long clockMicros,
            long createdMicros,
            long lastJob,
            long planVersion,
            int workers,
            List<JobImage> jobs,
            List<SnapshotFile> files) {
        return new Manifest(
                FORMAT,
                application,
                epoch,
                tick,
                clockMicros,
                createdMicros,
                lastJob,
                planVersion,
                -1,
                workers,
                jobs,
                files,
                new TreeMap<>(),
                "");
    }

    /** With what only the shell knows at that moment. */
    public Manifest located(long position, SortedMap<String, List<ControlRecord.PartitionRange>> committed) {
        return with(position, files, committed, parent);
    }

    /** With the file that was written for it; files of which nothing counts any more are left out. */
    public Manifest with(SnapshotFile file, String before) {
        List<SnapshotFile> all = new ArrayList<>(files);
        all.add(file);
        SnapshotChain chain =
                new SnapshotChain(all.stream().map(SnapshotFile::full).toList());
        int first = 0;
        while (!chain.needs(first)) {
            first++;
        }
        return with(logPosition, all.subList(first, all.size()), outputs, before);
    }

    private Manifest with(
            long position,
            List<SnapshotFile> chain,
            SortedMap<String, List<ControlRecord.PartitionRange>> committed,
            String before) {
        return new Manifest(
                format,
                application,
                epoch,
                tick,
                clockMicros,
                createdMicros,
                lastJob,
                planVersion,
                position,
                workers,
                jobs,
                chain,
                committed,
                before);
    }

    public String toJson() {
        return PlanCodec.write(this);
    }

    /**
     * The manifest of a text.
     *
     * @throws StreamException XX001 if it is none, 55000 if a newer release wrote it
     */
    public static Manifest fromJson(String json) {
        Manifest out = PlanCodec.read(json, Manifest.class);
        if (out.format != FORMAT) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "a snapshot has format " + out.format + ", this release reads " + FORMAT,
                    -1,
                    "Use the release that wrote it.",
                    null);
        }
        return out;
    }
}

package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.runtime.JobInstance;
import io.tailwater.executor.snapshot.SnapshotChain;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.view.ViewSpine;
import io.tailwater.server.control.JobImage;
import io.tailwater.server.control.Manifest;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Views and tables as snapshots have them, for one query. What it reads is not removed until it is closed. Owned by one thread at a time.
 */
final class PastViews implements AutoCloseable {
    private final Snapshots snapshots;
    private final SortedMap<Integer, Snapshots.Kept> readers = new TreeMap<>();

    private PastViews(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    /** @throws StreamException 42704 or 55000 if nothing is kept of one of them */
    static PastViews open(SortedMap<Integer, Recovery.Past> past, Snapshots snapshots) {
        PastViews out = new PastViews(snapshots);
        try {
            past.forEach((reader, when) -> out.readers.put(reader, snapshots.open(when)));
            return out;
        } catch (RuntimeException | Error e) {
            out.close();
            throw e;
        }
    }

    boolean has(int reader) {
        return readers.containsKey(reader);
    }

    /**
     * Reads what a view was.
     *
     * @param schema of the view as it is now
     * @param stop throws if nobody wants the rows any more
     * @param out owns the batches
     */
    void read(
            int reader,
            ObjectName view,
            Schema schema,
            MemoryAccount memory,
            Runnable stop,
            Consumer<ColumnBatch> out) {
        Snapshots.Kept snapshot = readers.get(reader);
        if (snapshot == null) {
            throw new AssertionError("reader " + reader + " reads what is there now");
        }
        Manifest manifest = snapshot.manifest();
        JobImage image = image(manifest, view);
        if (image.failure() != null) {
            throw refused(view + " had failed " + at(manifest) + ": "
                    + image.failure().message());
        }
        JobPlan plan = image.start().plan();
        if (!plan.root().schema().equals(schema)) {
            throw refused(view + " had other columns " + at(manifest));
        }
        try (ViewSpine spine = new ViewSpine(schema, plan.root().traits().appendOnly(), memory)) {
            SnapshotChain chain = new SnapshotChain(
                    manifest.files().stream().map(SnapshotFile::full).toList());
            for (int i = 0; i < manifest.files().size(); i++) {
                int file = i;
                snapshots.store().read(manifest.files().get(i), image.start().job(), -1, rows -> {
                    stop.run();
                    take(rows, chain, file, spine);
                });
            }
            spine.restored();
            spine.publish(manifest.tick());
            try (ViewSpine.Snapshot content = spine.snapshot()) {
                content.read(memory, out);
            }
        }
    }

    private static JobImage image(Manifest manifest, ObjectName view) {
        return manifest.jobs().stream()
                .filter(j -> j.start().plan().sink() instanceof JobPlan.Sink.View sink
                        && sink.name().equals(view))
                .findFirst()
                .orElseThrow(() -> refused(view + " did not exist " + at(manifest)));
    }

    private static String at(Manifest manifest) {
        return "at " + Snapshots.time(manifest.createdMicros());
    }

    private static StreamException refused(String message) {
        return new StreamException(ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE, message);
    }

    private static void take(StateRows rows, SnapshotChain chain, int file, ViewSpine spine) {
        int sink = rows.operators().indexOf(JobInstance.SINK);
        if (sink < 0) {
            return;
        }
        for (ColumnBatch batch : rows.batches()) {
            StateReader row = new StateReader(batch);
            while (row.next()) {
                if (row.operator() == sink && chain.counts(file, row.hash())) {
                    spine.restore(row);
                }
            }
        }
    }

    @Override
    public void close() {
        List.copyOf(readers.values()).forEach(snapshots::close);
        readers.clear();
    }
}

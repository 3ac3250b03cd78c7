package io.tailwater.executor.view;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Hashing;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.Schema;
import io.tailwater.executor.operator.Operator.StateSize;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * One worker's share of a materialized view: immutable sorted runs whose sum is the content, and the current tick's change.
 *
 * <p>A tick: {@link #append} its batches, {@link #endTick} nets them into a run, {@link #takeDelta} hands that to readers of changes, {@link #publish}
 * shows it to {@link #snapshot}. Each run has at least twice the entries of the next; larger merges go on over several ticks, in proportion to what
 * comes in.
 *
 * <p>For {@link #writeChanges} what has come in since its last call stays apart from what was there: the runs from {@link #young} on are merged among themselves
 * only. So noting what changes takes neither memory nor time of its own.
 *
 * <p>Owned by one worker, but {@link #snapshot} and what it returns may be used by any thread.
 */
public final class ViewSpine implements AutoCloseable {
    /** Merges up to this size are done at once. */
    private static final int SMALL = 1 << 14;
    /** Rows of a snapshot that are gathered before they become a run. */
    private static final int RESTORED_ROWS = 1 << 20;

    private final RowLayout layout;
    private final RowOrder order;
    private final boolean appendOnly;
    private final MemoryAccount account;
    private final DeltaBuffer buffer;
    /** Oldest first. The spine holds a reference to each. */
    private final List<SortedRun> runs = new ArrayList<>();

    /** The first run that is younger than the last {@link #writeChanges}; 0 before. */
    private int young;

    private final List<RunMerge> merges = new ArrayList<>();
    private @Nullable SortedRun delta;
    private long rows;
    private final Object publishing = new Object();
    /** Guarded by {@link #publishing}, and so are its references. */
    private Published published = new Published(-1, List.of(), 0);

    /**
     * An empty view.
     *
     * @param appendOnly whether the view's plan is: what is read then never has weights, equal rows are repeated
     */
    public ViewSpine(Schema schema, boolean appendOnly, MemoryAccount account) {
        this(schema, appendOnly, account, -1);
    }

    /** For tests: {@code hashMask} as {@link DeltaBuffer} takes it. */
    ViewSpine(Schema schema, boolean appendOnly, MemoryAccount account, long hashMask) {
        this.appendOnly = appendOnly;
        this.layout = new RowLayout(BatchBuilder.types(schema));
        this.order = RowOrder.ascending(layout);
        this.account = account;
        buffer = new DeltaBuffer(layout, order, account, hashMask);
    }

    /** Adds to the current tick's change. Owns the batch. */
    public void append(ColumnBatch batch) {
        try (batch) {
            buffer.add(batch);
        }
    }

    /**
     * Nets the tick's change and adds it to the content, which readers see after {@link #publish}.
     *
     * @throws StreamException 22000 if a row would be taken out more often than it is there
     */
    public void endTick() {
        releaseDelta();
        if (buffer.count() > 0) {
            SortedRun run = buffer.build();
            delta = run;
            if (run.count() > 0) {
                check(run);
                runs.add(run.retain());
            }
        }
        merge(delta == null ? 0 : delta.count());
    }

    private void check(SortedRun run) {
        for (int i = 0; i < run.count(); i++) {
            long entry = run.entry(i);
            long weight = Mem.getLong(entry + SortedRun.WEIGHT);
            rows += weight;
            // The oldest runs are the view at an earlier tick, never negative: once the newer ones make up for it there
            // is no need to look further.
            for (int r = runs.size() - 1; weight < 0 && r >= 0; r--) {
                weight += runs.get(r).weightOf(entry);
            }
            if (weight < 0) {
                throw new StreamException(
                        ErrorCode.DATA_EXCEPTION,
                        "more rows were removed than had been added: %s would have weight %d"
                                .formatted(layout.describe(entry + SortedRun.ROW), weight),
                        -1,
                        "The query retracts a row that it never produced.",
                        null);
            }
        }
    }

    private void merge(int incoming) {
        long fuel = 4L * incoming + (1 << 12);
        for (int m = merges.size() - 1; m >= 0; m--) {
            if (merges.get(m).step(fuel)) {
                finish(merges.remove(m));
            }
        }
        boolean found = true;
        while (found) {
            found = false;
            for (int r = runs.size() - 2; r >= 0 && !found; r--) {
                SortedRun older = runs.get(r);
                SortedRun newer = runs.get(r + 1);
                if (r + 1 != young && older.count() < 2L * newer.count() && !merging(older) && !merging(newer)) {
                    RunMerge merge = new RunMerge(layout, order, older, newer, account);
                    merges.add(merge);
                    if (merge.step(older.count() + newer.count() <= SMALL ? Long.MAX_VALUE : fuel)) {
                        finish(merges.remove(merges.size() - 1));
                    }
                    found = true;
                }
            }
        }
    }

    private boolean merging(SortedRun run) {
        return merges.stream().anyMatch(m -> m.merges(run));
    }

    private void finish(RunMerge merge) {
        SortedRun merged;
        try {
            merged = merge.finish();
        } catch (RuntimeException | Error e) {
            merge.close();
            throw e;
        }
        int at = 0;
        while (!merge.merges(runs.get(at))) {
            at++;
        }
        runs.remove(at).release();
        runs.remove(at).release();
        if (at < young) {
            young -= merged.count() == 0 ? 2 : 1;
        }
        if (merged.count() == 0) {
            merged.release();
        } else {
            runs.add(at, merged);
        }
    }

    /** Writes what has come in since the last call, and of the writer's full vnodes all that is there. Between ticks. */
    public void writeChanges(StateWriter out) {
        VnodeRange full = out.full();
        List<SortedRun> changes = List.copyOf(runs.subList(young, runs.size()));
        write(changes, 0, full.from(), out);
        write(runs, full.from(), full.to(), out);
        write(changes, full.to(), Hashing.VNODES, out);
        young = runs.size();
    }

    private void write(List<SortedRun> from, int firstVnode, int endVnode, StateWriter out) {
        int half = Hashing.VNODES / 2;
        if (firstVnode < half && endVnode > half) {
            write(from, firstVnode, half, out);
            write(from, half, endVnode, out);
        } else if (firstVnode < endVnode) {
            new RunReader(layout, order, false, from)
                    .within(firstVnode, endVnode)
                    .write(out);
        }
    }

    /** Takes over a row that {@link #writeChanges} has written; {@link #restored} ends it. Before the first tick. */
    public void restore(StateReader row) {
        buffer.addFlat(row.hash(), row.key(), row.weight());
        if (buffer.count() == RESTORED_ROWS) {
            addRestored();
        }
    }

    private void addRestored() {
        if (buffer.count() > 0) {
            runs.add(buffer.build());
            while (runs.size() > 1
                    && runs.get(runs.size() - 2).count()
                            < 2L * runs.get(runs.size() - 1).count()) {
                mergeLastTwo();
            }
        }
    }

    private void mergeLastTwo() {
        RunMerge merge = new RunMerge(layout, order, runs.get(runs.size() - 2), runs.get(runs.size() - 1), account);
        merges.add(merge);
        merge.step(Long.MAX_VALUE);
        merges.remove(merge);
        finish(merge);
    }

    /**
     * All rows have been taken over: their sum is the content, which readers see after {@link #publish}.
     *
     * @throws StreamException XX001 if a row is there a negative number of times
     */
    public void restored() {
        addRestored();
        while (runs.size() > 1) {
            mergeLastTwo();
        }
        for (SortedRun run : runs) {
            for (int i = 0; i < run.count(); i++) {
                long weight = Mem.getLong(run.entry(i) + SortedRun.WEIGHT);
                if (weight < 0) {
                    throw new StreamException(
                            ErrorCode.DATA_CORRUPTED,
                            "a snapshot has a view's row %s with weight %d"
                                    .formatted(layout.describe(run.entry(i) + SortedRun.ROW), weight));
                }
                rows += weight;
            }
        }
        young = runs.size();
    }

    /** The netted change of the last tick that ended; the caller owns the batches. Batches have weights if one of theirs is not 1. */
    public List<ColumnBatch> takeDelta() {
        return delta == null ? List.of() : new RunReader(layout, order, appendOnly, List.of(delta)).readAll(account);
    }

    /** The whole content as of the last {@link #endTick}; the caller owns the batches. */
    public List<ColumnBatch> content() {
        return new RunReader(layout, order, appendOnly, runs).readAll(account);
    }

    /** Shows what {@link #endTick} added to readers, as the view at this tick. */
    public void publish(long tick) {
        for (SortedRun run : runs) {
            run.retain();
        }
        Published next = new Published(tick, List.copyOf(runs), rows);
        Published previous;
        synchronized (publishing) {
            previous = published;
            published = next;
        }
        previous.runs.forEach(SortedRun::release);
    }

    /** Pins the content at the last published tick. Close it soon: what it pins is not freed before. Thread-safe. */
    public Snapshot snapshot() {
        synchronized (publishing) {
            published.runs.forEach(SortedRun::retain);
            return new Snapshot(published, layout, order, appendOnly);
        }
    }

    /** Rows in the view, counting duplicates, and the bytes they take. */
    public StateSize stateSize() {
        long bytes = buffer.reservedBytes();
        for (SortedRun run : runs) {
            bytes += run.reservedBytes();
        }
        return new StateSize(rows, bytes);
    }

    private void releaseDelta() {
        if (delta != null) {
            delta.release();
            delta = null;
        }
    }

    /** Frees all but what snapshots pin. */
    @Override
    public void close() {
        releaseDelta();
        merges.forEach(RunMerge::close);
        merges.clear();
        runs.forEach(SortedRun::release);
        runs.clear();
        Published last;
        synchronized (publishing) {
            last = published;
            published = new Published(last.tick, List.of(), 0);
        }
        last.runs.forEach(SortedRun::release);
        buffer.close();
    }

    private record Published(long tick, List<SortedRun> runs, long rows) {}

    /** The view at a tick. Owned by one thread at a time. */
    public static final class Snapshot implements AutoCloseable {
        private final Published content;
        private final RowLayout layout;
        private final RowOrder order;
        private final boolean appendOnly;
        private boolean closed;

        private Snapshot(Published content, RowLayout layout, RowOrder order, boolean appendOnly) {
            this.appendOnly = appendOnly;
            this.content = content;
            this.layout = layout;
            this.order = order;
        }

        /** -1 before the first. */
        public long tick() {
            return content.tick;
        }

        /** Rows, counting duplicates. */
        public long rows() {
            return content.rows;
        }

        /** Gives each row once, with its weight (or repeated, if the view is append-only), to the consumer, who owns the batches; they are accounted to {@code memory}. */
        public void read(MemoryAccount memory, java.util.function.Consumer<ColumnBatch> consumer) {
            if (closed) {
                throw new AssertionError("read of a closed snapshot");
            }
            new RunReader(layout, order, appendOnly, content.runs).read(memory, consumer);
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                content.runs.forEach(SortedRun::release);
            }
        }
    }
}

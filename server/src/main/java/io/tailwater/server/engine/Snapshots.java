package io.tailwater.server.engine;

import io.tailwater.api.plan.PlanCodec;
import io.tailwater.api.snapshot.SnapshotFile;
import io.tailwater.api.snapshot.SnapshotStore;
import io.tailwater.api.snapshot.StateOrigin;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.storage.MetadataStore;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.time.Clock;
import io.tailwater.server.control.Command;
import io.tailwater.server.control.Event;
import io.tailwater.server.control.JobImage;
import io.tailwater.server.control.Manifest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * An application's snapshots on their way to the store and back. A snapshot is what a restart goes on from once the metadata store names its manifest; that happens in
 * one transaction, after all that it rests on is durable: outputs, application log, state file, manifest. Thread-safe.
 */
final class Snapshots implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
    /** Manifests that a restart may fall back on when a newer one's files are damaged. */
    private static final int KEPT = 3;

    private static final int HISTORY = 100;
    private static final int COLLECT_EVERY = 10;
    private static final long YOUNG_MICROS = 10_000_000;

    private final String application;
    private final SnapshotStore store;
    private final MetadataStore metadata;
    private final Clock clock;
    private final Runnable syncRestsOn;
    private final ExecutorService writer;
    private final Deque<Recovery.SnapshotStatus> history = new ArrayDeque<>();
    /** Snapshots that jobs were brought back to, and how many must be taken until nothing needs them. */
    private final SortedMap<String, Integer> origins = new TreeMap<>();
    /** Snapshots that queries read, and how many do. */
    private final SortedMap<String, Integer> read = new TreeMap<>();
    /** Newest first. */
    private List<Kept> kept = List.of();

    private @Nullable String pointer;
    /** Of this process among those that have taken snapshots. */
    private long epoch;

    private long written;

    /** A manifest and its name. */
    record Kept(String name, Manifest manifest) {}

    /** What the metadata store holds: names of manifests, newest first. */
    private record Pointer(long epoch, long tick, List<String> manifests) {
        Pointer {
            manifests = List.copyOf(manifests);
        }
    }

    /** A recovery point as the metadata store has it. */
    private record Point(String manifest) {}

    /** @param syncRestsOn makes outputs and application log durable, in this order */
    Snapshots(String application, SnapshotStore store, MetadataStore metadata, Clock clock, Runnable syncRestsOn) {
        this.application = application;
        this.store = store;
        this.metadata = metadata;
        this.clock = clock;
        this.syncRestsOn = syncRestsOn;
        writer = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "snapshot-" + application);
            thread.setDaemon(true);
            return thread;
        });
    }

    private String key() {
        return "applications/" + application + "/snapshot";
    }

    private String epochKey() {
        return "applications/" + application + "/epoch";
    }

    /** From now on nobody else commits a snapshot. */
    private void claim() {
        while (true) {
            String before =
                    metadata.get(epochKey()).map(MetadataStore.Entry::value).orElse(null);
            epoch = before == null ? 1 : Long.parseLong(before) + 1;
            if (metadata.compareAndSet(epochKey(), before, Long.toString(epoch)).succeeded()) {
                return;
            }
        }
    }

    /**
     * Takes over: the newest snapshot that is whole, or null if none was ever taken. Who took snapshots before can commit none any more.
     *
     * @throws StreamException XX001 if there are some and none can be read
     */
    synchronized @Nullable Kept load() {
        claim();
        MetadataStore.Entry entry = metadata.get(key()).orElse(null);
        if (entry == null) {
            return null;
        }
        pointer = entry.value();
        StreamException first = null;
        List<Kept> whole = new ArrayList<>();
        for (String name : PlanCodec.read(entry.value(), Pointer.class).manifests()) {
            try {
                Manifest manifest = Manifest.fromJson(store.readManifest(name));
                if (whole.isEmpty()) {
                    manifest.files().forEach(store::verify);
                }
                whole.add(new Kept(name, manifest));
            } catch (StreamException e) {
                if (e.code() != ErrorCode.DATA_CORRUPTED) {
                    throw e;
                }
                first = first == null ? e : first;
                LOG.warn(
                        "snapshot {} of application {} cannot be used; trying the one before it", name, application, e);
            }
        }
        kept = List.copyOf(whole);
        whole.forEach(snapshot -> history.addFirst(status(snapshot.manifest(), -1, -1)));
        if (whole.isEmpty() && first != null) {
            throw first;
        }
        return whole.isEmpty() ? null : whole.get(0);
    }

    /** A manifest by its name. */
    Manifest manifest(String name) {
        for (Kept snapshot : kept()) {
            if (snapshot.name().equals(name)) {
                return snapshot.manifest();
            }
        }
        return Manifest.fromJson(store.readManifest(name));
    }

    /** A job as a snapshot has it. */
    JobImage image(StateOrigin origin) {
        hold(origin.manifest());
        return manifest(origin.manifest()).jobs().stream()
                .filter(j -> j.start().job() == origin.job())
                .findFirst()
                .orElseThrow(() -> new StreamException(
                        ErrorCode.DATA_CORRUPTED, "snapshot " + origin.manifest() + " has no job " + origin.job()));
    }

    SnapshotStore store() {
        return store;
    }

    /** Manifests from which a restart may go on, newest first. */
    synchronized List<Kept> kept() {
        return kept;
    }

    private String pointKey(String name) {
        return pointKeys() + name.replace("%", "%25").replace("/", "%2F");
    }

    private String pointKeys() {
        return "applications/" + application + "/points/";
    }

    /** Names of recovery points, and of their manifests. */
    private SortedMap<String, String> pointNames() {
        SortedMap<String, String> out = new TreeMap<>();
        for (MetadataStore.Entry entry : metadata.range(pointKeys())) {
            String name = entry.key()
                    .substring(pointKeys().length())
                    .replace("%2F", "/")
                    .replace("%25", "%");
            out.put(name, PlanCodec.read(entry.value(), Point.class).manifest());
        }
        return out;
    }

    /** Recovery points by name. */
    SortedMap<String, Kept> points() {
        SortedMap<String, Kept> out = new TreeMap<>();
        pointNames().forEach((name, manifest) -> out.put(name, new Kept(manifest, manifest(manifest))));
        return out;
    }

    /** The recovery point of this name, or null. */
    @Nullable Kept point(String name) {
        String manifest = pointNames().get(name);
        return manifest == null ? null : new Kept(manifest, manifest(manifest));
    }

    boolean hasPoint(String name) {
        return metadata.get(pointKey(name)).isPresent();
    }

    /** Gives a snapshot a name, by which it is kept; whether the name was free. */
    boolean pin(String name, Kept snapshot) {
        return metadata.compareAndSet(pointKey(name), null, PlanCodec.write(new Point(snapshot.name())))
                .succeeded();
    }

    /** Whether there was a point of this name. */
    boolean unpin(String name) {
        return metadata.commit(
                        List.of(new MetadataStore.Condition.Exists(pointKey(name))),
                        List.of(new MetadataStore.Operation.Delete(pointKey(name))))
                .succeeded();
    }

    /** Snapshots that a job has been brought back to; kept as long as one that is kept may need them to do it again. */
    private List<Kept> origins() {
        Set<String> names = new TreeSet<>();
        synchronized (this) {
            names.addAll(origins.keySet());
        }
        return names.stream().map(n -> new Kept(n, manifest(n))).toList();
    }

    private List<Kept> readNow() {
        Set<String> names = new TreeSet<>();
        synchronized (this) {
            names.addAll(read.keySet());
        }
        return names.stream().map(n -> new Kept(n, manifest(n))).toList();
    }

    /** A job is brought back to this snapshot. */
    synchronized void hold(String manifest) {
        origins.put(manifest, KEPT + 1);
    }

    /**
     * What is kept of a moment; it stays until {@link #close(Kept)}.
     *
     * @throws StreamException 42704 if there is no such recovery point, 55000 if nothing is kept that is old enough
     */
    Kept open(Recovery.Past when) {
        while (true) {
            Kept found = find(when);
            synchronized (this) {
                read.merge(found.name(), 1, Integer::sum);
            }
            // Whoever collects files from now on sees that it is read. One who began before may have missed it only if
            // it was given up meanwhile.
            if (isNamed(kept(), found) || pointNames().containsValue(found.name())) {
                return found;
            }
            close(found);
        }
    }

    private static boolean isNamed(Collection<Kept> among, Kept snapshot) {
        return among.stream().anyMatch(k -> k.name().equals(snapshot.name()));
    }

    /** The snapshot may go for all that one of those who opened it cares. */
    synchronized void close(Kept snapshot) {
        read.computeIfPresent(snapshot.name(), (name, readers) -> readers == 1 ? null : readers - 1);
    }

    private Kept find(Recovery.Past when) {
        if (when instanceof Recovery.Past.Point point) {
            Kept found = point(point.name());
            if (found == null) {
                throw new StreamException(
                        ErrorCode.UNDEFINED_OBJECT,
                        "recovery point \"" + point.name() + "\" does not exist",
                        -1,
                        "SHOW RECOVERY POINTS lists those there are.",
                        null);
            }
            return found;
        }
        if (when instanceof Recovery.Past.Time time) {
            List<Kept> all = new ArrayList<>(points().values());
            all.addAll(kept());
            Comparator<Kept> byTime = Comparator.comparingLong(s -> s.manifest().createdMicros());
            return all.stream()
                    .filter(s -> s.manifest().createdMicros() <= time.micros())
                    .max(byTime)
                    .orElseThrow(() -> new StreamException(
                            ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            "nothing is kept from " + time(time.micros()) + " or before",
                            -1,
                            all.isEmpty()
                                    ? "Nothing is kept at all yet."
                                    : "What is kept is from: "
                                            + all.stream()
                                                    .sorted(byTime)
                                                    .map(s -> time(s.manifest().createdMicros()))
                                                    .distinct()
                                                    .collect(Collectors.joining(", "))
                                            + ".",
                            null));
        }
        throw new AssertionError(when);
    }

    /** A time for messages. */
    static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }

    private synchronized void release() {
        origins.replaceAll((name, left) -> left - 1);
        origins.values().removeIf(left -> left <= 0);
    }

    /** Snapshots that were found at the start or taken since, oldest first; only the latest. */
    synchronized List<Recovery.SnapshotStatus> history() {
        return List.copyOf(history);
    }

    /** Writes a snapshot on a thread of its own. Owns the state. */
    void write(Command.WriteSnapshot command, Manifest located, Consumer<Event> answer) {
        writer.execute(() -> {
            long begun = clock.nanoTime();
            Event result;
            try {
                result = new Event.SnapshotCommitted(commit(command, located, begun));
            } catch (RuntimeException | Error e) {
                LOG.warn("a snapshot of application {} after tick {} came to nothing", application, located.tick(), e);
                result = new Event.SnapshotFailed(
                        e instanceof StreamException known
                                ? known
                                : new StreamException(
                                        ErrorCode.INTERNAL_ERROR, "a snapshot came to nothing: " + e, -1, null, e));
            } finally {
                command.state().forEach(StateRows::close);
            }
            answer.accept(result);
            if (result instanceof Event.SnapshotCommitted && ++written % COLLECT_EVERY == 0) {
                tryToCollect();
            }
        });
    }

    /** The snapshot is what it is, whether old ones can be removed or not. */
    private void tryToCollect() {
        try {
            collect();
        } catch (StreamException e) {
            LOG.warn(
                    "cannot remove old snapshots of application {}; a damaged recovery point has to be dropped first",
                    application,
                    e);
        }
    }

    private Manifest commit(Command.WriteSnapshot command, Manifest located, long begun) {
        syncRestsOn.run();
        SnapshotFile file = store.write(application, located.epoch(), located.tick(), command.full(), command.state());
        String before;
        List<Kept> older;
        synchronized (this) {
            older = kept;
            before = older.isEmpty() ? "" : older.get(0).name();
        }
        Manifest manifest = located.with(file, before);
        String name = store.writeManifest(application, manifest.epoch(), manifest.tick(), manifest.toJson());
        List<Kept> next = new ArrayList<>();
        next.add(new Kept(name, manifest));
        next.addAll(older.subList(0, Math.min(older.size(), KEPT - 1)));
        point(new Pointer(
                manifest.epoch(), manifest.tick(), next.stream().map(Kept::name).toList()));
        synchronized (this) {
            kept = List.copyOf(next);
            if (history.size() == HISTORY) {
                history.removeFirst();
            }
            history.add(status(manifest, command.captureNanos(), clock.nanoTime() - begun));
        }
        release();
        return manifest;
    }

    private static Recovery.SnapshotStatus status(Manifest manifest, long captureNanos, long writeNanos) {
        List<SnapshotFile> files = manifest.files();
        SnapshotFile own = files.get(files.size() - 1);
        return new Recovery.SnapshotStatus(
                manifest.tick(),
                manifest.createdMicros(),
                own.rows(),
                own.bytes(),
                files.size(),
                files.stream().mapToLong(SnapshotFile::bytes).sum(),
                own.full().size(),
                captureNanos,
                writeNanos);
    }

    /** Only if nobody else has named a snapshot meanwhile: then this process has been replaced. */
    private void point(Pointer next) {
        String text = PlanCodec.write(next);
        String before;
        List<MetadataStore.Condition> conditions = new ArrayList<>();
        synchronized (this) {
            before = pointer;
            conditions.add(new MetadataStore.Condition.Value(epochKey(), Long.toString(epoch)));
        }
        conditions.add(
                before == null
                        ? new MetadataStore.Condition.Absent(key())
                        : new MetadataStore.Condition.Value(key(), before));
        if (!metadata.commit(conditions, List.of(new MetadataStore.Operation.Put(key(), text)))
                .succeeded()) {
            throw new StreamException(
                    ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "another process takes snapshots of application " + application);
        }
        synchronized (this) {
            pointer = text;
        }
    }

    /** Nothing of this process is on its way: it writes one snapshot at a time. */
    private void collect() {
        Set<String> names = new TreeSet<>();
        // Points first: one that is made meanwhile names a snapshot that is among those kept.
        List<Kept> needed = new ArrayList<>(points().values());
        needed.addAll(kept());
        needed.addAll(origins());
        needed.addAll(readNow());
        for (Kept snapshot : needed) {
            names.add(snapshot.name());
            snapshot.manifest().files().forEach(f -> names.add(f.name()));
        }
        store.collect(application, names, clock.wallMicros() - YOUNG_MICROS);
    }

    /** Ends after the snapshot that is being written, if one is. */
    @Override
    public void close() {
        writer.shutdown();
        Futures.awaitEnd(writer, "writing a snapshot of application " + application);
    }
}

package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.server.engine.Engine;
import org.jspecify.annotations.Nullable;

import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The current image, and the only way to change it. Definitions are changed one at a time, under a lock that is held from planning to effect; reading
 * the image takes no lock. Thread-safe.
 */
public final class CatalogService {
    private final CatalogStore store;
    private final SortedMap<ObjectName, CatalogObject> systemTables = new TreeMap<>();
    private final ReentrantLock change = new ReentrantLock();
    /** Names whose storage could not be freed when they were dropped: it goes before the name is used again. Guarded by {@link #change}. */
    private final TreeSet<ObjectName> orphans = new TreeSet<>();

    private volatile CatalogImage image;

    /**
     * Loads what is stored.
     *
     * @param systemTables tables that are in every image and never stored
     */
    public CatalogService(CatalogStore store, Collection<CatalogObject.SystemTable> systemTables) {
        this.store = store;
        systemTables.forEach(table -> this.systemTables.put(table.name(), table));
        this.image = withSystemTables(CatalogKeys.image(store.load()));
    }

    /** Definitions and system tables as they are now. */
    public CatalogImage image() {
        return image;
    }

    /**
     * Repairs what a crash between a change and its effect left: makes missing storage and frees that of dropped objects. For start-up, before any
     * statement. Jobs are the engine's own business.
     */
    public void restore(Engine engine) {
        change.lock();
        try {
            for (CatalogObject object : image.objects().values()) {
                if (CatalogDecision.isStored(object)) {
                    engine.create(object, image.incarnation(object.name()));
                }
            }
            for (Engine.StreamStatus stream : engine.streams()) {
                if (image.find(stream.name()).isEmpty()) {
                    engine.drop(stream.name());
                }
            }
        } finally {
            change.unlock();
        }
    }

    /** Runs {@code body} while no definition changes, so that it can plan, decide and {@link #apply} as one step. */
    public <T> T exclusively(Supplier<T> body) {
        change.lock();
        try {
            return body.get();
        } finally {
            change.unlock();
        }
    }

    /**
     * Makes a change and has the engine follow it. If the engine cannot create what was asked for, the change is taken back and the engine's error is
     * thrown.
     *
     * @param zone the session's, for jobs that the change starts
     * @return what was done; its notices are for the user
     */
    public CatalogDecision apply(CatalogChange wanted, Engine engine, ZoneId zone) {
        return exclusively(() -> {
            CatalogDecision decision = CatalogDecision.decide(image, wanted);
            if (!decision.isNothing()) {
                perform(decision, engine, zone);
            }
            return decision;
        });
    }

    /** As {@link #apply(CatalogChange, Engine, ZoneId)}, for a change that depends on the image. */
    public CatalogDecision apply(Function<CatalogImage, CatalogChange> wanted, Engine engine, ZoneId zone) {
        return exclusively(() -> apply(wanted.apply(image), engine, zone));
    }

    private void perform(CatalogDecision decision, Engine engine, ZoneId zone) {
        CatalogImage before = image;
        CatalogImage after = decision.applyTo(before);
        store.commit(before.version(), decision.puts(after.version()), decision.deletes());
        // What goes is gone for new statements before the engine frees it; what comes is seen after the engine has it.
        CatalogDecision onlyDrops =
                new CatalogDecision(decision.dropped(), decision.stopped(), List.of(), List.of(), List.of());
        CatalogImage between = onlyDrops.applyTo(before);
        if (!onlyDrops.isNothing()) {
            image = between;
        }
        RuntimeException failedDrop = free(decision, engine);
        try {
            make(decision, engine, zone, after);
        } catch (RuntimeException | AssertionError e) {
            undo(decision, engine, zone, between, e);
            throw e;
        }
        image = after;
        if (failedDrop != null) {
            throw failedDrop;
        }
    }

    /** Stops and frees all that goes, even if one of them fails. Returns the first failure. */
    private @Nullable RuntimeException free(CatalogDecision decision, Engine engine) {
        RuntimeException failure = null;
        for (JobDefinition job : decision.stopped()) {
            failure = attempt(() -> engine.stopJob(job.name()), failure);
        }
        for (CatalogObject object : decision.dropped()) {
            if (object instanceof CatalogObject.MaterializedView) {
                failure = attempt(() -> engine.stopJob(object.name().toString()), failure);
            } else if (CatalogDecision.hasFrames(object)) {
                orphans.add(object.name());
                failure = attempt(
                        () -> {
                            engine.drop(object.name());
                            orphans.remove(object.name());
                        },
                        failure);
            }
        }
        return failure;
    }

    private static @Nullable RuntimeException attempt(Runnable action, @Nullable RuntimeException earlier) {
        try {
            action.run();
            return earlier;
        } catch (RuntimeException e) {
            if (earlier == null) {
                return e;
            }
            earlier.addSuppressed(e);
            return earlier;
        }
    }

    private void make(CatalogDecision decision, Engine engine, ZoneId zone, CatalogImage after) {
        for (CatalogObject object : decision.created()) {
            if (orphans.contains(object.name())) {
                engine.drop(object.name());
                orphans.remove(object.name());
            }
            if (CatalogDecision.isStored(object)) {
                engine.create(object, after.incarnation(object.name()));
            } else if (object instanceof CatalogObject.MaterializedView view) {
                engine.startJob(view.name().toString(), view.plan(), zone, after);
            }
        }
        for (JobDefinition job : decision.started()) {
            engine.startJob(job.name(), job.plan(), zone, after);
        }
    }

    /** Takes a durable change back whose effect failed. What REPLACE has dropped comes back as a definition, a stream or table without its rows. */
    private void undo(CatalogDecision decision, Engine engine, ZoneId zone, CatalogImage between, Throwable cause) {
        CatalogDecision reverse = decision.reverse();
        CatalogDecision justDone =
                new CatalogDecision(decision.created(), decision.started(), List.of(), List.of(), List.of());
        RuntimeException failure = free(justDone, engine);
        if (failure != null) {
            cause.addSuppressed(failure);
        }
        try {
            long stored = between.version();
            store.commit(stored, reverse.puts(stored + 1), reverse.deletes());
            CatalogImage done = decision.applyTo(between);
            CatalogImage restored =
                    reverse.applyTo(new CatalogImage(stored, done.objects(), done.jobs(), done.incarnations()));
            image = restored;
            make(
                    new CatalogDecision(List.of(), List.of(), reverse.created(), reverse.started(), List.of()),
                    engine,
                    zone,
                    restored);
        } catch (RuntimeException e) {
            cause.addSuppressed(new StreamException(
                    ErrorCode.INTERNAL_ERROR,
                    "a failed change of the catalog could not be taken back",
                    -1,
                    "Restart the server: it then carries the change out.",
                    e));
        }
    }

    private CatalogImage withSystemTables(CatalogImage stored) {
        SortedMap<ObjectName, CatalogObject> objects = new TreeMap<>(stored.objects());
        objects.putAll(systemTables);
        return new CatalogImage(stored.version(), objects, stored.jobs(), stored.incarnations());
    }
}

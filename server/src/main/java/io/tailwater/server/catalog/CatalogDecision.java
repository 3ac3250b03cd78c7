package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.PlanCodec;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a change does to an image: pure, so that it can be tested and repeated.
 *
 * @param dropped objects that go, dependants before what they depend on
 * @param stopped jobs that go; they stop before any object goes
 * @param created objects that come
 * @param started jobs that come
 * @param notices for the user
 */
public record CatalogDecision(
        List<CatalogObject> dropped,
        List<JobDefinition> stopped,
        List<CatalogObject> created,
        List<JobDefinition> started,
        List<String> notices) {
    public CatalogDecision {
        dropped = List.copyOf(dropped);
        stopped = List.copyOf(stopped);
        created = List.copyOf(created);
        started = List.copyOf(started);
        notices = List.copyOf(notices);
    }

    /** Whether the catalog stays as it is. */
    public boolean isNothing() {
        return dropped.isEmpty() && stopped.isEmpty() && created.isEmpty() && started.isEmpty();
    }

    /** The decision that takes this one back. */
    public CatalogDecision reverse() {
        return new CatalogDecision(created, started, reversed(dropped), stopped, List.of());
    }

    private static List<CatalogObject> reversed(List<CatalogObject> objects) {
        List<CatalogObject> out = new ArrayList<>(objects);
        java.util.Collections.reverse(out);
        return out;
    }

    /** The image after this, one version on. */
    public CatalogImage applyTo(CatalogImage image) {
        SortedMap<ObjectName, CatalogObject> objects = new TreeMap<>(image.objects());
        SortedMap<String, JobDefinition> jobs = new TreeMap<>(image.jobs());
        dropped.forEach(object -> objects.remove(object.name()));
        stopped.forEach(job -> jobs.remove(job.name()));
        created.forEach(object -> objects.put(object.name(), object));
        started.forEach(job -> jobs.put(job.name(), job));
        SortedMap<ObjectName, Long> incarnations = new TreeMap<>(image.incarnations());
        dropped.forEach(object -> incarnations.remove(object.name()));
        withFrames(created).forEach(object -> incarnations.put(object.name(), image.version() + 1));
        return new CatalogImage(image.version() + 1, objects, jobs, incarnations);
    }

    private static List<CatalogObject> withFrames(List<CatalogObject> objects) {
        return objects.stream().filter(CatalogDecision::hasFrames).toList();
    }

    /** Whether the engine may keep frames of it, or beside it: late rows and errors of a connector's stream. */
    static boolean hasFrames(CatalogObject object) {
        return object instanceof CatalogObject.Table || object instanceof CatalogObject.Stream;
    }

    /** Whether the engine keeps rows under this name that are not a job's. */
    static boolean isStored(CatalogObject object) {
        return object instanceof CatalogObject.Table
                || (object instanceof CatalogObject.Stream stream && stream.connector() == null);
    }

    /** Keys to set, with their values, for the commit that makes {@code version}. */
    public Map<String, String> puts(long version) {
        Map<String, String> out = new TreeMap<>();
        created.forEach(object -> out.put(CatalogKeys.object(object.name()), PlanCodec.write(object)));
        withFrames(created).forEach(object -> out.put(CatalogKeys.incarnation(object.name()), Long.toString(version)));
        started.forEach(job -> out.put(CatalogKeys.job(job.name()), PlanCodec.write(job)));
        return out;
    }

    /** Keys to remove; none of them is also set. */
    public List<String> deletes() {
        List<String> out = new ArrayList<>();
        dropped.forEach(object -> out.add(CatalogKeys.object(object.name())));
        withFrames(dropped).forEach(object -> out.add(CatalogKeys.incarnation(object.name())));
        stopped.forEach(job -> out.add(CatalogKeys.job(job.name())));
        out.removeAll(puts(0).keySet());
        return out;
    }

    /**
     * Decides.
     *
     * @throws StreamException if the change cannot be made to this image
     */
    public static CatalogDecision decide(CatalogImage image, CatalogChange change) {
        if (change instanceof CatalogChange.Create create) {
            return create(image, create);
        }
        if (change instanceof CatalogChange.CreateJob create) {
            return createJob(image, create.job());
        }
        if (change instanceof CatalogChange.Drop drop) {
            return drop(image, drop);
        }
        if (change instanceof CatalogChange.DropJob drop) {
            return dropJob(image, drop);
        }
        throw new AssertionError(change);
    }

    private static CatalogDecision create(CatalogImage image, CatalogChange.Create create) {
        CatalogObject object = create.object();
        ObjectName name = object.name();
        requireWritableSchema(name);
        requireNames(object);
        CatalogObject taken = image.find(name).orElse(null);
        if (taken == null) {
            if (object instanceof CatalogObject.MaterializedView) {
                requireFreeJobName(image, name.toString());
            }
            requirePresent(image, dependsOn(object));
            return new CatalogDecision(List.of(), List.of(), List.of(object), List.of(), List.of());
        }
        if (!taken.name().equals(name)) {
            throw new StreamException(
                    ErrorCode.DUPLICATE_TABLE,
                    quoted(name) + " differs only in case from the existing " + taken.kindName() + " "
                            + quoted(taken.name()),
                    -1,
                    "Choose another name.",
                    null);
        }
        if (!taken.kindName().equals(object.kindName())) {
            throw new StreamException(
                    ErrorCode.DUPLICATE_TABLE,
                    quoted(name) + " already exists, as a " + taken.kindName(),
                    -1,
                    "Choose another name, or drop the " + taken.kindName() + " first.",
                    null);
        }
        switch (create.ifExists()) {
            case FAIL ->
                throw new StreamException(
                        ErrorCode.DUPLICATE_TABLE,
                        taken.kindName() + " " + quoted(name) + " already exists",
                        -1,
                        "Use CREATE " + taken.kindName().toUpperCase(Locale.ROOT)
                                + " IF NOT EXISTS to keep the existing one.",
                        null);
            case SKIP -> {
                return new CatalogDecision(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(taken.kindName() + " " + quoted(name) + " already exists, skipping"));
            }
            case REPLACE -> {
                requireNoDependants(image, taken, "replace", "Drop them first, or DROP ... CASCADE and create anew.");
                requirePresent(image, dependsOn(object));
                return new CatalogDecision(List.of(taken), List.of(), List.of(object), List.of(), List.of());
            }
        }
        throw new AssertionError(create);
    }

    private static CatalogDecision createJob(CatalogImage image, JobDefinition job) {
        requireFreeJobName(image, job.name());
        requirePresent(image, job.dependsOn());
        return new CatalogDecision(List.of(), List.of(), List.of(), List.of(job), List.of());
    }

    /** A materialized view's job bears its name, so that the two share one name space. */
    private static void requireFreeJobName(CatalogImage image, String name) {
        for (JobDefinition job : image.jobs().values()) {
            if (job.name().equalsIgnoreCase(name)) {
                throw new StreamException(
                        ErrorCode.DUPLICATE_OBJECT,
                        "job \"" + job.name() + "\" already exists",
                        -1,
                        "Choose another name, or DROP JOB " + job.name() + " first.",
                        null);
            }
        }
        for (CatalogObject object : image.objects().values()) {
            if (object instanceof CatalogObject.MaterializedView
                    && object.name().toString().equalsIgnoreCase(name)) {
                throw new StreamException(
                        ErrorCode.DUPLICATE_OBJECT,
                        "job \"" + name + "\" already exists: it keeps the materialized view of that name",
                        -1,
                        "Choose another name.",
                        null);
            }
        }
    }

    private static CatalogDecision drop(CatalogImage image, CatalogChange.Drop drop) {
        CatalogObject object = image.find(drop.name()).orElse(null);
        if (object == null) {
            if (drop.missingOk()) {
                return new CatalogDecision(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(drop.kind() + " " + quoted(drop.name()) + " does not exist, skipping"));
            }
            throw unknown(image, drop.kind(), drop.name());
        }
        if (object instanceof CatalogObject.SystemTable) {
            throw new StreamException(
                    ErrorCode.WRONG_OBJECT_TYPE, quoted(object.name()) + " is a system table and cannot be dropped");
        }
        if (!object.kindName().equals(drop.kind())) {
            throw new StreamException(
                    ErrorCode.WRONG_OBJECT_TYPE,
                    quoted(object.name()) + " is a " + object.kindName() + ", not a " + drop.kind(),
                    -1,
                    "Use DROP " + object.kindName().toUpperCase(Locale.ROOT) + " to remove it.",
                    null);
        }
        if (!drop.cascade()) {
            requireNoDependants(
                    image, object, "drop", "Use DROP ... CASCADE to drop what depends on it too, or drop that first.");
        }
        List<CatalogObject> dropped = new ArrayList<>();
        List<JobDefinition> stopped = new ArrayList<>();
        collect(image, object, dropped, stopped);
        List<String> notices = new ArrayList<>();
        stopped.forEach(job -> notices.add("drop cascades to job " + job.name()));
        dropped.subList(0, dropped.size() - 1)
                .forEach(gone -> notices.add("drop cascades to " + gone.kindName() + " " + gone.name()));
        return new CatalogDecision(dropped, stopped, List.of(), List.of(), notices);
    }

    /** Adds an object after all that depends on it. */
    private static void collect(
            CatalogImage image, CatalogObject object, List<CatalogObject> dropped, List<JobDefinition> stopped) {
        for (CatalogObject other : image.objects().values()) {
            if (CatalogImage.depends(dependsOn(other), object.name()) && !dropped.contains(other)) {
                collect(image, other, dropped, stopped);
            }
        }
        for (JobDefinition job : image.jobs().values()) {
            if (CatalogImage.depends(job.dependsOn(), object.name()) && !stopped.contains(job)) {
                stopped.add(job);
            }
        }
        dropped.add(object);
    }

    private static CatalogDecision dropJob(CatalogImage image, CatalogChange.DropJob drop) {
        for (JobDefinition job : image.jobs().values()) {
            if (job.name().equalsIgnoreCase(drop.name())) {
                return new CatalogDecision(List.of(), List.of(job), List.of(), List.of(), List.of());
            }
        }
        for (CatalogObject object : image.objects().values()) {
            if (object instanceof CatalogObject.MaterializedView
                    && object.name().toString().equalsIgnoreCase(drop.name())) {
                throw new StreamException(
                        ErrorCode.WRONG_OBJECT_TYPE,
                        "job \"" + drop.name() + "\" keeps a materialized view and goes with it",
                        -1,
                        "Use DROP MATERIALIZED VIEW " + object.name() + ".",
                        null);
            }
        }
        if (drop.missingOk()) {
            return new CatalogDecision(
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of("job \"" + drop.name() + "\" does not exist, skipping"));
        }
        throw new StreamException(
                ErrorCode.UNDEFINED_OBJECT,
                "job \"" + drop.name() + "\" does not exist",
                -1,
                NearestName.hint(drop.name(), image.jobs().keySet(), "SHOW JOBS lists the jobs there are."),
                null);
    }

    /** The error for a name that nothing bears, with the nearest one that something does. */
    public static StreamException unknown(CatalogImage image, String kind, ObjectName name) {
        List<String> names =
                image.objects().keySet().stream().map(ObjectName::toString).toList();
        return new StreamException(
                ErrorCode.UNDEFINED_TABLE,
                kind + " " + quoted(name) + " does not exist",
                -1,
                NearestName.hint(name.toString(), names, "SHOW OBJECTS lists what there is."),
                null);
    }

    private static void requireNoDependants(CatalogImage image, CatalogObject object, String verb, String hint) {
        List<String> dependants = image.dependants(object.name());
        if (!dependants.isEmpty()) {
            throw new StreamException(
                    ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
                    "cannot " + verb + " " + object.kindName() + " " + quoted(object.name())
                            + " because other objects depend on it: " + String.join(", ", dependants),
                    -1,
                    hint,
                    null);
        }
    }

    private static void requireWritableSchema(ObjectName name) {
        if (!name.schema().equals(ObjectName.PUBLIC)) {
            boolean system = name.schema().equals("sys") || name.schema().equals("information_schema");
            throw new StreamException(
                    ErrorCode.INVALID_SCHEMA_NAME,
                    system
                            ? "schema \"" + name.schema() + "\" belongs to the system"
                            : "schema \"" + name.schema() + "\" does not exist",
                    -1,
                    "Create it in schema \"" + ObjectName.PUBLIC + "\".",
                    null);
        }
    }

    private static void requireNames(CatalogObject object) {
        if (object.name().name().isEmpty()) {
            throw new StreamException(ErrorCode.INVALID_TABLE_DEFINITION, "a name must not be empty");
        }
        Map<String, String> seen = new TreeMap<>();
        object.schema().columns().forEach(column -> {
            String other = seen.put(column.name().toLowerCase(Locale.ROOT), column.name());
            if (other != null) {
                boolean same = other.equals(column.name());
                throw new StreamException(
                        ErrorCode.DUPLICATE_COLUMN,
                        same
                                ? "column \"" + other + "\" specified more than once"
                                : "columns \"" + other + "\" and \"" + column.name() + "\" differ only in case",
                        -1,
                        "Give each column a name of its own, for example with AS.",
                        null);
            }
        });
    }

    private static void requirePresent(CatalogImage image, List<ObjectName> names) {
        for (ObjectName name : names) {
            if (image.find(name).isEmpty()) {
                throw unknown(image, "relation", name);
            }
        }
    }

    /** What an object's definition refers to. */
    static List<ObjectName> dependsOn(CatalogObject object) {
        if (object instanceof CatalogObject.View view) {
            return view.dependsOn();
        }
        if (object instanceof CatalogObject.MaterializedView view) {
            return view.dependsOn();
        }
        return List.of();
    }

    private static String quoted(ObjectName name) {
        return "\"" + name + "\"";
    }
}

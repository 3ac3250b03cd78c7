package io.tailwater.api.catalog;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All definitions at one version. A statement is planned against one image, so it never sees half a change. Immutable.
 *
 * @param version grows by one with every change
 * @param objects user objects and system tables
 * @param jobs by name
 * @param incarnations version of the catalog that made each stream and table; another one of the same name has another
 */
public record CatalogImage(
        long version,
        SortedMap<ObjectName, CatalogObject> objects,
        SortedMap<String, JobDefinition> jobs,
        SortedMap<ObjectName, Long> incarnations) {
    public static final CatalogImage EMPTY = new CatalogImage(0, new TreeMap<>(), new TreeMap<>());

    public CatalogImage {
        objects = Collections.unmodifiableSortedMap(new TreeMap<>(objects));
        jobs = Collections.unmodifiableSortedMap(new TreeMap<>(jobs));
        incarnations = Collections.unmodifiableSortedMap(new TreeMap<>(incarnations));
    }

    /** Without incarnations: for images of which nothing is stored. */
    public CatalogImage(
            long version, SortedMap<ObjectName, CatalogObject> objects, SortedMap<String, JobDefinition> jobs) {
        this(version, objects, jobs, new TreeMap<>());
    }

    /** Tells the frames of an object from those of an earlier one of the same name; 0 for objects that have none. A side stream's is that of its stream. */
    public long incarnation(ObjectName name) {
        return incarnations.getOrDefault(SideStreams.base(name).orElse(name), 0L);
    }

    /** The object with exactly this name, else the only one that matches without regard to case. Finds {@link SideStreams} too. */
    public Optional<CatalogObject> find(ObjectName name) {
        CatalogObject exact = objects.get(name);
        if (exact != null) {
            return Optional.of(exact);
        }
        return objects.values().stream()
                .filter(o -> o.name().schema().equalsIgnoreCase(name.schema())
                        && o.name().name().equalsIgnoreCase(name.name()))
                .findFirst()
                .or(() -> SideStreams.find(this, name));
    }

    /** Objects and jobs that read from or write to {@code name}. */
    public List<String> dependants(ObjectName name) {
        List<String> out = new ArrayList<>();
        for (CatalogObject object : objects.values()) {
            if (object instanceof CatalogObject.View view && depends(view.dependsOn(), name)) {
                out.add("view " + view.name());
            } else if (object instanceof CatalogObject.MaterializedView view && depends(view.dependsOn(), name)) {
                out.add("materialized view " + view.name());
            }
        }
        for (JobDefinition job : jobs.values()) {
            if (depends(job.dependsOn(), name)) {
                out.add("job " + job.name());
            }
        }
        return out;
    }

    /** Whether something that depends on these objects depends on {@code name}: on itself, or on a stream beside it. */
    public static boolean depends(List<ObjectName> on, ObjectName name) {
        return on.contains(name)
                || on.stream()
                        .anyMatch(n -> SideStreams.base(n).filter(name::equals).isPresent());
    }

    public CatalogImage with(CatalogObject object) {
        SortedMap<ObjectName, CatalogObject> next = new TreeMap<>(objects);
        next.put(object.name(), object);
        return new CatalogImage(version + 1, next, jobs, incarnations);
    }

    public CatalogImage without(ObjectName name) {
        SortedMap<ObjectName, CatalogObject> next = new TreeMap<>(objects);
        next.remove(name);
        return new CatalogImage(version + 1, next, jobs, incarnations);
    }

    public CatalogImage withJob(JobDefinition job) {
        SortedMap<String, JobDefinition> next = new TreeMap<>(jobs);
        next.put(job.name(), job);
        return new CatalogImage(version + 1, objects, next, incarnations);
    }

    public CatalogImage withoutJob(String name) {
        SortedMap<String, JobDefinition> next = new TreeMap<>(jobs);
        next.remove(name);
        return new CatalogImage(version + 1, objects, next, incarnations);
    }
}

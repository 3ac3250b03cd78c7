package io.tailwater.server.catalog;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.PlanCodec;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Keys and values of the stored catalog: {@code objects/<schema>/<name>} and {@code jobs/<name>}, each {@link PlanCodec}'s JSON,
 * and {@code incarnations/<schema>/<name>}, a number. */
final class CatalogKeys {
    private static final String OBJECTS = "objects/";
    private static final String JOBS = "jobs/";
    private static final String INCARNATIONS = "incarnations/";

    private CatalogKeys() {}

    static String object(ObjectName name) {
        return OBJECTS + escape(name.schema()) + "/" + escape(name.name());
    }

    static String incarnation(ObjectName name) {
        return INCARNATIONS + escape(name.schema()) + "/" + escape(name.name());
    }

    static String job(String name) {
        return JOBS + escape(name);
    }

    /** Quoted identifiers may hold the separator. */
    private static String escape(String part) {
        return part.replace("%", "%25").replace("/", "%2F");
    }

    /** The image that a store's content stands for, without system tables. */
    static CatalogImage image(CatalogStore.Stored stored) {
        SortedMap<ObjectName, CatalogObject> objects = new TreeMap<>();
        SortedMap<String, JobDefinition> jobs = new TreeMap<>();
        for (Map.Entry<String, String> entry : stored.entries().entrySet()) {
            if (entry.getKey().startsWith(OBJECTS)) {
                CatalogObject object = PlanCodec.read(entry.getValue(), CatalogObject.class);
                objects.put(object.name(), object);
            } else if (entry.getKey().startsWith(JOBS)) {
                JobDefinition job = PlanCodec.read(entry.getValue(), JobDefinition.class);
                jobs.put(job.name(), job);
            } else if (!entry.getKey().startsWith(INCARNATIONS)) {
                throw new StreamException(
                        ErrorCode.DATA_CORRUPTED, "the stored catalog holds an unknown key: " + entry.getKey());
            }
        }
        SortedMap<ObjectName, Long> incarnations = new TreeMap<>();
        for (CatalogObject object : objects.values()) {
            String incarnation = stored.entries().get(incarnation(object.name()));
            if (incarnation != null) {
                incarnations.put(object.name(), parse(object.name(), incarnation));
            } else if (CatalogDecision.hasFrames(object)) {
                throw new StreamException(
                        ErrorCode.DATA_CORRUPTED,
                        "the stored catalog does not say which frames are those of " + object.name());
            }
        }
        return new CatalogImage(stored.version(), objects, jobs, incarnations);
    }

    private static long parse(ObjectName name, String incarnation) {
        try {
            return Long.parseLong(incarnation);
        } catch (NumberFormatException e) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED,
                    "the stored catalog has no number for the frames of " + name + ": " + incarnation,
                    -1,
                    null,
                    e);
        }
    }
}

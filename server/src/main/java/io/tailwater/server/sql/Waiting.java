package io.tailwater.server.sql;

import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.JobDefinition;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.planner.Statement;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** WAIT FOR. */
final class Waiting {
    /** Long enough for a large file, short enough for a script that waits for the wrong thing. */
    private static final Duration DEFAULT = Duration.ofMinutes(10);

    private Waiting() {}

    static void run(Statement.WaitFor wait, StatementRun run) {
        Duration given = wait.timeout();
        Duration limit = given == null ? DEFAULT : given;
        for (ObjectName name : targets(wait.name(), run.image())) {
            run.context()
                    .engine()
                    .waitFor(
                            name,
                            null,
                            run.guard().remaining(limit),
                            run.guard().cancel());
        }
    }

    /** What the engine knows and can wait for: a plain view stands for what it reads, a connector's stream for the jobs that write to it. */
    static Set<ObjectName> targets(ObjectName name, CatalogImage image) {
        Set<ObjectName> out = new LinkedHashSet<>();
        collect(name, image, out, new LinkedHashSet<>());
        return out;
    }

    private static void collect(ObjectName name, CatalogImage image, Set<ObjectName> out, Set<ObjectName> seen) {
        if (!seen.add(name)) {
            return;
        }
        CatalogObject object = image.objects().get(name);
        if (object instanceof CatalogObject.View view) {
            view.dependsOn().forEach(read -> collect(read, image, out, seen));
        } else if (object instanceof CatalogObject.Stream stream && stream.connector() != null) {
            for (JobDefinition job : image.jobs().values()) {
                if (job.target().equals(name)) {
                    out.add(ObjectName.inPublic(job.name()));
                }
            }
        } else if (!(object instanceof CatalogObject.SystemTable)) {
            out.add(name);
        }
    }
}

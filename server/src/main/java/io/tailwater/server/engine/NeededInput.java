package io.tailwater.server.engine;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.server.control.JobImage;
import io.tailwater.server.control.Manifest;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What of the stored streams must stay, because jobs would read it again. Pure. */
final class NeededInput {
    private NeededInput() {}

    /**
     * Per stream and split, the first frame that is needed.
     *
     * @param jobs plans of the jobs that run
     * @param restarts snapshots that a restart may go on from; empty if it would begin with nothing
     * @param points snapshots that jobs may go back to
     * @param splits names of a stream's splits
     */
    static Map<ObjectName, Map<String, Long>> of(
            SortedMap<String, JobPlan> jobs,
            Collection<Manifest> restarts,
            Collection<Manifest> points,
            java.util.function.Function<ObjectName, List<String>> splits) {
        SortedMap<ObjectName, Map<String, Long>> out = new TreeMap<>();
        jobs.forEach((name, plan) -> {
            if (restarts.isEmpty()) {
                add(plan, null, splits, out);
            }
            for (Manifest manifest : restarts) {
                // A job that began later reads its input from the start.
                add(plan, image(manifest, name, plan), splits, out);
            }
            for (Manifest manifest : points) {
                JobImage image = image(manifest, name, plan);
                if (image != null) {
                    add(plan, image, splits, out);
                }
            }
        });
        return out;
    }

    private static @Nullable JobImage image(Manifest manifest, String name, JobPlan plan) {
        return manifest.jobs().stream()
                .filter(j -> j.failure() == null
                        && j.start().name().equals(name)
                        && j.start().plan().equals(plan))
                .findFirst()
                .orElse(null);
    }

    private static void add(
            JobPlan plan,
            @Nullable JobImage image,
            java.util.function.Function<ObjectName, List<String>> splits,
            SortedMap<ObjectName, Map<String, Long>> out) {
        for (PlanNode.Scan scan : QueryInputs.scans(plan.root())) {
            if (scan.kind() != PlanNode.ScanKind.STREAM) {
                continue;
            }
            Map<String, Long> needed = out.computeIfAbsent(scan.object(), o -> new TreeMap<>());
            if (image == null) {
                splits.apply(scan.object()).forEach(split -> needed.put(split, 0L));
                continue;
            }
            List<String> names = image.start().splits().get(scan.reader());
            List<JobImage.SplitImage> positions =
                    image.readers().get(scan.reader()).splits();
            for (int s = 0; s < positions.size(); s++) {
                needed.merge(names.get(s), positions.get(s).bound(), Math::min);
            }
        }
    }
}

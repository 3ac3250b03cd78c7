package io.tailwater.server.engine;

import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.executor.runtime.StateOwners;
import io.tailwater.server.control.JobImage;
import io.tailwater.server.control.LogRecords;
import io.tailwater.server.control.Manifest;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The states that a restart takes over, and how many workers wrote each. Immutable. */
final class StateSources {
    private final List<Source> sources = new ArrayList<>();

    /** A job's state. */
    private record Source(String job, JobPlan plan, int workers) {}

    /**
     * A state that has to stay with as many workers as wrote it.
     *
     * @param reason to follow "because"
     */
    record Obstacle(String job, int workers, String reason) {}

    /** @param base that the restart goes on from, and {@code records} of the log after it */
    StateSources(Manifest base, List<ControlRecord> records, Snapshots snapshots) {
        for (JobImage image : base.jobs()) {
            if (image.failure() == null) {
                sources.add(new Source(image.start().name(), image.start().plan(), base.workers()));
            }
        }
        for (ControlRecord record : records) {
            if (record instanceof ControlRecord.Plan plan) {
                LogRecords.Restored job = LogRecords.restored(plan);
                if (job != null) {
                    int workers = snapshots.manifest(job.origin().manifest()).workers();
                    sources.add(new Source(job.job(), job.plan(), workers));
                }
            }
        }
    }

    /** What keeps the states from being dealt to this many workers; null if nothing does. */
    @Nullable Obstacle obstacle(int workers) {
        for (Source source : sources) {
            String reason = obstacle(source.plan(), source.workers(), workers);
            if (reason != null) {
                return new Obstacle(source.job(), source.workers(), reason);
            }
        }
        return null;
    }

    /** Why the state of a job cannot be dealt to another number of workers, to follow "because"; null if it can or need not. */
    static @Nullable String obstacle(JobPlan plan, int from, int to) {
        return from == to ? null : StateOwners.of(plan).obstacle();
    }
}

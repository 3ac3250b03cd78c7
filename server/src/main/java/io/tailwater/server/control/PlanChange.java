package io.tailwater.server.control;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.snapshot.StateOrigin;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What a PLAN record says: what joins or leaves the application before the record's tick. Stored as JSON. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "change")
@JsonSubTypes({
    @JsonSubTypes.Type(value = PlanChange.Start.class, name = "start"),
    @JsonSubTypes.Type(value = PlanChange.Grow.class, name = "grow"),
    @JsonSubTypes.Type(value = PlanChange.Stop.class, name = "stop"),
    @JsonSubTypes.Type(value = PlanChange.Drop.class, name = "drop")
})
sealed interface PlanChange {
    /**
     * A job joins.
     *
     * @param job id, unique and ascending in the application's life
     * @param splits per reader; {@link Grow} adds some
     * @param positions per reader and split, where it begins
     * @param origin where its state comes from, or null if it begins without any
     */
    record Start(
            long job,
            String name,
            JobPlan plan,
            String zone,
            List<List<String>> splits,
            List<List<Long>> positions,
            @Nullable StateOrigin origin)
            implements PlanChange {
        /** With more splits, all to be read from their starts. */
        Start with(Grow grow) {
            List<List<String>> moreSplits = new ArrayList<>(splits);
            List<String> names = new ArrayList<>(splits.get(grow.reader()));
            names.addAll(grow.splits());
            moreSplits.set(grow.reader(), names);
            List<List<Long>> morePositions = new ArrayList<>(positions);
            List<Long> starts = new ArrayList<>(positions.get(grow.reader()));
            grow.splits().forEach(s -> starts.add(0L));
            morePositions.set(grow.reader(), starts);
            return new Start(job, name, plan, zone, moreSplits, morePositions, origin);
        }
    }

    /** Splits come to a reader of a job. */
    record Grow(long job, int reader, List<String> splits) implements PlanChange {
        public Grow {
            splits = List.copyOf(splits);
        }
    }

    /** A job leaves. */
    record Stop(long job) implements PlanChange {}

    /** A stream's storage goes: COMMITs before this record say nothing of a later stream of the same name, given as {@code schema.name}. */
    record Drop(String stream) implements PlanChange {}
}

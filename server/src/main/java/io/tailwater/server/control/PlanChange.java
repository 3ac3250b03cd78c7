package io.tailwater.server.control;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.api.plan.JobPlan;

import java.util.List;

/** What a PLAN record says: what joins or leaves the application before the record's tick. Stored as JSON. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "change")
@JsonSubTypes({
    @JsonSubTypes.Type(value = PlanChange.Start.class, name = "start"),
    @JsonSubTypes.Type(value = PlanChange.Stop.class, name = "stop"),
    @JsonSubTypes.Type(value = PlanChange.Drop.class, name = "drop")
})
sealed interface PlanChange {
    /**
     * A job joins.
     *
     * @param job id, unique and ascending in the application's life
     * @param splits per reader, fixed for the job's life
     * @param positions per reader and split, where it begins
     */
    record Start(
            long job, String name, JobPlan plan, String zone, List<List<String>> splits, List<List<Long>> positions)
            implements PlanChange {}

    /** A job leaves. */
    record Stop(long job) implements PlanChange {}

    /** A stream's storage goes: COMMITs before this record say nothing of a later stream of the same name, given as {@code schema.name}. */
    record Drop(String stream) implements PlanChange {}
}

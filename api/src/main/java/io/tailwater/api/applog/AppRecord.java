package io.tailwater.api.applog;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.SinkOutcome;
import io.tailwater.api.message.TickPlan;
import io.tailwater.api.plan.JobPlan;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A record of the application log. Stored as CBOR with these names; fields may be added, never changed. Immutable. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "r")
@JsonSubTypes({
    @JsonSubTypes.Type(value = AppRecord.Owner.class, name = "owner"),
    @JsonSubTypes.Type(value = AppRecord.StartJob.class, name = "start"),
    @JsonSubTypes.Type(value = AppRecord.StopJob.class, name = "stop"),
    @JsonSubTypes.Type(value = AppRecord.Bind.class, name = "bind"),
    @JsonSubTypes.Type(value = AppRecord.Commit.class, name = "commit"),
    @JsonSubTypes.Type(value = AppRecord.Fail.class, name = "fail")
})
public sealed interface AppRecord {
    /** A new application master took over: nothing of an older epoch may follow. */
    record Owner(long epoch) implements AppRecord {}

    /**
     * PLAN: from the next tick on, this job is part of the application.
     *
     * @param job id, unique and ascending in the application's life
     * @param splits per reader, fixed for the job's life
     * @param positions per reader and split, where it begins
     */
    record StartJob(
            long job, String name, JobPlan plan, String zone, List<List<String>> splits, List<List<Long>> positions)
            implements AppRecord {}

    /** PLAN: from the next tick on, this job is gone. */
    record StopJob(long job) implements AppRecord {}

    /** BIND: what tick {@code tick} reads. No tick runs before its BIND is in the log. */
    record Bind(long tick, long epoch, long clockMicros, List<TickPlan.JobTick> jobs) implements AppRecord {}

    /** COMMIT: tick {@code tick} is done; exactly these frames are its output. */
    record Commit(long tick, long epoch, List<JobOutput> outputs) implements AppRecord {}

    /** FAIL: the job takes part in no tick from {@code tick} on, until it is stopped. */
    record Fail(
            long job,
            long tick,
            String code,
            String message,
            @Nullable String hint) implements AppRecord {}

    /**
     * One job's committed output.
     *
     * @param target written to, or null if the outputs are positions of external writers only
     * @param workers outcome per worker
     */
    record JobOutput(long job, @Nullable ObjectName target, List<SinkOutcome> workers) {}
}

package io.tailwater.server.control;

import io.tailwater.api.message.FromWorker;
import io.tailwater.api.plan.JobPlan;

import java.util.List;

/** What happened to an application. */
public sealed interface Event {
    /**
     * A job is to start.
     *
     * @param splits per reader
     * @param positions per reader and split
     * @param times per reader, how its event time advances
     */
    record StartJob(
            String name,
            JobPlan plan,
            String zone,
            List<List<String>> splits,
            List<List<Long>> positions,
            List<EventTime> times)
            implements Event {}

    /** Splits have come to a reader of a job that is running; those it has already are ignored. */
    record NewSplits(long job, int reader, List<String> splits) implements Event {
        public NewSplits {
            splits = List.copyOf(splits);
        }
    }

    /** A job is to end; unknown names are ignored. */
    record StopJob(String name) implements Event {}

    /** A stream's storage, {@code schema.name}, is about to go. No job uses it. */
    record DropStream(String stream) implements Event {}

    /** The time that {@link Command.WakeAfter} asked for has passed. */
    record Woken() implements Event {}

    /** A worker spoke. */
    record Worker(FromWorker message) implements Event {}
}

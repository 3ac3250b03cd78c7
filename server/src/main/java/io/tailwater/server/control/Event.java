package io.tailwater.server.control;

import io.tailwater.api.message.FromWorker;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.common.error.StreamException;

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

    /** A snapshot is wanted now, whether anything has changed or not. */
    record TakeSnapshot() implements Event {}

    /**
     * Jobs go back to what they were at a snapshot, all between the same two ticks. They are new jobs afterwards, with the plans that they had.
     *
     * @param jobs those whose views others read come before the others
     */
    record Rollback(List<Restart> jobs) implements Event {
        public Rollback {
            jobs = List.copyOf(jobs);
        }
    }

    /** A job as a snapshot has it, and how event time of its readers advances. */
    record Restart(JobImage image, String manifest, List<EventTime> times) {
        public Restart {
            times = List.copyOf(times);
        }
    }

    /** A snapshot is what a restart goes on from. */
    record SnapshotCommitted(Manifest what) implements Event {}

    /** A snapshot came to nothing. */
    record SnapshotFailed(StreamException cause) implements Event {}

    /** A worker spoke. */
    record Worker(FromWorker message) implements Event {}
}

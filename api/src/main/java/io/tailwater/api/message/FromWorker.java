package io.tailwater.api.message;

import io.tailwater.api.snapshot.StateRows;
import io.tailwater.common.error.StreamException;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Messages to the application master. */
public sealed interface FromWorker {
    int worker();

    /** New input is there, between ticks. */
    record Offers(int worker, List<Offer> offers) implements FromWorker {
        public Offers {
            offers = List.copyOf(offers);
        }
    }

    /** A tick is complete here; {@code offers} are for the next. Failed jobs have no entry. */
    record Done(int worker, long tick, List<JobOutcome> jobs, List<Offer> offers, long busyNanos)
            implements FromWorker {
        public Done {
            jobs = List.copyOf(jobs);
            offers = List.copyOf(offers);
        }
    }

    /** All sinks here show what was committed, or their jobs have {@link Failed}: the tick may be called visible. */
    record Settled(int worker, long tick) implements FromWorker {}

    /** A job's share has failed, in a tick or between two. Sent before the tick's {@link Done}. */
    record Failed(int worker, long job, StreamException error) implements FromWorker {}

    /**
     * The state that {@link ToWorker.Snapshot} asked for. The receiver owns it.
     *
     * @param jobs in any order; without those that have failed here
     * @param error why there is none: the snapshot cannot be, and the next one must tell all; null if there was no error
     * @param heldRows rows of state here, whether told or not; an estimate
     * @param busyNanos for which the worker could do nothing else
     */
    record Captured(
            int worker,
            long tick,
            List<StateRows> jobs,
            @Nullable StreamException error,
            long heldRows,
            long busyNanos) implements FromWorker {
        public Captured {
            jobs = List.copyOf(jobs);
        }
    }

    /** The answer to {@link ToWorker.CatchUp}. */
    record CaughtUp(int worker) implements FromWorker {}

    /** The worker itself is broken: an assertion or an error outside of any job. */
    record Broken(int worker, Throwable cause) implements FromWorker {}

    /**
     * What a split has from the position it was last bound to.
     *
     * @param minTime least event time in microseconds or {@code SplitReader.NO_TIME}
     */
    record Offer(
            long job,
            int reader,
            int split,
            long from,
            long to,
            long rows,
            long minTime,
            long maxTime,
            boolean finished,
            long skipped) {}

    /** One job's result of a tick on one worker. */
    record JobOutcome(long job, SinkOutcome sink, long rowsIn, long rowsOut) {}
}

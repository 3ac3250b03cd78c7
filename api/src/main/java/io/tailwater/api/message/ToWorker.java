package io.tailwater.api.message;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.snapshot.StateOrigin;
import io.tailwater.api.snapshot.VnodeRange;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Messages to a worker. Control messages come from the application master, {@link Data}, {@link End} and {@link PeerFailed} from peers. */
public sealed interface ToWorker {
    /**
     * Starts a worker's share of a job. Sent between ticks.
     *
     * @param job id, unique in the application's life and ascending
     * @param zone id of the session's time zone
     * @param splits per reader, the ids of its splits; split {@code i} is read by worker {@code i % workers}, but by worker 0 where a {@code Keyed} node orders writers
     * @param positions per reader and split, where to go on
     * @param sinkPosition per worker, where an external writer resumes, or -1
     * @param tracked whether the job's state will be asked for by {@link Snapshot}
     * @param origin where the job's state is to be taken from before its first tick, or null for a job that begins without any
     */
    record Deploy(
            long job,
            String name,
            JobPlan plan,
            String zone,
            List<List<String>> splits,
            List<List<Long>> positions,
            List<Long> sinkPosition,
            boolean tracked,
            @Nullable StateOrigin origin)
            implements ToWorker {
        public Deploy {
            splits = List.copyOf(splits);
            positions = List.copyOf(positions);
            sinkPosition = List.copyOf(sinkPosition);
        }
    }

    /**
     * Splits that have come to a reader of a job. Sent between ticks.
     *
     * @param first number of the first of them; they are dealt to workers as those of {@link Deploy} are, and begin at 0
     */
    record AddSplits(long job, int reader, int first, List<String> splits) implements ToWorker {
        public AddSplits {
            splits = List.copyOf(splits);
        }
    }

    /** Ends a worker's share of a job and frees its state. Sent between ticks. */
    record Undeploy(long job) implements ToWorker {}

    /** Runs a tick. */
    record RunTick(TickPlan plan) implements ToWorker {}

    /** The COMMIT of the tick that was run last is logged, and some external sink took part. Sent before the next tick, to be answered by {@link FromWorker.Settled}. */
    record Committed(long tick) implements ToWorker {}

    /** Asks for offers: replay is over, or a job is new. */
    record Poll(long offerRows) implements ToWorker {}

    /**
     * Asks for the state after the tick that was run last, to be answered by {@link FromWorker.Captured}. Sent between ticks, for jobs that are tracked.
     *
     * @param tick that was run last
     * @param full vnodes of which all is to be told, not only what has changed
     */
    record Snapshot(long tick, VnodeRange full) implements ToWorker {}

    /** Asks for {@link FromWorker.CaughtUp}, once all messages before this one have been dealt with. Sent between ticks. */
    record CatchUp() implements ToWorker {}

    /** Rows of an exchange; the receiver owns the batch. */
    record Data(long tick, long job, int exchange, ColumnBatch batch) implements ToWorker {}

    /** A peer has sent all its rows of an exchange in this tick. */
    record End(long tick, long job, int exchange) implements ToWorker {}

    /** A peer's share of a job has failed in this tick. */
    record PeerFailed(long tick, long job) implements ToWorker {}

    /** Ends the thread, freeing everything. */
    record Stop() implements ToWorker {}
}

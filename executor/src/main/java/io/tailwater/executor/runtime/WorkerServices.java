package io.tailwater.executor.runtime;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.executor.snapshot.SnapshotChain;

/** What the node offers its workers: inputs and outputs by name. Thread-safe. */
public interface WorkerServices {
    /**
     * Opens a split of a stream or connector that a job reads.
     *
     * @param number of the split within its reader
     */
    SplitReader open(PlanNode.Scan scan, String split, int number, MemoryAccount memory);

    /** Opens a worker's share of a job's output. */
    JobSink sink(ToWorker.Deploy job, int worker, int workers, MemoryAccount memory);

    /** Opens a worker's share of what leaves the job's main path: late rows. Asked for once per job and worker; nothing is written while there are none. */
    default SideSink side(ToWorker.Deploy job, int worker, int workers, MemoryAccount memory) {
        return SideSink.DISCARD;
    }

    /**
     * Reads what the snapshot that a job is restored from has of its state on this worker, in order; on all workers, if they were not as many as now.
     *
     * @param out borrows the rows
     * @throws io.tailwater.common.error.StreamException if it cannot be read; the job fails
     */
    default void restore(ToWorker.Deploy job, int worker, int workers, RestoreConsumer out) {
        throw new AssertionError("no snapshots here");
    }

    /** Takes state from files of a snapshot. */
    @FunctionalInterface
    interface RestoreConsumer {
        /**
         * Takes rows of one file, in order.
         *
         * @param rows borrowed
         * @param chain which rows count
         * @param file its number in the chain
         * @param writers how many workers wrote the snapshot
         */
        void accept(StateRows rows, SnapshotChain chain, int file, int writers);
    }

    /** A worker's share of a job runs; its counters may be looked at until {@link #stopped}. */
    void started(ToWorker.Deploy job, int worker, JobInstance instance);

    /** A worker's share of a job is about to be freed. */
    void stopped(long job, int worker);
}

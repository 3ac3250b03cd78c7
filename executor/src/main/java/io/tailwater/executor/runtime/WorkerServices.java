package io.tailwater.executor.runtime;

import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.PlanNode;

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

    /** A worker's share of a job runs; its counters may be looked at until {@link #stopped}. */
    void started(ToWorker.Deploy job, int worker, JobInstance instance);

    /** A worker's share of a job is about to be freed. */
    void stopped(long job, int worker);
}

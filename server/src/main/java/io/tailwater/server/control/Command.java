package io.tailwater.server.control;

import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.message.ToWorker;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.snapshot.StateRows;
import io.tailwater.api.snapshot.VnodeRange;
import io.tailwater.api.storage.ControlRecord;
import io.tailwater.common.error.StreamException;

import java.util.ArrayList;
import java.util.List;

/** What the shell must do about it, in this order, each to its end before the next. */
public sealed interface Command {
    /** Puts a record into the application log, durable as the policy says. */
    record Append(ControlRecord record) implements Command {}

    /** Sends a message to every worker. */
    record SendAll(ToWorker message) implements Command {}

    /** Makes a tick visible: views, positions, waiters. */
    record Publish(long tick, List<Progress> jobs) implements Command {}

    /** The job is part of the application. */
    record Started(String name, long job) implements Command {}

    /** The job is gone. */
    record Stopped(String name, long job) implements Command {}

    /** All of the jobs of {@link Event.Rollback} are what they were. */
    record RolledBack() implements Command {}

    /** The log has forgotten a stream, {@code schema.name}: its storage may go. */
    record Dropped(String stream) implements Command {}

    /** The job has failed and keeps its error until stopped. */
    record Failed(String name, long job, StreamException error) implements Command {}

    /** Asks for {@link Event.Woken} in so many microseconds, unless another event comes first. */
    record WakeAfter(long micros) implements Command {}

    /** What was committed is replayed, and can be seen; the application is live. May come twice. */
    record Recovered() implements Command {}

    /** A worker broke: the application cannot go on. */
    record Halt(Throwable cause) implements Command {}

    /** All outputs and log records up to here belong to a snapshot; workers are asked for their state next. */
    record BeginSnapshot(Manifest what) implements Command {}

    /**
     * Writes a snapshot beside the ticks that follow, to be answered by {@link Event.SnapshotCommitted} or {@link Event.SnapshotFailed}.
     *
     * @param what as {@link BeginSnapshot} told it
     * @param state the shell owns it
     * @param captureNanos for which a worker stood still
     */
    record WriteSnapshot(Manifest what, VnodeRange full, List<StateRows> state, long captureNanos) implements Command {}

    /** A snapshot cannot be, to be answered by {@link Event.SnapshotFailed}. The shell owns the state. */
    record GiveUpSnapshot(Manifest what, List<StateRows> state, StreamException cause) implements Command {}

    /**
     * How far a job has come.
     *
     * @param begun per reader and split, the position its input began at when the job was made
     * @param bound per reader and split, the position its applied input ends at
     * @param ended per reader, whether its input has been applied to an end after which nothing comes
     * @param finished all its splits have ended
     * @param splits per reader, their names
     * @param watermark least over its readers, or {@code Tick.NO_WATERMARK}
     * @param readings per reader
     */
    record Progress(
            long job,
            String name,
            List<List<Long>> begun,
            List<List<Long>> bound,
            List<Boolean> ended,
            boolean finished,
            long watermark,
            long rowsIn,
            long rowsOut,
            long skipped,
            JobPlan plan,
            List<List<String>> splits,
            List<Reading> readings) {
        /** Per scan of the plan that reads {@code stream}, where its splits stand. */
        public List<List<Long>> readersOf(ObjectName stream) {
            List<List<Long>> out = new ArrayList<>();
            collect(plan.root(), stream, out);
            return out;
        }

        private void collect(PlanNode node, ObjectName stream, List<List<Long>> out) {
            if (node instanceof PlanNode.Scan scan && scan.object().equals(stream)) {
                out.add(bound.get(scan.reader()));
            }
            node.inputs().forEach(input -> collect(input, stream, out));
        }
    }

    /**
     * What a reader's input has come to.
     *
     * @param watermark or {@code Tick.NO_WATERMARK}, or {@code Tick.END_OF_TIME} once it has ended
     * @param idleSplits splits that the watermark does not wait for, because nothing came of them for longer than {@code idle_timeout}
     * @param skipped malformed records that were left out
     */
    record Reading(long watermark, int idleSplits, long skipped) {}
}

package io.tailwater.server.engine;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.catalog.CatalogImage;
import io.tailwater.api.catalog.CatalogObject;
import io.tailwater.api.catalog.ObjectName;
import io.tailwater.api.plan.JobPlan;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.server.sql.CancelSignal;
import io.tailwater.server.sql.ResultStream;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Runs jobs and queries over streams, tables and views. Knows plans and names, not SQL. Thread-safe. */
public interface Engine extends AutoCloseable {
    /**
     * Makes the storage of a stored stream or a keyed table; a table's content is kept from then on. Durable when it returns. Idempotent.
     *
     * @param incarnation of the object: frames of an earlier one of the same name are never taken for its own
     */
    void create(CatalogObject object, long incarnation);

    /** Removes a stream's or table's storage. Nothing reads or writes it any more. */
    void drop(ObjectName name);

    /**
     * Starts a continuous job (a materialized view's job bears the view's name). Returns when it is part of its application; its backfill may still run.
     *
     * @param catalog what the plan's scans and sink refer to
     */
    void startJob(String name, JobPlan plan, ZoneId zone, CatalogImage catalog);

    /** Stops a job and frees its state; a materialized view's content goes. Works on failed jobs too. */
    void stopJob(String name);

    /**
     * Runs a bounded query over one consistent tick, or with {@code changes} a push query.
     *
     * @param system makes the rows of a system table's scan; the engine owns the batches
     * @param writes positions that the query must see, as {@link #append} returned them, the greatest per object
     */
    ResultStream query(
            PlanNode plan,
            boolean changes,
            ZoneId zone,
            CatalogImage catalog,
            SystemRows system,
            Map<ObjectName, Position> writes,
            CancelSignal cancel);

    /**
     * As {@link #query} of a bounded query that reads views and tables as they were.
     *
     * @param past for readers of the plan, what they read; the others read what is there now
     */
    ResultStream past(
            PlanNode plan,
            SortedMap<Integer, Recovery.Past> past,
            ZoneId zone,
            CatalogImage catalog,
            SystemRows system,
            Map<ObjectName, Position> writes,
            CancelSignal cancel);

    /**
     * Appends rows to a stored stream, or upserts (+1) and deletes (-1) to a keyed table's inbox. Durable when it returns. The rows of one partition form
     * one frame.
     *
     * @param rows owned
     */
    Position append(ObjectName target, ColumnBatch rows);

    /** As {@link #append}, but only if the table's inbox has not moved since {@code seen} was {@link #position}; else null and nothing is appended. */
    @Nullable Position appendIf(ObjectName table, ColumnBatch rows, Position seen);

    /** Where a stored stream or a table's inbox ends now. */
    Position position(ObjectName name);

    /**
     * Returns when the job, view, table or stream has applied all that its inputs held at the call, transitively down to base streams; for bounded inputs all
     * of it.
     *
     * @param only null, or the writes to wait for: nothing else is waited for
     * @throws io.tailwater.common.error.StreamException HYT00 past the time-out; the job's own error if one on the path failed; 57014
     */
    void waitFor(ObjectName nameOrJob, @Nullable Map<ObjectName, Position> only, Duration timeout, CancelSignal cancel);

    /** What is left of a stored stream for who reads it anew, compared with what the job had to read when it was made. */
    Retained retained(ObjectName stream, String job);

    List<JobStatus> jobs();

    List<StreamStatus> streams();

    /** Snapshots and recovery points. */
    Recovery recovery();

    /** Stops all work cleanly: nothing acknowledged is lost. */
    @Override
    void close();

    /** How much of a stored stream is left. */
    enum Retained {
        WHOLE,
        /** Its beginning had gone before the job was made. */
        AS_BEFORE,
        /** Rows that the job may have read are gone, or that it never reads. */
        LESS
    }

    /** End offsets of a stream's external partitions: frame numbers, exclusive. */
    record Position(List<Long> ends) {
        public Position {
            ends = List.copyOf(ends);
        }

        public Position max(Position other) {
            List<Long> out = new java.util.ArrayList<>();
            for (int i = 0; i < ends.size(); i++) {
                out.add(Math.max(ends.get(i), other.ends.get(i)));
            }
            return new Position(out);
        }
    }

    /** Makes up the rows of system tables. */
    interface SystemRows {
        /** All rows of {@code table} with all its columns. */
        List<ColumnBatch> rows(ObjectName table, io.tailwater.api.batch.MemoryAccount memory);
    }

    /** A job as {@code SHOW JOBS} shows it. */
    record JobStatus(
            String name,
            String kind,
            State state,
            long rowsIn,
            long rowsOut,
            long skipped,
            long tick,
            @Nullable Long watermarkMicros,
            @Nullable String error,
            List<ReaderStatus> readers,
            List<OperatorStatus> operators) {
        /** RUNNING may be caught up; FINISHED has read bounded inputs to their ends; FAILED keeps its error until dropped. */
        public enum State {
            RUNNING,
            PAUSED,
            FINISHED,
            FAILED
        }
    }

    /**
     * What a job reads, one for each stream, table or view.
     *
     * @param watermarkMicros null while there is none, {@link Long#MAX_VALUE} once all is read
     * @param needsMicros the watermark at which the first of the rows that a closing window holds back leave; null if none wait for this reader
     * @param positions per split, its name and where the job stands in it
     * @param skipped malformed records left out since the server started
     * @param late rows taken out because they came behind the watermark, since the server started
     */
    record ReaderStatus(
            int reader,
            ObjectName object,
            @Nullable Long watermarkMicros,
            @Nullable Long needsMicros,
            int idleSplits,
            List<SplitPosition> positions,
            long skipped,
            long late) {}

    /** Where a job stands in one split of its input. */
    record SplitPosition(String split, long position) {}

    /** One plan node of a job, summed over workers. */
    record OperatorStatus(int node, String operator, long rowsIn, long rowsOut, long stateRows, long stateBytes) {}

    /** A stored stream as {@code sys.streams} shows it. */
    record StreamStatus(ObjectName name, int partitions, long frames, long rows, long bytes) {}
}

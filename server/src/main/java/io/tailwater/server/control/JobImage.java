package io.tailwater.server.control;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A job at a snapshot. Immutable.
 *
 * @param start as the log tells it, with all splits that had come
 * @param sinkPositions per worker
 * @param failure why it had failed, or null
 */
public record JobImage(
        PlanChange.Start start,
        List<ReaderImage> readers,
        List<Long> sinkPositions,
        long rowsIn,
        long rowsOut,
        @Nullable FailureImage failure) {
    public JobImage {
        readers = List.copyOf(readers);
        sinkPositions = List.copyOf(sinkPositions);
    }

    /** Why a job failed. */
    public record FailureImage(String sqlState, String message) {}

    /** A reader of the job: see {@link MasterJob}. */
    public record ReaderImage(long watermark, long movedAt, List<SplitImage> splits) {
        public ReaderImage {
            splits = List.copyOf(splits);
        }
    }

    /** Where a split stood: {@code bound} is the position it goes on from. */
    public record SplitImage(long bound, long maxTime, boolean finished, boolean idle, long movedAt, long skipped) {}
}

package io.tailwater.executor.operator;

import io.tailwater.api.batch.ColumnBatch;

/**
 * Where rows go that leave a job's main path: they are kept beside its result, not in it. Part of the tick like everything else an operator puts out: the same
 * rows in every run of the tick, whatever the cut into batches.
 *
 * <p>Owned by one worker thread.
 */
public interface SideOutput {
    /** Forgets them: for queries, whose late rows nobody keeps. Stateless. */
    SideOutput DISCARD = (reader, rows) -> rows.close();

    /**
     * Rows of scan {@code reader} that came too late. The callee owns the batch, also when it throws.
     *
     * @param rows all columns that the scan has, the arrival column where the plan has put it, and then one column more: BIGINT NOT NULL, microseconds by
     *     which the row's time is behind the watermark of the tick before
     */
    void late(int reader, ColumnBatch rows);
}

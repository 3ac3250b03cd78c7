package io.tailwater.api.snapshot;

import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.common.type.Column;
import io.tailwater.common.type.DataType;
import io.tailwater.common.type.Schema;

import java.util.List;

/**
 * State of one job on one worker, as rows of {@link #SCHEMA}. Owns its batches.
 *
 * <p>A row says of one key of one state what is there now: {@code value} NULL means nothing. Where a state is a multiset that is only added to, {@code weight} is what
 * has come in since the snapshot before, or all of it if the row's vnode is full. The meaning of key and value is the operator's own; the order of rows within a
 * job and worker is that in which they must be taken over.
 *
 * @param operators stable ids, by the number in column {@code operator}
 * @param batches each with at least one row
 */
public record StateRows(long job, int worker, List<String> operators, List<ColumnBatch> batches)
        implements AutoCloseable {
    /** Number of the operator in {@link #operators}. */
    public static final int OPERATOR = 0;
    /** Which of the operator's states. */
    public static final int PART = 1;
    /** Its top 8 bits are the vnode. */
    public static final int HASH = 2;

    public static final int WEIGHT = 3;
    public static final int KEY = 4;
    public static final int VALUE = 5;

    public static final Schema SCHEMA = new Schema(List.of(
            new Column("operator", DataType.INTEGER.notNull()),
            new Column("part", DataType.INTEGER.notNull()),
            new Column("hash", DataType.BIGINT.notNull()),
            new Column("weight", DataType.BIGINT.notNull()),
            new Column("key", DataType.VARBINARY.notNull()),
            new Column("value", DataType.VARBINARY)));

    public StateRows {
        operators = List.copyOf(operators);
        batches = List.copyOf(batches);
    }

    public long rows() {
        return batches.stream().mapToLong(ColumnBatch::rows).sum();
    }

    @Override
    public void close() {
        batches.forEach(ColumnBatch::close);
    }
}

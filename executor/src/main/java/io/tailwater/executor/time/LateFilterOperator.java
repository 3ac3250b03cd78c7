package io.tailwater.executor.time;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;
import io.tailwater.executor.snapshot.StateReader;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.RowGather;

import java.util.Arrays;

/**
 * Takes late rows out of a reader's input and hands them to the side output. A tick's rows are judged by the watermark of the tick before: one that spans an
 * hour must not find its own rows late. So what is late depends on where ticks were cut, and replay must cut them alike.
 */
public final class LateFilterOperator implements Operator {
    private final OperatorContext context;
    private final PlanNode.LateFilter node;
    private final DataType[] lateTypes;
    private int[] kept = new int[ColumnBatch.TARGET_ROWS];
    private int[] late = new int[ColumnBatch.TARGET_ROWS];
    private long watermark = Tick.NO_WATERMARK;

    private LateFilterOperator(PlanNode.LateFilter node, OperatorContext context) {
        this.node = node;
        this.context = context;
        DataType[] types = BatchBuilder.types(node.schema());
        EventBound.checkTime(types[node.timeColumn()]);
        lateTypes = Arrays.copyOf(types, types.length + 1);
        lateTypes[types.length] = DataType.BIGINT.notNull();
    }

    public static LateFilterOperator create(PlanNode.LateFilter node, OperatorContext context) {
        return new LateFilterOperator(node, context);
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        long bound = EventBound.less(watermark, node.slackMicros());
        if (bound == Tick.NO_WATERMARK) {
            context.output().emit(batch);
            return;
        }
        int n = batch.rows();
        if (late.length < n) {
            late = new int[n];
            kept = new int[n];
        }
        int lateRows = select(batch, n, bound);
        if (lateRows == 0) {
            context.output().emit(batch);
            return;
        }
        try (batch) {
            if (batch.weights() != 0) {
                throw new AssertionError("late rows of a source that takes rows back");
            }
            context.side().late(node.reader(), lateBatch(batch, lateRows));
            if (lateRows < n) {
                context.output().emit(RowGather.gather(batch, kept, n - lateRows, context.memory()));
            }
        }
    }

    /** Sorts rows into late ones and others; how many are late. A row without a time is not. */
    private int select(ColumnBatch batch, int n, long bound) {
        long data = batch.data(node.timeColumn());
        long validity = batch.validity(node.timeColumn());
        int lateRows = 0;
        int keptRows = 0;
        for (int i = 0; i < n; i++) {
            if (Mem.getLong(data + 8L * i) < bound && (validity == 0 || Mem.getBit(validity, i))) {
                late[lateRows++] = i;
            } else {
                kept[keptRows++] = i;
            }
        }
        return lateRows;
    }

    private ColumnBatch lateBatch(ColumnBatch batch, int n) {
        int columns = lateTypes.length - 1;
        long data = batch.data(node.timeColumn());
        try (BatchBuilder out = new BatchBuilder(lateTypes, n, false, context.memory())) {
            for (int c = 0; c < columns; c++) {
                RowGather.gather(batch, c, late, n, out, c);
            }
            for (int i = 0; i < n; i++) {
                long by = watermark - Mem.getLong(data + 8L * late[i]);
                Mem.putLong(out.data(columns) + 8L * i, by < 0 ? Long.MAX_VALUE : by);
            }
            return out.finish(n);
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        watermark = tick.watermarks().get(node.reader());
    }

    /** One row without a key. */
    @Override
    public void snapshot(StateWriter out) {
        out.begin(0, 0, 0);
        out.value();
        out.putLong(watermark);
        out.end();
    }

    @Override
    public void restore(StateReader row) {
        watermark = Mem.getLong(row.value());
    }

    @Override
    public void close() {}
}

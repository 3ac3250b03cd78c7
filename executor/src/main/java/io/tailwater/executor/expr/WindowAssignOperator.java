package io.tailwater.executor.expr;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.api.plan.PlanNode.WindowKind;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.operator.Operator;
import io.tailwater.executor.operator.OperatorContext;
import io.tailwater.executor.operator.Tick;

/**
 * {@link PlanNode.WindowAssign}: HOP and CUMULATE. Emits one batch per window that a row can fall in, counted from the row's own time: the n-th batch
 * holds each row with its n-th window. Where all rows have one, which HOP's always do if the slide divides the size, that batch shares every
 * column of the input and only the two bounds are written. Keeps no rows. Windows start at multiples of the slide (HOP) or the size (CUMULATE) from
 * the epoch, plus the offset.
 */
public final class WindowAssignOperator implements Operator {
    private final OperatorContext context;
    private final DataType[] types;
    private final boolean[] shared;
    private final int timeColumn;
    private final WindowKind kind;
    private final long size;
    private final long slide;
    private final long offset;
    private final int windows;
    private int[] selection = new int[ColumnBatch.TARGET_ROWS];

    private WindowAssignOperator(PlanNode.WindowAssign node, OperatorContext context) {
        this.context = context;
        types = BatchBuilder.types(node.schema());
        shared = new boolean[types.length];
        for (int c = 0; c < types.length - 2; c++) {
            shared[c] = true;
        }
        timeColumn = node.timeColumn();
        kind = node.kind();
        size = node.sizeMicros();
        slide = node.slideMicros();
        offset = node.offsetMicros();
        if (size <= 0 || slide <= 0) {
            throw DataErrors.invalidParameter("the size and the slide of a window must be positive");
        }
        if (kind == WindowKind.CUMULATE && size % slide != 0) {
            throw DataErrors.invalidParameter("the size of a CUMULATE window must be a multiple of its step");
        }
        long most = (size + slide - 1) / slide;
        if (most > 1 << 20) {
            throw DataErrors.invalidParameter("a row would fall in " + most + " windows");
        }
        windows = (int) most;
    }

    public static WindowAssignOperator create(PlanNode.WindowAssign node, OperatorContext context) {
        return new WindowAssignOperator(node, context);
    }

    @Override
    public void onBatch(int input, ColumnBatch batch) {
        try {
            if (selection.length < batch.rows()) {
                selection = new int[ColumnBatch.MAX_ROWS];
            }
            for (int n = 0; n < windows; n++) {
                int count = select(batch, n);
                if (count > 0) {
                    context.output().emit(count == batch.rows() ? whole(batch, n) : part(batch, n, count));
                }
            }
        } finally {
            batch.close();
        }
    }

    /** The rows that have an n-th window. */
    private int select(ColumnBatch batch, int n) {
        long times = batch.data(timeColumn);
        long validity = batch.validity(timeColumn);
        boolean always = kind == WindowKind.HOP ? n < size / slide : n == windows - 1;
        int count = 0;
        for (int row = 0; row < batch.rows(); row++) {
            selection[count] = row;
            boolean valid = validity == 0 || Mem.getBit(validity, row);
            if (valid && (always || end(Mem.getLong(times + 8L * row), n) > Mem.getLong(times + 8L * row))) {
                count++;
            }
        }
        return count;
    }

    /** Start of a row's n-th window: HOP counts backwards from the last one that holds the time. */
    private long start(long time, int n) {
        return kind == WindowKind.HOP
                ? Datetimes.subtract(Datetimes.tumbleStart(time, slide, offset), n * slide)
                : Datetimes.tumbleStart(time, size, offset);
    }

    private long end(long time, int n) {
        return Datetimes.add(start(time, n), kind == WindowKind.HOP ? size : (n + 1) * slide);
    }

    private ColumnBatch whole(ColumnBatch batch, int n) {
        try (BatchBuilder out = new BatchBuilder(types, batch.rows(), false, context.memory(), shared)) {
            for (int c = 0; c < types.length - 2; c++) {
                out.share(c, batch, c);
            }
            out.shareWeights(batch);
            bounds(out, batch, n, batch.rows());
            return out.finish(batch.rows());
        }
    }

    private ColumnBatch part(ColumnBatch batch, int n, int count) {
        boolean weighted = batch.weights() != 0;
        try (BatchBuilder out = new BatchBuilder(types, count, weighted, context.memory())) {
            for (int c = 0; c < types.length - 2; c++) {
                Gather.column(out, c, batch, c, selection, count);
            }
            if (weighted) {
                Gather.weights(out, batch, selection, count);
            }
            bounds(out, batch, n, count);
            return out.finish(count);
        }
    }

    private void bounds(BatchBuilder out, ColumnBatch batch, int n, int count) {
        long times = batch.data(timeColumn);
        long starts = out.data(types.length - 2);
        long ends = out.data(types.length - 1);
        for (int j = 0; j < count; j++) {
            long time = Mem.getLong(times + 8L * selection[j]);
            Mem.putLong(starts + 8L * j, start(time, n));
            Mem.putLong(ends + 8L * j, end(time, n));
        }
    }

    @Override
    public void onTickEnd(Tick tick) {
        // Nothing is held back from one batch to the next.
    }

    @Override
    public void close() {
        // Batches own all memory.
    }
}

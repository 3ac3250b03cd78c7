package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;
import org.jspecify.annotations.Nullable;

/** BOOL_AND and BOOL_OR: {number of false values, number of true values}. */
final class BooleanFold implements Accumulator {
    private final boolean and;
    private final int column;
    private final int offset;
    private final ResultField field;

    BooleanFold(boolean and, int column, int offset, ResultField field) {
        this.and = and;
        this.column = column;
        this.offset = offset;
        this.field = field;
    }

    @Override
    public int stateBytes() {
        return 16;
    }

    @Override
    public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
        long[] values = input.longs(column);
        for (int i = 0; i < input.rows(); i++) {
            long at = groups[i] + offset + 8 * values[i];
            Mem.putLong(at, Mem.getLong(at) + (counts == null ? 1 : counts[i]));
        }
    }

    @Override
    public void results(long[] groups, int n, long to) {
        for (int i = 0; i < n; i++) {
            long row = to + (long) i * field.stride();
            long falses = Mem.getLong(groups[i] + offset);
            long trues = Mem.getLong(groups[i] + offset + 8);
            if (falses == 0 && trues == 0) {
                field.setNull(row);
            } else {
                field.putLong(row, and ? (falses == 0 ? 1 : 0) : (trues == 0 ? 0 : 1));
            }
        }
    }
}

package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;
import io.tailwater.executor.state.StateTable;
import org.jspecify.annotations.Nullable;

/** COUNT. */
final class Counts {
    private Counts() {}

    /** COUNT of all rows: the group's own weight. */
    static final class Rows implements Accumulator {
        private final ResultField field;

        Rows(ResultField field) {
            this.field = field;
        }

        @Override
        public int stateBytes() {
            return 0;
        }

        @Override
        public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
            // The operator keeps the weight.
        }

        @Override
        public void results(long[] groups, int n, long to) {
            for (int i = 0; i < n; i++) {
                field.putLong(to + (long) i * field.stride(), StateTable.weight(groups[i]));
            }
        }
    }

    /** COUNT of the rows that a filter lets through and whose arguments are not NULL. */
    static final class Values implements Accumulator {
        private final int offset;
        private final ResultField field;

        Values(int offset, ResultField field) {
            this.offset = offset;
            this.field = field;
        }

        @Override
        public int stateBytes() {
            return 8;
        }

        @Override
        public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
            addCounts(groups, input.rows(), offset, counts);
        }

        @Override
        public void results(long[] groups, int n, long to) {
            for (int i = 0; i < n; i++) {
                field.putLong(to + (long) i * field.stride(), Mem.getLong(groups[i] + offset));
            }
        }
    }

    /** Adds up counts at an offset of the groups. */
    static void addCounts(long[] groups, int n, int offset, long @Nullable [] counts) {
        if (counts == null) {
            for (int i = 0; i < n; i++) {
                long at = groups[i] + offset;
                Mem.putLong(at, Mem.getLong(at) + 1);
            }
        } else {
            for (int i = 0; i < n; i++) {
                long at = groups[i] + offset;
                Mem.putLong(at, Mem.getLong(at) + counts[i]);
            }
        }
    }
}

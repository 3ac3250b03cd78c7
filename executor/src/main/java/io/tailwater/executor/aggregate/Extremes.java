package io.tailwater.executor.aggregate;

import io.tailwater.api.batch.Mem;
import io.tailwater.api.batch.MemoryAccount;
import io.tailwater.api.batch.StringView;
import io.tailwater.common.type.DataType;
import io.tailwater.executor.snapshot.StateWriter;
import io.tailwater.executor.state.Arena;
import io.tailwater.executor.state.RowLayout;
import io.tailwater.executor.state.RowOrder;
import io.tailwater.executor.state.Scratch;
import org.jspecify.annotations.Nullable;

/** MIN and MAX over rows that are never taken out again: only the extreme value is kept. */
final class Extremes {
    private Extremes() {}

    /** Of integer-like values: {present, value}. */
    static final class OfLongs implements Accumulator {
        private final boolean max;
        private final int column;
        private final int offset;
        private final ResultField field;

        OfLongs(boolean max, int column, int offset, ResultField field) {
            this.max = max;
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
            int n = input.rows();
            for (int i = 0; i < n; i++) {
                if (counts == null || counts[i] != 0) {
                    long at = groups[i] + offset;
                    long value = values[i];
                    if (Mem.getLong(at) == 0) {
                        Mem.putLong(at, 1);
                        Mem.putLong(at + 8, value);
                    } else {
                        long best = Mem.getLong(at + 8);
                        if (max ? value > best : value < best) {
                            Mem.putLong(at + 8, value);
                        }
                    }
                }
            }
        }

        @Override
        public void results(long[] groups, int n, long to) {
            for (int i = 0; i < n; i++) {
                long row = to + (long) i * field.stride();
                if (Mem.getLong(groups[i] + offset) == 0) {
                    field.setNull(row);
                } else {
                    field.putLong(row, Mem.getLong(groups[i] + offset + 8));
                }
            }
        }
    }

    /** Of any other type: {present, encoded value}. */
    static final class OfRows implements Accumulator {
        private final boolean max;
        private final int[] column;
        private final RowLayout value;
        private final RowOrder order;
        private final int offset;
        private final ResultField field;
        private final Arena arena;
        private final Scratch scratch;

        OfRows(
                boolean max,
                int column,
                DataType type,
                int offset,
                ResultField field,
                Arena arena,
                MemoryAccount memory) {
            this.max = max;
            this.column = new int[] {column};
            this.value = new RowLayout(type.withNullable(true));
            this.order = RowOrder.ascending(value);
            this.offset = offset;
            this.field = field;
            this.arena = arena;
            this.scratch = new Scratch(memory);
        }

        @Override
        public int stateBytes() {
            return 8 + value.width();
        }

        @Override
        public void add(AggregateInput input, long[] groups, long @Nullable [] counts) {
            int n = input.rows();
            long values = scratch.atLeast((long) n * value.width());
            value.encode(input.batch(), column, n, values, value.width());
            for (int i = 0; i < n; i++) {
                if (counts != null && counts[i] == 0) {
                    continue;
                }
                long at = groups[i] + offset;
                long candidate = values + (long) i * value.width();
                if (Mem.getLong(at) == 0) {
                    Mem.putLong(at, 1);
                } else {
                    int compared = order.compare(candidate, at + 8);
                    if (max ? compared <= 0 : compared >= 0) {
                        continue;
                    }
                    value.disown(at + 8, arena);
                }
                value.copy(candidate, at + 8);
                value.own(at + 8, arena);
            }
        }

        @Override
        public void results(long[] groups, int n, long to) {
            for (int i = 0; i < n; i++) {
                long row = to + (long) i * field.stride();
                if (Mem.getLong(groups[i] + offset) == 0) {
                    field.setNull(row);
                } else {
                    copyField(groups[i] + offset + 8, field, row);
                }
            }
        }

        @Override
        public void snapshot(long at, StateWriter out) {
            out.putLong(Mem.getLong(at));
            out.put(value, at + 8);
        }

        @Override
        public int restore(long from, long at) {
            if (Mem.getLong(at) != 0) {
                value.disown(at + 8, arena);
            }
            Mem.putLong(at, Mem.getLong(from));
            int bytes = value.unflatten(from + 8, at + 8);
            value.own(at + 8, arena);
            return 8 + bytes;
        }

        @Override
        public void release(long group, Arena from) {
            if (Mem.getLong(group + offset) != 0) {
                value.disown(group + offset + 8, from);
            }
        }

        @Override
        public void close() {
            scratch.close();
        }
    }

    /** Copies a value that is the first field of an encoded row; a view keeps pointing at the same bytes. */
    static void copyField(long from, ResultField field, long row) {
        long to = field.address(row);
        switch (field.type().kind().width()) {
            case 0, 1 -> Mem.putByte(to, Mem.getByte(from));
            case 2 -> Mem.putShort(to, Mem.getShort(from));
            case 4 -> Mem.putInt(to, Mem.getInt(from));
            case 8 -> Mem.putLong(to, Mem.getLong(from));
            default -> StringView.copySlot(from, to);
        }
    }
}

package io.tailwater.connector.basic;

import io.tailwater.api.batch.BatchBuilder;
import io.tailwater.api.batch.ColumnBatch;
import io.tailwater.api.batch.Mem;
import io.tailwater.api.connector.Connector.ReadContext;
import io.tailwater.api.connector.RateLimit;
import io.tailwater.api.connector.SplitReader;
import io.tailwater.api.plan.PlanNode;
import io.tailwater.common.error.ErrorCode;
import io.tailwater.common.error.StreamException;
import io.tailwater.common.type.DataType;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Consumer;

/** Reads one split: a position counts its rows, which are every {@code count}-th of all. Owned by one worker. */
final class DatagenReader implements SplitReader {
    private final List<Field> fields;
    private final Share share;
    private final @Nullable RateLimit limit;
    private final DataType[] types;
    private final ReadContext context;

    /** Rows {@code index}, {@code index + count} and so on, {@code rows} of them. */
    record Share(int index, int count, long rows) {
        long global(long row) {
            return row * count + index;
        }
    }

    DatagenReader(List<Field> fields, Share share, @Nullable RateLimit limit, DataType[] types, ReadContext context) {
        this.fields = fields;
        this.share = share;
        this.limit = limit;
        this.types = types;
        this.context = context;
    }

    @Override
    public Ready ready(long from, long maxRows) {
        long left = Math.max(0, share.rows() - from);
        long allowed = limit == null ? maxRows : Math.min(maxRows, limit.allowed(from));
        long rows = Math.min(left, Math.max(0, allowed));
        if (rows == 0) {
            return Ready.nothing(from, left == 0);
        }
        long min = NO_TIME;
        long max = NO_TIME;
        if (context.timeColumn() >= 0) {
            Field time = fields.get(context.timeColumn());
            // A sequence only grows: its ends say all.
            long step = time.ascends() ? Math.max(1, rows - 1) : 1;
            for (long row = from; row < from + rows; row += step) {
                long global = share.global(row);
                if (!time.isNull(global)) {
                    long value = time.number(global);
                    min = min == NO_TIME ? value : Math.min(min, value);
                    max = Math.max(max, value);
                }
            }
        }
        return new Ready(from + rows, rows, min, max, rows == left, 0);
    }

    @Override
    public void read(long from, long to, Consumer<ColumnBatch> out) {
        if (from < 0 || to < from || to > share.rows()) {
            throw new StreamException(
                    ErrorCode.DATA_CORRUPTED, "range " + from + " to " + to + " of " + share.rows() + " made-up rows");
        }
        for (long row = from; row < to; row += ColumnBatch.TARGET_ROWS) {
            out.accept(batch(row, (int) Math.min(ColumnBatch.TARGET_ROWS, to - row)));
        }
    }

    private ColumnBatch batch(long first, int count) {
        try (BatchBuilder out = new BatchBuilder(types, count, false, context.memory())) {
            for (int c = 0; c < types.length; c++) {
                int column = context.columns().get(c);
                for (int row = 0; row < count; row++) {
                    long global = share.global(first + row);
                    if (column == PlanNode.Scan.ARRIVAL) {
                        // Numbers of rows are unique in all splits together.
                        Mem.putLong(out.data(c) + 8L * row, global);
                    } else {
                        fields.get(column).put(out, c, row, global);
                    }
                }
            }
            return out.finish(count);
        }
    }

    @Override
    public long nextPollNanos() {
        return limit == null ? 1_000_000 : limit.nextPollNanos();
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
